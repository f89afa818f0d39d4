// SPDX-License-Identifier: Apache-2.0
// Decoding of a group of tasks of a plan by one warp.
#pragma once

#include "base/internal.hpp"
#include "gpu/walk/numbers.hpp"
#include "gpu/walk/variable.hpp"

namespace numpact::gpu {

enum VariableIndex : unsigned { kLookbacks, kPrimary, kSecondary };

// L: latents of the numbers. P: primary latents, L or dictionary indices. Only kSerial supports
// deltas that are undone in order. Each lane of the warp has an object. Quad q, which is lanes 4 q
// to 4 q + 3, holds the states of task q of the group.
//
// For each batch of 256 numbers, with a barrier of the warp between the steps:
//   1. each quad decodes the codes of its task to symbols in shared memory, for lookbacks, the
//      primary and the secondary variable, as far as present,
//   2. Conv1: the deltas of all tasks are decoded, then undone by one lane for each task,
//   and for one task after the other:
//   3. all lanes decode offsets, 8 neighbouring latents each, to registers,
//   4. deltas are undone, by all lanes or in order through shared memory,
//   5. each lane joins its latents to numbers, which are transposed through shared memory and
//      stored.
template <class L, class P, DeltaOrder kDeltaOrder, class Warp>
class GroupDecoder {
 public:
  NUMPACT_HD GroupDecoder(Warp& warp, const PlanView& plan, const TaskGroup& group,
                          const Scratch<L, kDeltaOrder>& scratch)
      : warp_(warp),
        plan_(plan),
        group_(group),
        chunk_(plan.chunks[plan.tasks[group.first].chunk]),
        scratch_(scratch),
        lane_(warp.lane() % kStates),
        own_(warp.lane() / kStates),
        is_active_(own_ < group.n),
        lookbacks_(chunk_.variables[kLookbacks]),
        primary_(chunk_.variables[kPrimary]),
        secondary_(chunk_.variables[kSecondary]) {}

  NUMPACT_HD void run() {
    warp_.count(Step::kGroups);
    start();
    for (std::uint32_t done = 0;; done += kBatch) {
      stop_if_truncated();
      const std::uint32_t numbers = is_active_ ? task(own_).n : 0;
      const std::uint32_t n = numbers > done ? numbers - done : 0;
      if (warp_.max(n) == 0) break;
      decode_batch(done, n < kBatch ? n : kBatch);
    }
    finish();
  }

 private:
  static constexpr bool kIsSerial = kDeltaOrder == DeltaOrder::kSerial;

  NUMPACT_HD const PlannedTask& task(unsigned index) const {
    return plan_.tasks[group_.first + index];
  }
  NUMPACT_HD bool is(Delta delta) const { return chunk_.delta == delta; }

  // With Lookback, the scratch of a task holds the latents of the page: primary, then secondary.
  NUMPACT_HD P* primary_page(const PlannedTask& of) const {
    return reinterpret_cast<P*>(plan_.scratch + of.scratch);
  }
  NUMPACT_HD L* secondary_page(const PlannedTask& of) const {
    const std::uint64_t latents =
        std::uint64_t{primary_.state_n()} + primary_.stored_of(of.page_left);
    return reinterpret_cast<L*>(plan_.scratch + of.scratch + (latents * sizeof(P) + 7) / 8 * 8);
  }

  NUMPACT_HD std::uint16_t* symbols(VariableIndex variable, unsigned index) const {
    const bool has_lookbacks = kIsSerial && lookbacks_.is_present();
    return scratch_.symbols(variable - (has_lookbacks ? kLookbacks : kPrimary), index);
  }
  NUMPACT_HD std::uint32_t* own_history() const {
    if constexpr (kIsSerial) {
      if (is(Delta::kConv1)) return scratch_.history(own_);
    }
    return nullptr;
  }

  NUMPACT_HD void start() {
    if (is_active_) {
      const PlannedTask& own = task(own_);
      position_ = own.first;
      std::uint64_t head = own.head;
      if constexpr (kIsSerial) lookbacks_.read_header(lane_, plan_.heads, head, nullptr);
      primary_.read_header(lane_, plan_.heads, head, own_history());
      secondary_.read_header(lane_, plan_.heads, head, nullptr);
    }
    if constexpr (kIsSerial) {
      for (unsigned i = 0; is(Delta::kLookback) && i < group_.n; ++i) {
        std::uint64_t head = task(i).head + lookbacks_.header_bits();
        primary_.read_page(warp_, plan_.heads, head, primary_page(task(i)));
        head += primary_.header_bits();
        if (secondary_.is_present()) {
          secondary_.read_page(warp_, plan_.heads, head, secondary_page(task(i)));
        }
      }
    }
    warp_.sync();
  }

  NUMPACT_HD void stop_if_truncated() {
    if (!is_active_ || position_ <= plan_.input_bits) return;
    is_active_ = false;
    if (lane_ == 0) warp_.fail(group_.first + own_, PlannedFailure::kTruncated);
  }

  // `n`: numbers of the batch of the own task.
  NUMPACT_HD void decode_batch(std::uint32_t done, unsigned n) {
    warp_.count(Step::kBatches);
    walk(n > 0 ? task(own_).page_left - done : 0);
    if constexpr (kIsSerial) {
      if (is(Delta::kConv1)) undo_conv1_deltas(n);
    }
    for (unsigned i = 0; i < group_.n; ++i) {
      const unsigned task_n = warp_.from(n, i * kStates);
      if (task_n > 0) decode_task(i, done, task_n);
    }
  }

  // `page_left`: numbers of the own page that are left; 0 without a batch.
  NUMPACT_HD void walk(std::uint32_t page_left) {
    // The position of a task that has ended may be behind the input.
    const std::uint64_t start = page_left > 0 ? position_ : 0;
    std::uint32_t distance = 0;
    if constexpr (kIsSerial) {
      if (lookbacks_.is_present()) {
        lookbacks_.walk(warp_, plan_, page_left, false, start, distance, symbols(kLookbacks, own_));
      }
    }
    const bool has_secondary = secondary_.is_present();
    primary_.walk(warp_, plan_, page_left, !has_secondary, start, distance,
                  symbols(kPrimary, own_));
    if (has_secondary) {
      secondary_.walk(warp_, plan_, page_left, true, start, distance, symbols(kSecondary, own_));
    }
    warp_.sync();
  }

  NUMPACT_HD void decode_task(unsigned index, std::uint32_t done, unsigned n) {
    warp_.count(Step::kTasks);
    P primary[kPerLane];
    L secondary[kPerLane] = {};
    unsigned primary_n = 0;
    unsigned secondary_n = 0;
    if constexpr (kIsSerial) {
      if (lookbacks_.is_present()) read_lookbacks(index);
      if (is(Delta::kConv1)) {
        take_conv1(index, n, primary);
      } else {
        decode_primary(index, primary_n, primary);
      }
    } else {
      decode_primary(index, primary_n, primary);
    }
    if (secondary_.is_present()) {
      const std::uint64_t end = secondary_.decode(
          warp_, plan_, index, start_of(index), symbols(kSecondary, index), secondary_n, secondary);
      if (own_ == index) position_ = end;
    }
    if constexpr (!kIsSerial) {
      if (primary_.is_delta_encoded()) primary_.undo_moments(warp_, chunk_, index, primary);
      if (secondary_.is_delta_encoded()) secondary_.undo_moments(warp_, chunk_, index, secondary);
    } else {
      if (is(Delta::kLookback)) {
        const PlannedTask& of = task(index);
        if (primary_.is_delta_encoded()) {
          undo(primary_, index, primary_page(of), done, primary_n, n, primary);
        }
        if (secondary_.is_delta_encoded()) {
          undo(secondary_, index, secondary_page(of), done, secondary_n, n, secondary);
        }
      }
    }
    put(index, done, n, primary, secondary);
  }

  NUMPACT_HD void decode_primary(unsigned index, unsigned& n, P (&latents)[kPerLane]) {
    const std::uint64_t end =
        primary_.decode(warp_, plan_, index, start_of(index), symbols(kPrimary, index), n, latents);
    if (own_ == index && !secondary_.is_present()) position_ = end;
  }

  // The start of the batch of a task, before its last variable is decoded.
  NUMPACT_HD std::uint64_t start_of(unsigned index) {
    return warp_.from(position_, index * kStates);
  }

  NUMPACT_HD void read_lookbacks(unsigned index) {
    std::uint32_t lookbacks[kPerLane];
    unsigned n = 0;
    lookbacks_.decode(warp_, plan_, index, start_of(index), symbols(kLookbacks, index), n,
                      lookbacks);
    const unsigned first = warp_.lane() * kPerLane;
    for (unsigned k = 0; k < kPerLane; ++k) scratch_.lookbacks()[first + k] = lookbacks[k];
    warp_.sync();
  }

  // Lookback. `stored`: deltas of the batch; `n`: numbers of the batch.
  template <class T>
  NUMPACT_HD void undo(const Variable<T, kDeltaOrder>& variable, unsigned index, T* page,
                       std::uint32_t done, unsigned stored, unsigned n, T (&latents)[kPerLane]) {
    const unsigned first = warp_.lane() * kPerLane;
    auto& staged = scratch_.staged();
    for (unsigned k = 0; k < kPerLane; ++k) staged[first + k] = latents[k];
    warp_.sync();
    undo_lookback(warp_, group_.first + index, chunk_.window_n, scratch_.lookbacks(), staged,
                  stored, page, std::uint64_t{variable.state_n()} + done);
    for (unsigned k = 0; k < kPerLane; ++k) {
      if (first + k < n) latents[k] = page[done + first + k];
    }
    warp_.sync();
  }

  // Conv1: the deltas of a batch of all tasks become latents in the histories.
  NUMPACT_HD void undo_conv1_deltas(unsigned n) {
    if constexpr (sizeof(P) <= 4) {
      warp_.count(Step::kConv1Batches);
      for (unsigned i = 0; i < group_.n; ++i) {
        if (warp_.from(n, i * kStates) == 0) continue;
        P deltas[kPerLane];
        unsigned stored = 0;
        decode_primary(i, stored, deltas);
        std::uint32_t* const at = scratch_.history(i) + chunk_.order + warp_.lane() * kPerLane;
        for (unsigned k = 0; k < kPerLane; ++k) at[k] = deltas[k];
      }
      warp_.sync();
      // Of the tasks that there are: others have no history.
      if (lane_ == 0 && n > 0) {
        undo_conv1<P>(warp_, chunk_, plan_.weights + chunk_.weights, primary_.stored_n(),
                      scratch_.history(own_));
      }
      warp_.sync();
    }
  }

  // Conv1: the latents of a batch of a task. Conv1 decodes `order` latents ahead: the last ones
  // begin the next batch. All lanes read them before any lane overwrites the front of the history.
  NUMPACT_HD void take_conv1(unsigned index, unsigned n, P (&latents)[kPerLane]) {
    std::uint32_t* const history = scratch_.history(index);
    const unsigned lane = warp_.lane();
    for (unsigned k = 0; k < kPerLane; ++k) {
      latents[k] = static_cast<P>(history[lane * kPerLane + k]);
    }
    const std::uint32_t kept = lane < chunk_.order ? history[n + lane] : 0;
    warp_.sync();
    if (lane < chunk_.order) history[lane] = kept;
  }

  // Joins latents to numbers and stores them. A lane has 8 neighbouring numbers. They are
  // transposed through shared memory, so that the lanes store neighbouring numbers at the same time
  // (coalesced).
  NUMPACT_HD void put(unsigned index, std::uint32_t done, unsigned n, const P (&primary)[kPerLane],
                      const L (&secondary)[kPerLane]) {
    warp_.count(Step::kPuts);
    const unsigned lane = warp_.lane();
    const unsigned first = lane * kPerLane;
    L numbers[kPerLane];
    if (!join(warp_, chunk_, plan_, primary, secondary, n > first ? n - first : 0, numbers)) {
      warp_.fail(group_.first + index, PlannedFailure::kIndex);
    }
    auto& staged = scratch_.staged();
    for (unsigned k = 0; k < kPerLane; ++k) staged[first + k] = numbers[k];
    warp_.sync();
    L* const out = static_cast<L*>(plan_.out) + task(index).out + done;
    for (unsigned k = 0; k < kPerLane; ++k) {
      const unsigned i = k * kLanes + lane;
      if (i < n) out[i] = static_cast<L>(staged[i]);
    }
    warp_.sync();
  }

  // Checks the ends of all tasks: the states must be those of the next restart point, or the page
  // must end with zero padding at the expected position.
  NUMPACT_HD void finish() {
    const PlannedTask& own = task(is_active_ ? own_ : 0);
    const bool has_next = is_active_ && own.next_head != PlannedTask::kNone;
    bool differs = false;
    if (has_next) {
      const std::uint32_t numbers_left = own.page_left - own.n;
      std::uint64_t head = own.next_head;
      differs |= position_ != own.end;
      // With Lookback there are no restart points.
      differs |= primary_.differs(lane_, plan_.heads, head, numbers_left, own_history());
      differs |= secondary_.differs(lane_, plan_.heads, head, numbers_left, nullptr);
    }
    differs = warp_.quad_or(std::uint32_t{differs}) != 0;
    if (!is_active_ || lane_ != 0) return;
    if (!has_next) {
      check_padding(own);
    } else if (differs) {
      warp_.fail(group_.first + own_, PlannedFailure::kRestart);
    }
  }

  NUMPACT_HD void check_padding(const PlannedTask& own) {
    const auto rest = static_cast<std::uint32_t>((8 - position_ % 8) % 8);
    if (bits32(plan_.input, position_, rest) != 0) {
      warp_.fail(group_.first + own_, PlannedFailure::kPadding);
    } else if (own.end != PlannedTask::kNone && position_ + rest != own.end) {
      warp_.fail(group_.first + own_, PlannedFailure::kEnd);
    }
  }

  Warp& warp_;
  const PlanView& plan_;
  const TaskGroup group_;
  const PlannedChunk& chunk_;
  const Scratch<L, kDeltaOrder>& scratch_;
  const unsigned lane_;         // within the quad
  const unsigned own_;          // the quad, and the index in the group of its task
  bool is_active_;              // the quad has a task that has not failed
  std::uint64_t position_ = 0;  // of the own task: the next batch
  Variable<std::uint32_t, kDeltaOrder> lookbacks_;
  Variable<P, kDeltaOrder> primary_;
  Variable<L, kDeltaOrder> secondary_;
};

// Whether deltas must be undone in order (DeltaOrder::kSerial).
NUMPACT_HD bool is_serial(const PlannedChunk& chunk) {
  return chunk.delta == Delta::kLookback || chunk.delta == Delta::kConv1;
}
NUMPACT_HD bool has_indices(const PlannedChunk& chunk) { return chunk.mode == Mode::kDict; }
// The variables of a chunk whose symbols are in shared memory at the same time.
NUMPACT_HD std::uint32_t variable_n(const PlannedChunk& chunk) {
  std::uint32_t n = 0;
  for (std::size_t i = 0; i < kPlannedVariables; ++i) n += chunk.variables[i].latent_bits != 0;
  return n;
}

}  // namespace numpact::gpu
