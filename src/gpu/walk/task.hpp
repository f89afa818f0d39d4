// SPDX-License-Identifier: Apache-2.0
// One task of a plan, by one warp.
#ifndef NUMPACT_GPU_WALK_TASK_HPP
#define NUMPACT_GPU_WALK_TASK_HPP

#include "gpu/walk/numbers.hpp"
#include "gpu/walk/variable.hpp"

namespace numpact::gpu {

enum PlannedIndex : unsigned { kLookbacks, kPrimary, kSecondary };

// L: latents of the numbers. P: primary ones, L or dictionary indices. Deltas that are undone in
// order are left to kSerial.
template <class L, class P, Order kOrder, class Warp>
class TaskWalk {
 public:
  NUMPACT_HD TaskWalk(Warp& warp, const PlanView& plan, const PlannedTask& task,
                      Room<L, kOrder>& room)
      : warp_(warp),
        plan_(plan),
        task_(task),
        chunk_(plan.chunks[task.chunk]),
        room_(room),
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
  static constexpr bool kIsSerial = kOrder == Order::kSerial;

  NUMPACT_HD L* secondary_page() const {
    const PlannedVariable& primary = chunk_.variables[kPrimary];
    if (chunk_.delta != PlannedDelta::kLookback) return nullptr;
    const std::uint64_t stored =
        task_.page_left > primary.skipped_n ? task_.page_left - primary.skipped_n : 0;
    const std::uint64_t bytes = (primary.state_n + stored) * sizeof(P);
    return reinterpret_cast<L*>(plan_.scratch + task_.scratch + (bytes + 7) / 8 * 8);
  }

  NUMPACT_HD std::uint32_t* history() {
    if constexpr (kIsSerial) {
      return room_.serial.history;
    } else {
      return nullptr;
    }
  }

  NUMPACT_HD void start() {
    std::uint64_t head = task_.head;
    lookbacks_.start(warp_, chunk_, plan_.heads, head, task_.page_left, nullptr);
    primary_.start(warp_, chunk_, plan_.heads, head, task_.page_left, history());
    secondary_.start(warp_, chunk_, plan_.heads, head, task_.page_left, nullptr);
    position_ = task_.first;
  }

  NUMPACT_HD void decode_batch(std::uint32_t done, unsigned n) {
    if constexpr (kIsSerial) {
      if (lookbacks_.is_present()) read_lookbacks();
    }
    P primary[kPerLane];
    const unsigned primary_n = primary_.read(warp_, plan_, room_.bins, position_, primary);
    L secondary[kPerLane] = {};
    unsigned secondary_n = 0;
    if (secondary_.is_present()) {
      warp_.sync();  // the bins of the first are read
      secondary_n = secondary_.read(warp_, plan_, room_.bins, position_, secondary);
    }
    primary_.undo_delta(warp_, plan_, chunk_, room_, done, primary_n, n, primary);
    if (secondary_.is_present()) {
      secondary_.undo_delta(warp_, plan_, chunk_, room_, done, secondary_n, n, secondary);
    }
    put(done, n, primary, secondary);
  }

  NUMPACT_HD void read_lookbacks() {
    std::uint32_t lookbacks[kPerLane];
    lookbacks_.read(warp_, plan_, room_.bins, position_, lookbacks);
    const unsigned first = warp_.lane() * kPerLane;
    for (unsigned k = 0; k < kPerLane; ++k) room_.serial.lookbacks[first + k] = lookbacks[k];
    warp_.sync();
  }

  // Lanes have neighbours; memory likes it the other way round.
  NUMPACT_HD void put(std::uint32_t done, unsigned n, const P (&primary)[kPerLane],
                      const L (&secondary)[kPerLane]) {
    const unsigned lane = warp_.lane();
    bool all_inside = true;
    for (unsigned k = 0; k < kPerLane; ++k) {
      bool is_inside = true;
      const unsigned i = lane * kPerLane + k;
      room_.staged[i] = join<L, P>(chunk_, plan_, primary[k], secondary[k], is_inside);
      all_inside &= is_inside || i >= n;
    }
    if (!all_inside) warp_.fail(PlannedFailure::kIndex);
    warp_.sync();
    L* const out = static_cast<L*>(plan_.out) + task_.out + done;
    for (unsigned k = 0; k < kPerLane; ++k) {
      const unsigned i = k * kLanes + lane;
      if (i < n) out[i] = static_cast<L>(room_.staged[i]);
    }
    warp_.sync();
  }

  NUMPACT_HD void finish() {
    const std::uint32_t behind = task_.page_left - task_.n;
    if (task_.next_head != PlannedTask::kNone) {
      std::uint64_t head = task_.next_head;
      bool is_right = position_ == task_.end;
      is_right &= lookbacks_.is_at(warp_, chunk_, plan_.heads, head, behind, nullptr);
      is_right &= primary_.is_at(warp_, chunk_, plan_.heads, head, behind, history());
      is_right &= secondary_.is_at(warp_, chunk_, plan_.heads, head, behind, nullptr);
      if (!is_right) warp_.fail(PlannedFailure::kRestart);
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
  Room<L, kOrder>& room_;
  Variable<std::uint32_t> lookbacks_;
  Variable<P> primary_;
  Variable<L> secondary_;
  std::uint64_t position_ = 0;
};

NUMPACT_HD bool is_serial(const PlannedChunk& chunk) {
  return chunk.delta == PlannedDelta::kLookback || chunk.delta == PlannedDelta::kConv1;
}
NUMPACT_HD bool has_indices(const PlannedChunk& chunk) { return chunk.mode == PlannedMode::kDict; }

}  // namespace numpact::gpu

#endif
