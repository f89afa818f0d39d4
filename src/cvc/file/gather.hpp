// SPDX-License-Identifier: Apache-2.0
// Single rows and stored codes, straight from where they lie in the file.
#ifndef NUMPACT_CVC_FILE_GATHER_HPP
#define NUMPACT_CVC_FILE_GATHER_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cvc/file/records.hpp"
#include "numpact/cvc/read_config.hpp"

namespace numpact::cvc {

// All that the Reader's functions of these names do.
Status gather_rows(const Records& records, std::span<const std::uint64_t> rows,
                   std::span<const Target> targets, const ReadConfig& config);
Status view_codes(const Records& records, std::size_t chunk, std::size_t column,
                  const ReadConfig& config, Codes& codes);
Status copy_codes(const Records& records, const RowRange& rows, std::size_t column,
                  std::span<std::byte> out, std::size_t stride, const ReadConfig& config,
                  std::vector<CodeRun>& runs);

}  // namespace numpact::cvc

#endif
