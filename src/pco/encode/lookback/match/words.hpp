// SPDX-License-Identifier: Apache-2.0
// Converts latents of any width to words of 32 or 64 bits, for which lookbacks are searched.
#pragma once

#include "number/latent_array.hpp"
#include "pco/stats/histogram.hpp"

namespace numpact::internal {

// Calls f(words, unused_bits). Nonzero differences of words are unused_bits wider than those of the
// latents, and the lowest unused_bits of all words are 0. The words are the latents themselves or
// in scratch memory of the arena.
template <class F>
decltype(auto) visit_words(const LatentArray& latents, Arena& arena, F&& f) {
  return latents.visit([&](auto span) -> decltype(auto) {
    using L = typename decltype(span)::value_type;
    const std::span<const L> all(span);
    if constexpr (kBits<L> == 32) {
      return f(all, 0u);
    } else if constexpr (kBits<L> == 64) {
      // Words of 32 bits suffice if all differences fit.
      const Range<L> range = range_of(all);
      if (range.upper - range.lower >= std::uint64_t{1} << 31) return f(all, 0u);
      const std::span<std::uint32_t> words = arena.make<std::uint32_t>(all.size());
      for (std::size_t i = 0; i < all.size(); ++i) {
        words[i] = static_cast<std::uint32_t>(all[i] - range.lower);
      }
      return f(std::span<const std::uint32_t>(words), 0u);
    } else {
      // In the upper bits, where differences wrap as those of the narrow latents do.
      const std::span<std::uint32_t> words = arena.make<std::uint32_t>(all.size());
      for (std::size_t i = 0; i < all.size(); ++i) {
        words[i] = static_cast<std::uint32_t>(all[i]) << (32 - kBits<L>);
      }
      return f(std::span<const std::uint32_t>(words), 32 - kBits<L>);
    }
  });
}

}  // namespace numpact::internal
