// SPDX-License-Identifier: Apache-2.0
// Where the runs of equal latents start among sorted ones.
#ifndef NUMPACT_PCO_STATS_RUN_STARTS_HPP
#define NUMPACT_PCO_STATS_RUN_STARTS_HPP

#include <cstddef>
#include <cstdint>
#include <span>

namespace numpact {

// What must be writable behind what is stored, in elements.
inline constexpr std::size_t kRunSlack = 16;

// sorted: at least one. values: of the runs, starts: of their first latents. Returns how many there
// are.
std::size_t run_starts(std::span<const std::uint32_t> sorted, std::uint32_t* values,
                       std::uint32_t* starts);
std::size_t run_starts(std::span<const std::uint64_t> sorted, std::uint64_t* values,
                       std::uint32_t* starts);

}  // namespace numpact

#endif
