// SPDX-License-Identifier: Apache-2.0
// Pages of large outputs, asked for before they are written to (ReadConfig::prefault).
#ifndef NUMPACT_CVC_FILE_PREFAULT_HPP
#define NUMPACT_CVC_FILE_PREFAULT_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include "numpact/cvc/read_config.hpp"

namespace numpact::cvc {

// Of `rows` rows of each target. Targets were checked. Columns that the file claims more of than
// it has bytes for are left alone: a bad one would take all the memory before it is found out.
void prefault_targets(const Info& info, std::span<const Target> targets, std::uint64_t rows,
                      const ReadConfig& config);
void prefault_bytes(std::span<std::byte> out, const ReadConfig& config);

}  // namespace numpact::cvc

#endif
