// SPDX-License-Identifier: Apache-2.0
// Compacts a table of counts to the values whose count is not zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "number/latent.hpp"

namespace numpact::internal {

// Elements that must be writable behind the values: the kernel stores 16 at a time.
inline constexpr std::size_t kNonzeroSlackN = 16;

// counts[i] is the count of the value lower + i. The values with nonzero counts are stored to
// `values`, which has capacity for counts.size() + kNonzeroSlackN, and their counts are moved to
// the front of `counts`. Returns how many there are.
template <Latent L>
std::size_t take_nonzero(std::span<std::uint32_t> counts, L lower, L* values);

}  // namespace numpact::internal
