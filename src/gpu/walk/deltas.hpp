// SPDX-License-Identifier: Apache-2.0
// Undoing the deltas of a batch: docs/format/pco.md, "Delta encodings".
#pragma once

#include "base/internal.hpp"
#include "gpu/walk/scratch.hpp"
#include "gpu/walk/sums.hpp"
#include "gpu/walk/view.hpp"
#include "gpu/walk/words.hpp"
#include "pco/limits.hpp"

namespace numpact::gpu {

// The moments of the tasks of a group: lane s of quad q holds moments s and s + kStates of task q.
template <class L>
struct Moments {
  static_assert(kMaxConsecutiveOrder <= 2 * kStates);
  SumOf<L> low = 0;
  SumOf<L> high = 0;

  // Those of this lane: its first or its second. (By value: references would need local memory.)
  NUMPACT_HD SumOf<L> of(unsigned moment) const { return moment < kStates ? low : high; }
  NUMPACT_HD void set(unsigned moment, SumOf<L> value) {
    low = moment < kStates ? value : low;
    high = moment < kStates ? high : value;
  }
};

// Consecutive, for a batch of one task: for each order a prefix sum over the batch.
template <class L, class Warp>
NUMPACT_HD void undo_consecutive(Warp& warp, unsigned order, unsigned task, Moments<L>& moments,
                                 L (&latents)[kPerLane]) {
  for (unsigned j = order; j-- > 0;) {
    warp.count(Step::kMoments);
    SumOf<L> sum = 0;
    for (const L delta : latents) sum += delta;
    const Sums<SumOf<L>> sums = sum_lanes(warp, sum);
    const unsigned holder = task * kStates + j % kStates;
    const SumOf<L> before = warp.from(moments.of(j), holder);
    SumOf<L> running = before + sums.before;
    for (L& latent : latents) {
      const L delta = latent;
      latent = static_cast<L>(running);
      running += delta;
    }
    if (warp.lane() == holder) moments.set(j, before + sums.all);
  }
}

// Lookback, for a batch of one task. `page`: the latents of the page, the first `known` of which
// are decoded. Decodes n more from the deltas in `staged`. Latents before the page are 0.
//
// 32 latents are decoded at a time, one per lane. A latent whose source is before these 32 is added
// from memory. Otherwise its source is on a lower lane: the lane waits until that lane's latent is
// known. Each round of the loop resolves at least the lowest waiting lane, so it ends after at most
// 32 rounds. Example with distances 5, 1, 1, 3 on lanes 0 to 3:
//   lane 0 from memory; round 1: lane 1 from lane 0, and lane 3 from lane 0; round 2: lane 2 from
//   lane 1.
template <class L, class Warp, class Shared>
NUMPACT_HD void undo_lookback(Warp& warp, std::uint32_t task, std::uint32_t window_n,
                              const std::uint32_t* lookbacks, Shared& staged, unsigned n, L* page,
                              std::uint64_t known) {
  const unsigned lane = warp.lane();
  for (unsigned first = 0; first < n; first += kLanes) {
    warp.count(Step::kLookbackRounds);
    const unsigned i = first + lane;
    const bool is_stored = i < n;
    const std::uint64_t at = known + i;
    const std::uint32_t distance = is_stored ? lookbacks[i] : 0;
    const bool is_inside = distance >= 1 && distance <= window_n;
    if (is_stored && !is_inside) warp.fail(task, PlannedFailure::kLookback);
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

// Conv1: the newest latents and their weights, which a lane holds in registers.
inline constexpr unsigned kConv1Window = 8;

// A latent less 2^31: a product of signed numbers is one instruction.
NUMPACT_HD std::int32_t centred(std::uint32_t latent) {
  return static_cast<std::int32_t>(latent ^ 0x8000'0000u);
}
NUMPACT_HD std::uint64_t plus_product(std::uint64_t sum, std::int32_t weight, std::int32_t latent) {
#if defined(__CUDA_ARCH__)
  asm("mad.wide.s32 %0, %1, %2, %0;" : "+l"(sum) : "r"(weight), "r"(latent));
  return sum;
#else
  return sum + static_cast<std::uint64_t>(std::int64_t{weight} * std::int64_t{latent});
#endif
}

// Conv1. Each latent depends on the one before, so one lane undoes the deltas of a task, while
// other lanes do those of other tasks. `history`: the last `order` latents, oldest first, followed
// by n deltas, which become latents, as may be up to kConv1Window - 1 words behind them. Sums are
// modulo 2^64.
template <class L, class Warp>
NUMPACT_HD void undo_conv1(Warp& warp, const PlannedChunk& chunk, const std::int32_t* weights,
                           unsigned n, std::uint32_t* history) {
  const unsigned order = chunk.order;
  const unsigned older = order > kConv1Window ? order - kConv1Window : 0;
  // The sum of all weights, times 2^31, makes up for the centred latents.
  auto bias = static_cast<std::uint64_t>(chunk.bias);
  for (unsigned j = 0; j < order; ++j) {
    bias += static_cast<std::uint64_t>(std::int64_t{load_constant(weights + j)}) << 31;
  }
  // Of lower orders the oldest places of the window are empty.
  std::int32_t latents[kConv1Window] = {};
  std::int32_t newest[kConv1Window] = {};
  for (unsigned j = 0; j < kConv1Window; ++j) {
    if (j + order < kConv1Window) continue;
    latents[j] = centred(history[j + order - kConv1Window]);
    newest[j] = load_constant(weights + j + order - kConv1Window);
  }
  for (unsigned first = 0; first < n; first += kConv1Window) {
    for (unsigned k = 0; k < kConv1Window; ++k) {
      warp.count(Step::kConv1Latents);
      std::uint64_t sum = bias;
      NUMPACT_NOT_UNROLLED
      for (unsigned j = 0; j < older; ++j) {
        warp.count(Step::kConv1Terms);
        const std::int32_t latent = centred(history[first + k + j]);
        sum = plus_product(sum, load_constant(weights + j), latent);
      }
      for (unsigned j = 0; j < kConv1Window; ++j) {
        sum = plus_product(sum, newest[j], latents[(k + j) % kConv1Window]);
      }
      const std::uint64_t clipped = static_cast<std::int64_t>(sum) > 0 ? sum : 0;
      std::uint32_t& latent = history[first + k + order];
      latent = static_cast<L>(latent + static_cast<std::uint32_t>(clipped >> chunk.quantization));
      latents[k] = centred(latent);
    }
  }
}

}  // namespace numpact::gpu
