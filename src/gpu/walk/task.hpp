// SPDX-License-Identifier: Apache-2.0
// Decoding of one task of a plan by one warp.
#pragma once

#include "base/internal.hpp"
#include "gpu/walk/numbers.hpp"
#include "gpu/walk/variable.hpp"

namespace numpact::gpu {

enum VariableIndex : unsigned { kLookbacks, kPrimary, kSecondary };

// L: latents of the numbers. P: primary latents, L or dictionary indices. Only kSerial supports
// deltas that are undone in order. Each lane of the warp has an object; members that belong to the
// whole task have the same value in all lanes.
//
// For each batch of 256 numbers, with a barrier of the warp between the steps:
//   1. lanes 0 to 3 decode the codes of a variable to bins in shared memory,
//   2. all lanes decode offsets, 8 neighbouring latents each, to registers,
//   (both steps for lookbacks, the primary and the secondary variable, as far as present)
//   3. deltas are undone, by all lanes or in order through shared memory,
//   4. each lane joins its latents to numbers, which are transposed through shared memory and
//      stored.
template <class L, class P, DeltaOrder kDeltaOrder, class Warp>
class TaskDecoder {
 public:
  NUMPACT_HD TaskDecoder(Warp& warp, const PlanView& plan, const PlannedTask& task,
                         Scratch<L, kDeltaOrder>& scratch)
      : warp_(warp),
        plan_(plan),
        task_(task),
        chunk_(plan.chunks[task.chunk]),
        scratch_(scratch),
        lookbacks_(chunk_.variables[kLookbacks], nullptr),
        primary_(chunk_.variables[kPrimary], reinterpret_cast<P*>(plan.scratch + task.scratch)),
        secondary_(chunk_.variables[kSecondary], secondary_page()) {}

  NUMPACT_HD void run() {
    start();
    std::uint32_t done = 0;
    while (done < task_.n) {
      if (position_ > plan_.input_bits) return warp_.fail(PlannedFailure::kTruncated);
      const unsigned n = task_.n - done < kBatch ? task_.n - done : kBatch;
      decode_batch(done, n);
      done += n;
    }
    if (position_ > plan_.input_bits) return warp_.fail(PlannedFailure::kTruncated);
    finish();
  }

 private:
  static constexpr bool kIsSerial = kDeltaOrder == DeltaOrder::kSerial;

  // With Lookback, the scratch of a task holds the latents of the page: primary, then secondary.
  NUMPACT_HD L* secondary_page() const {
    const PlannedVariable& primary = chunk_.variables[kPrimary];
    if (chunk_.delta != Delta::kLookback) return nullptr;
    const std::uint64_t stored =
        task_.page_left > primary.skipped_n ? task_.page_left - primary.skipped_n : 0;
    const std::uint64_t bytes = (primary.state_n + stored) * sizeof(P);
    return reinterpret_cast<L*>(plan_.scratch + task_.scratch + (bytes + 7) / 8 * 8);
  }

  NUMPACT_HD std::uint32_t* history() {
    if constexpr (kIsSerial) {
      return scratch_.serial.history;
    } else {
      return nullptr;
    }
  }

  NUMPACT_HD void start() {
    std::uint64_t head = task_.head;
    lookbacks_.read_header(warp_, chunk_, plan_.heads, head, task_.page_left, nullptr);
    primary_.read_header(warp_, chunk_, plan_.heads, head, task_.page_left, history());
    secondary_.read_header(warp_, chunk_, plan_.heads, head, task_.page_left, nullptr);
    position_ = task_.first;
  }

  NUMPACT_HD void decode_batch(std::uint32_t done, unsigned n) {
    if constexpr (kIsSerial) {
      if (lookbacks_.is_present()) read_lookbacks();
    }
    P primary[kPerLane];
    const unsigned primary_n = primary_.decode(warp_, plan_, scratch_.bins, position_, primary);
    L secondary[kPerLane] = {};
    unsigned secondary_n = 0;
    if (secondary_.is_present()) {
      warp_.sync();  // all lanes have read the primary variable's bins, which are overwritten now
      secondary_n = secondary_.decode(warp_, plan_, scratch_.bins, position_, secondary);
    }
    primary_.undo_delta(warp_, plan_, chunk_, scratch_, done, primary_n, n, primary);
    if (secondary_.is_present()) {
      secondary_.undo_delta(warp_, plan_, chunk_, scratch_, done, secondary_n, n, secondary);
    }
    put(done, n, primary, secondary);
  }

  NUMPACT_HD void read_lookbacks() {
    std::uint32_t lookbacks[kPerLane];
    lookbacks_.decode(warp_, plan_, scratch_.bins, position_, lookbacks);
    const unsigned first = warp_.lane() * kPerLane;
    for (unsigned k = 0; k < kPerLane; ++k) scratch_.serial.lookbacks[first + k] = lookbacks[k];
    warp_.sync();
  }

  // Joins latents to numbers and stores them. A lane has 8 neighbouring numbers. They are
  // transposed through shared memory, so that the lanes store neighbouring numbers at the same time
  // (coalesced).
  NUMPACT_HD void put(std::uint32_t done, unsigned n, const P (&primary)[kPerLane],
                      const L (&secondary)[kPerLane]) {
    const unsigned lane = warp_.lane();
    bool all_inside = true;
    for (unsigned k = 0; k < kPerLane; ++k) {
      bool is_inside = true;
      const unsigned i = lane * kPerLane + k;
      scratch_.staged[i] = join<L, P>(chunk_, plan_, primary[k], secondary[k], is_inside);
      all_inside &= is_inside || i >= n;
    }
    if (!all_inside) warp_.fail(PlannedFailure::kIndex);
    warp_.sync();
    L* const out = static_cast<L*>(plan_.out) + task_.out + done;
    for (unsigned k = 0; k < kPerLane; ++k) {
      const unsigned i = k * kLanes + lane;
      if (i < n) out[i] = static_cast<L>(scratch_.staged[i]);
    }
    warp_.sync();
  }

  // Checks the end: the states must be those of the next restart point, or the page must end with
  // zero padding at the expected position.
  NUMPACT_HD void finish() {
    const std::uint32_t numbers_left = task_.page_left - task_.n;
    if (task_.next_head != PlannedTask::kNone) {
      std::uint64_t head = task_.next_head;
      bool is_expected = position_ == task_.end;
      is_expected &=
          lookbacks_.matches_header(warp_, chunk_, plan_.heads, head, numbers_left, nullptr);
      is_expected &=
          primary_.matches_header(warp_, chunk_, plan_.heads, head, numbers_left, history());
      is_expected &=
          secondary_.matches_header(warp_, chunk_, plan_.heads, head, numbers_left, nullptr);
      if (!is_expected) warp_.fail(PlannedFailure::kRestart);
      return;
    }
    const auto rest = static_cast<std::uint32_t>((8 - position_ % 8) % 8);
    if (bits32(plan_.input, position_, rest) != 0) return warp_.fail(PlannedFailure::kPadding);
    if (task_.end != PlannedTask::kNone && position_ + rest != task_.end) {
      warp_.fail(PlannedFailure::kEnd);
    }
  }

  Warp& warp_;
  const PlanView& plan_;
  const PlannedTask& task_;
  const PlannedChunk& chunk_;
  Scratch<L, kDeltaOrder>& scratch_;
  Variable<std::uint32_t> lookbacks_;
  Variable<P> primary_;
  Variable<L> secondary_;
  std::uint64_t position_ = 0;
};

// Whether deltas must be undone in order (DeltaOrder::kSerial).
NUMPACT_HD bool is_serial(const PlannedChunk& chunk) {
  return chunk.delta == Delta::kLookback || chunk.delta == Delta::kConv1;
}
NUMPACT_HD bool has_indices(const PlannedChunk& chunk) { return chunk.mode == Mode::kDict; }

}  // namespace numpact::gpu
