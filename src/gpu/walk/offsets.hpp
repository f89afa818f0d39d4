// SPDX-License-Identifier: Apache-2.0
// Decoding of the offsets of a batch: docs/format/pco.md, "Batches".
#pragma once

#include "base/internal.hpp"
#include "gpu/walk/bins.hpp"
#include "gpu/walk/scratch.hpp"
#include "gpu/walk/sums.hpp"
#include "gpu/walk/view.hpp"
#include "gpu/walk/words.hpp"

namespace numpact::gpu {

// The bins of the neighbouring latents of a lane, in a whole batch: the lower bound and width of
// each. Returns the sum of the widths.
template <class L, class Warp>
NUMPACT_HD std::uint32_t find_bins(Warp& warp, const std::uint64_t* bins, const Symbols& symbols,
                                   L (&lowers)[kPerLane], std::uint32_t (&widths)[kPerLane]) {
  warp.count(Step::kBins);
  std::uint32_t sum = 0;
  for (unsigned k = 0; k < kPerLane; ++k) {
    const BinView<L> bin = bin_at<L>(bins, symbols.of[k]);
    lowers[k] = bin.lower;
    widths[k] = bin.width;
    sum += bin.width;
  }
  return sum;
}

// The same in a batch of n latents. Behind the n-th, lower bounds and widths are 0; symbols are
// those of another batch, or nothing.
template <class L, class Warp>
NUMPACT_HD std::uint32_t find_bins_of_rest(Warp& warp, const std::uint64_t* bins,
                                           const Symbols& symbols, unsigned n,
                                           L (&lowers)[kPerLane],
                                           std::uint32_t (&widths)[kPerLane]) {
  warp.count(Step::kBinsOfRest);
  std::uint32_t sum = 0;
  for (unsigned k = 0; k < kPerLane; ++k) {
    const bool is_stored = warp.lane() * kPerLane + k < n;
    const BinView<L> bin = bin_at<L>(bins, is_stored ? symbols.of[k] : 0);
    lowers[k] = is_stored ? bin.lower : L{0};
    widths[k] = is_stored ? bin.width : 0;
    sum += widths[k];
  }
  return sum;
}

// Decodes n offsets of a task. Each lane reads kPerLane neighbours; a prefix sum of the widths over
// the lanes gives the position of its first. `latents` becomes lower bound plus offset, 0 behind
// the n-th. `symbols`: the bin of each latent, or null if all are of the first bin. Returns the
// position behind the offsets, in all lanes.
template <class L, class Warp>
NUMPACT_HD std::uint64_t read_offsets(Warp& warp, const std::uint64_t* bins,
                                      const std::uint16_t* symbols, const std::uint32_t* input,
                                      std::uint64_t position, unsigned n, L (&latents)[kPerLane]) {
  warp.count(Step::kOffsets);
  std::uint32_t widths[kPerLane];
  Symbols own = {};
  if (symbols != nullptr) own = reinterpret_cast<const Symbols*>(symbols)[warp.lane()];
  const std::uint64_t* const table = kept(bins);
  const std::uint32_t sum = n == kBatch
                                ? find_bins<L>(warp, table, own, latents, widths)
                                : find_bins_of_rest<L>(warp, table, own, n, latents, widths);
  const Sums<std::uint32_t> sums = sum_lanes(warp, sum);
  const std::uint32_t* const words = kept(input + position / 32);
  std::uint32_t at = static_cast<std::uint32_t>(position % 32) + sums.before;
  for (unsigned k = 0; k < kPerLane; ++k) {
    latents[k] = static_cast<L>(latents[k] + read_bits<L>(words, at, widths[k]));
    at += widths[k];
  }
  return position + sums.all;
}

}  // namespace numpact::gpu
