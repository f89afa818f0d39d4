// SPDX-License-Identifier: Apache-2.0
// Finds the runs of equal latents in a sorted array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace numpact::internal {

// Elements that must be writable behind both outputs: one vector.
inline constexpr std::size_t kRunStartsSlackN = 16;

// Stores the value of each run to `values` and the index of its first latent to `starts`. `sorted`
// holds at least one latent. Returns the count of runs.
std::size_t run_starts(std::span<const std::uint32_t> sorted, std::uint32_t* values,
                       std::uint32_t* starts);
std::size_t run_starts(std::span<const std::uint64_t> sorted, std::uint64_t* values,
                       std::uint32_t* starts);

}  // namespace numpact::internal
