// SPDX-License-Identifier: Apache-2.0
// Inspection with bounded memory for descriptions of chunks.
#pragma once

#include <cstdint>
#include <span>

#include "numpact/inspect.hpp"

namespace numpact {

// As inspect(), called within guarded(). Describes the first chunks while that takes at most
// `max_bytes`; counts the others.
Status inspect_within(std::span<const std::byte> file, FileInfo& info, const DecodeConfig& config,
                      std::uint64_t max_bytes);

}  // namespace numpact
