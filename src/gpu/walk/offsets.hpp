// SPDX-License-Identifier: Apache-2.0
// Decoding of the offsets of a batch: docs/format/pco.md, "Batches".
#pragma once

#include "base/internal.hpp"
#include "gpu/walk/sums.hpp"
#include "gpu/walk/view.hpp"
#include "gpu/walk/words.hpp"

namespace numpact::gpu {

template <class L>
struct BinView {
  L lower;
  std::uint32_t width;
};

// A bin of a variable (DevicePlan::bins). Latents of 64 bits take two words per bin: lower bound
// and width. Others take one: lower bound in the low half, width in the high half.
template <class L>
NUMPACT_HD BinView<L> bin_at(const std::uint64_t* bins, std::uint32_t bin) {
  if constexpr (sizeof(L) == 8) {
    return {load_constant(bins + 2 * bin),
            static_cast<std::uint32_t>(load_constant(bins + 2 * bin + 1))};
  } else {
    const std::uint64_t word = load_constant(bins + bin);
    return {static_cast<L>(word), static_cast<std::uint32_t>(word >> 32)};
  }
}

// Decodes n offsets. Each lane reads kPerLane neighbours; a prefix sum of the widths over the lanes
// gives the position of its first. `latents` becomes lower bound plus offset, 0 behind the n-th.
// `symbols`: the bin of each latent, or null if all are of the first bin. Returns the position
// behind the offsets, in all lanes.
template <class L, class Warp>
NUMPACT_HD std::uint64_t read_offsets(Warp& warp, const std::uint64_t* bins,
                                      const std::uint16_t* symbols, const std::uint32_t* input,
                                      std::uint64_t position, unsigned n, L (&latents)[kPerLane]) {
  const unsigned first = warp.lane() * kPerLane;
  std::uint32_t widths[kPerLane];
  std::uint32_t sum = 0;
  for (unsigned k = 0; k < kPerLane; ++k) {
    const bool is_stored = first + k < n;
    const BinView<L> bin =
        is_stored ? bin_at<L>(bins, symbols != nullptr ? symbols[first + k] : 0) : BinView<L>{};
    latents[k] = bin.lower;
    widths[k] = bin.width;
    sum += bin.width;
  }
  const Sums<std::uint32_t> sums = sum_lanes(warp, sum);
  std::uint64_t at = position + sums.before;
  for (unsigned k = 0; k < kPerLane; ++k) {
    latents[k] = static_cast<L>(latents[k] + read_bits<L>(input, at, widths[k]));
    at += widths[k];
  }
  return position + sums.all;
}

}  // namespace numpact::gpu
