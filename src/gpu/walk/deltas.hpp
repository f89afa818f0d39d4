// SPDX-License-Identifier: Apache-2.0
// Undoing deltas of a batch: docs/format/pco.md, "Delta encodings".
#ifndef NUMPACT_GPU_WALK_DELTAS_HPP
#define NUMPACT_GPU_WALK_DELTAS_HPP

#include "gpu/walk/room.hpp"
#include "gpu/walk/sums.hpp"
#include "gpu/walk/view.hpp"

namespace numpact::gpu {

// Consecutive. Lane j has the j-th moment. Deltas that the page does not store are 0.
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

// Lookback. `page`: the latents of the page, of which `known` are; n more follow them, from the
// deltas in `staged`. What lies before the page is 0.
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
    // Within these 32 a latent waits for the one that it is counted from.
    const bool waits = is_stored && is_inside && distance <= lane;
    SumOf<L> latent = is_stored ? static_cast<SumOf<L>>(staged[i]) : 0;
    if (is_stored && is_inside && !waits && distance <= at) latent += page[at - distance];
    bool is_known = !waits;
    while (warp.any(!is_known)) {
      const unsigned source = waits ? lane - distance : lane;
      const SumOf<L> theirs = warp.from(latent, source);
      const bool theirs_is_known = warp.from(std::uint32_t{is_known}, source) != 0;
      if (!is_known && theirs_is_known) {
        latent += theirs;
        is_known = true;
      }
    }
    if (is_stored) page[at] = static_cast<L>(latent);
    warp.sync();
  }
}

// Conv1, by one lane: each latent needs the one before. `history`: the last `order` latents, oldest
// first; the n that follow are made behind them, from the deltas in `staged`.
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

#endif
