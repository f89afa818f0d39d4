// SPDX-License-Identifier: Apache-2.0
// Exponential back-off: segments of a run are similar, so what failed on some of them is attempted
// on fewer of those that follow.
#pragma once

#include <cstddef>
#include <variant>

#include "pco/encode/choice.hpp"

namespace numpact::internal {

// Decides which segments something is attempted on. At first on all; after more than free_failures
// failures without a success, each further failure skips as many numbers as there were since the
// last success, or since the run began. For example, with segments of equal length and no free
// failures, an attempt that always fails is made on segments 1, 3, 7, 15, ...
class Backoff {
 public:
  explicit Backoff(std::size_t free_failures) : free_failures_(free_failures) {}

  bool should_attempt() const {
    return failures_ <= free_failures_ || seen_ >= 2 * seen_at_failure_;
  }

  void succeed() { *this = Backoff(free_failures_); }
  void fail(std::size_t n) {
    seen_ += n;
    seen_at_failure_ = seen_;
    ++failures_;
  }
  // For n numbers without an attempt, or with one that neither succeeded nor failed.
  void skip(std::size_t n) { seen_ += n; }

 private:
  std::size_t free_failures_;
  std::size_t failures_ = 0;         // since the last success
  std::size_t seen_ = 0;             // numbers since the last success
  std::size_t seen_at_failure_ = 0;  // of these, up to the end of the last failure
};

class LookbackBackoff {
 public:
  bool should_attempt() const { return backoff_.should_attempt(); }

  void note(std::size_t n, LookbackResult result) {
    if (result == LookbackResult::kAccepted) {
      backoff_.succeed();
    } else if (result == LookbackResult::kWorse) {
      backoff_.fail(n);
    } else {
      backoff_.skip(n);
    }
  }
  void skip(std::size_t n) { backoff_.skip(n); }

 private:
  Backoff backoff_{0};
};

// For bases, deltas with weights and dictionaries, which are slow to estimate, but less so than
// Lookback.
class ModeBackoff {
 public:
  // of_run: what did well on the whole run.
  explicit ModeBackoff(const SegmentHints& of_run) : of_run_(of_run) {}

  // Hints for the next segment.
  SegmentHints hints() const {
    SegmentHints hints;
    hints.bases = bases_.should_attempt();
    hints.weights = of_run_.weights && weights_.should_attempt();
    hints.dict = of_run_.dict && dict_.should_attempt();
    return hints;
  }

  // chosen: the best choice without Lookback for a segment of n numbers with these hints.
  void note(std::size_t n, const SegmentHints& hints, const Choice& chosen) {
    const bool is_classic = std::holds_alternative<Classic>(chosen.mode);
    const bool is_dict = std::holds_alternative<Dict>(chosen.mode);
    note(n, hints.bases, !is_classic && !is_dict, bases_);
    note(n, hints.weights, has_weights(chosen.delta), weights_);
    note(n, hints.dict, is_dict, dict_);
  }

 private:
  static void note(std::size_t n, bool was_attempted, bool was_chosen, Backoff& backoff) {
    if (!was_attempted) {
      backoff.skip(n);
    } else if (was_chosen) {
      backoff.succeed();
    } else {
      backoff.fail(n);
    }
  }

  // Failures before the first skip. More cost encoding time on runs whose segments gain nothing;
  // fewer miss segments that would.
  static constexpr std::size_t kFreeFailures = 8;

  SegmentHints of_run_;
  Backoff bases_{kFreeFailures};
  Backoff weights_{kFreeFailures};
  Backoff dict_{kFreeFailures};
};

}  // namespace numpact::internal
