// SPDX-License-Identifier: Apache-2.0
// Inspecting with a bound on what describes the chunks.
#ifndef NUMPACT_API_INSPECTION_HPP
#define NUMPACT_API_INSPECTION_HPP

#include <cstdint>
#include <span>

#include "numpact/inspect.hpp"

namespace numpact {

// As try_inspect, within guarded(). The first chunks are described as long as that takes no more
// than `most_bytes`; the others are counted.
Status inspect_within(std::span<const std::byte> file, FileInfo& info, const DecodeConfig& config,
                      std::uint64_t most_bytes);

}  // namespace numpact

#endif
