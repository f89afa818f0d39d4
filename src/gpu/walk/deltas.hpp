// SPDX-License-Identifier: Apache-2.0
// Undoing the deltas of a batch: docs/format/pco.md, "Delta encodings".
#pragma once

#include "base/internal.hpp"
#include "gpu/walk/scratch.hpp"
#include "gpu/walk/sums.hpp"
#include "gpu/walk/view.hpp"

namespace numpact::gpu {

// Consecutive: for each order a prefix sum over the batch. Lane j holds the j-th moment. Deltas
// behind the page's last one are 0.
template <class L, class Warp>
NUMPACT_HD void undo_consecutive(Warp& warp, unsigned order, SumOf<L>& moment,
                                 L (&latents)[kPerLane]) {
  for (unsigned j = order; j-- > 0;) {
    SumOf<L> sum = 0;
    for (const L delta : latents) sum += delta;
    const Sums<SumOf<L>> sums = sum_lanes(warp, sum);
    const SumOf<L> before = warp.from(moment, j);
    SumOf<L> running = before + sums.before;
    for (L& latent : latents) {
      const L delta = latent;
      latent = static_cast<L>(running);
      running += delta;
    }
    if (warp.lane() == j) moment = before + sums.all;
  }
}

// Lookback. `page`: the latents of the page, the first `known` of which are decoded. Decodes n more
// from the deltas in `staged`. Latents before the page are 0.
//
// 32 latents are decoded at a time, one per lane. A latent whose source is before these 32 is added
// from memory. Otherwise its source is on a lower lane: the lane waits until that lane's latent is
// known. Each round of the loop resolves at least the lowest waiting lane, so it ends after at most
// 32 rounds. Example with distances 5, 1, 1, 3 on lanes 0 to 3:
//   lane 0 from memory; round 1: lane 1 from lane 0, and lane 3 from lane 0; round 2: lane 2 from
//   lane 1.
template <class L, class Warp, class Shared>
NUMPACT_HD void undo_lookback(Warp& warp, std::uint32_t window_n, const std::uint32_t* lookbacks,
                              Shared& staged, unsigned n, L* page, std::uint64_t known) {
  const unsigned lane = warp.lane();
  for (unsigned first = 0; first < n; first += kLanes) {
    const unsigned i = first + lane;
    const bool is_stored = i < n;
    const std::uint64_t at = known + i;
    const std::uint32_t distance = is_stored ? lookbacks[i] : 0;
    const bool is_inside = distance >= 1 && distance <= window_n;
    if (is_stored && !is_inside) warp.fail(PlannedFailure::kLookback);
    // The source is one of these 32 latents.
    const bool waits = is_stored && is_inside && distance <= lane;
    SumOf<L> latent = is_stored ? static_cast<SumOf<L>>(staged[i]) : 0;
    if (is_stored && is_inside && !waits && distance <= at) latent += page[at - distance];
    bool is_known = !waits;
    while (warp.any(!is_known)) {
      const unsigned source = waits ? lane - distance : lane;
      const SumOf<L> source_latent = warp.from(latent, source);
      const bool source_is_known = warp.from(std::uint32_t{is_known}, source) != 0;
      if (!is_known && source_is_known) {
        latent += source_latent;
        is_known = true;
      }
    }
    if (is_stored) page[at] = static_cast<L>(latent);
    warp.sync();
  }
}

// Conv1, on lane 0 alone because each latent depends on the one before; the other lanes wait.
// `history`: the last `order` latents, oldest first. The next n latents are appended, decoded from
// the deltas in `staged`.
template <class L, class Warp, class Shared>
NUMPACT_HD void undo_conv1(Warp& warp, const PlannedChunk& chunk, const std::int32_t* weights,
                           Shared& staged, unsigned n, std::uint32_t* history) {
  if (warp.lane() == 0) {
    for (unsigned i = 0; i < n; ++i) {
      std::int64_t sum = chunk.bias;
      for (unsigned j = 0; j < chunk.order; ++j) {
        sum += std::int64_t{weights[j]} * std::int64_t{history[i + j]};
      }
      const std::int64_t clipped = sum > 0 ? sum : 0;
      history[i + chunk.order] =
          static_cast<L>(static_cast<L>(staged[i]) + static_cast<L>(clipped >> chunk.quantization));
    }
  }
  warp.sync();
}

}  // namespace numpact::gpu
