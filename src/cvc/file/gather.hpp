// SPDX-License-Identifier: Apache-2.0
// Single rows, straight from where they lie in the file.
#ifndef NUMPACT_CVC_FILE_GATHER_HPP
#define NUMPACT_CVC_FILE_GATHER_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include "cvc/file/records.hpp"
#include "numpact/cvc/read_config.hpp"

namespace numpact::cvc {

// All that Reader::try_gather does.
Status gather_rows(const Records& records, std::span<const std::uint64_t> rows,
                   std::span<const Target> targets, const ReadConfig& config);

}  // namespace numpact::cvc

#endif
