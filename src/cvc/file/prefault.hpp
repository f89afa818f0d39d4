// SPDX-License-Identifier: Apache-2.0
// Allocation of the memory pages of large outputs before they are written (ReadConfig::prefault).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "numpact/cvc/config.hpp"

namespace numpact::cvc::internal {

// Populates the pages of `rows` rows of each target. Targets have been checked. Columns whose
// claimed values exceed what the file's bytes make plausible are skipped: otherwise a corrupt file
// would take the memory before it is rejected.
void prefault_targets(const Info& info, std::span<const Target> targets, std::uint64_t rows,
                      const ReadConfig& config);
void prefault_bytes(std::span<std::byte> out, const ReadConfig& config);

}  // namespace numpact::cvc::internal
