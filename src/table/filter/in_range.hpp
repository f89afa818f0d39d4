// SPDX-License-Identifier: Apache-2.0
// Which numbers lie in a range of ordered latents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/internal.hpp"
#include "number/ordered.hpp"

namespace numpact::internal {

// Sets kept[i] to 0 if number i is not among the latents from `first` to first + distance. `kept`
// holds 0 or 1; `numbers` has any alignment.
template <class L>
void keep_in_range(const void* numbers, NumberKind kind, L first, L distance,
                   std::span<std::uint8_t> kept);

}  // namespace numpact::internal
