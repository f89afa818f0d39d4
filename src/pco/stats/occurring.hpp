// SPDX-License-Identifier: Apache-2.0
// Which values of a range occur.
#ifndef NUMPACT_PCO_STATS_OCCURRING_HPP
#define NUMPACT_PCO_STATS_OCCURRING_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include "number/latent.hpp"

namespace numpact {

// What must be writable behind the values, in elements.
inline constexpr std::size_t kOccurringSlack = 16;

// counts: of the values from `lower` on. values: those that occur, with room for as many as there
// are counts. Their counts are moved to the front of counts. Returns how many there are.
template <Latent L>
std::size_t take_occurring(std::span<std::uint32_t> counts, L lower, L* values);

}  // namespace numpact

#endif
