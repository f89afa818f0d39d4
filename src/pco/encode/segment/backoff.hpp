// SPDX-License-Identifier: Apache-2.0
// Parts of a run are much alike: what was tried for some of them in vain is tried for fewer of
// those that follow.
#ifndef NUMPACT_PCO_ENCODE_SEGMENT_BACKOFF_HPP
#define NUMPACT_PCO_ENCODE_SEGMENT_BACKOFF_HPP

#include <cstddef>
#include <variant>

#include "pco/encode/choice.hpp"

namespace numpact::standalone {

// Says which parts of a run are tried: all, but after a try that is lost, and more than so many
// before it, as many numbers are passed over as there were since the last that was won, or since
// the run began.
class Tries {
 public:
  explicit Tries(std::size_t free_losses) : free_losses_(free_losses) {}

  bool is_due() const { return losses_ <= free_losses_ || seen_ >= 2 * seen_at_loss_; }

  void won() { *this = Tries(free_losses_); }
  void lost(std::size_t n) {
    seen_ += n;
    seen_at_loss_ = seen_;
    ++losses_;
  }
  // Not tried, or neither won nor lost.
  void pass_over(std::size_t n) { seen_ += n; }

 private:
  std::size_t free_losses_;
  std::size_t losses_ = 0;        // since the last that was won, or the run began
  std::size_t seen_ = 0;          // numbers without a try that was won
  std::size_t seen_at_loss_ = 0;  // of these, up to the end of the last that was lost
};

class LookbackTries {
 public:
  bool is_due() const { return tries_.is_due(); }

  void note(std::size_t n, LookbackVerdict verdict) {
    if (verdict == LookbackVerdict::kTaken) {
      tries_.won();
    } else if (verdict == LookbackVerdict::kLost) {
      tries_.lost(n);
    } else {
      tries_.pass_over(n);
    }
  }
  void pass_over(std::size_t n) { tries_.pass_over(n); }

 private:
  Tries tries_{0};
};

// Modes and deltas that are costly to weigh, but less so than Lookback.
class WayTries {
 public:
  // of_run: what did well on all of the run.
  explicit WayTries(const ChooseHints& of_run) : of_run_(of_run) {}

  ChooseHints hints() const {
    ChooseHints hints;
    hints.bases = bases_.is_due();
    hints.conv1 = of_run_.conv1 && conv1_.is_due();
    hints.dict = of_run_.dict && dict_.is_due();
    return hints;
  }

  // chosen: without Lookback, by the hints.
  void note(std::size_t n, const ChooseHints& hints, const Choice& chosen) {
    const bool is_classic = std::holds_alternative<Classic>(chosen.mode);
    const bool is_dict = std::holds_alternative<Dict>(chosen.mode);
    note(n, hints.bases, !is_classic && !is_dict, bases_);
    note(n, hints.conv1, std::holds_alternative<Conv1>(chosen.delta), conv1_);
    note(n, hints.dict, is_dict, dict_);
  }

 private:
  static void note(std::size_t n, bool is_tried, bool is_won, Tries& tries) {
    if (!is_tried) {
      tries.pass_over(n);
    } else if (is_won) {
      tries.won();
    } else {
      tries.lost(n);
    }
  }

  static constexpr std::size_t kFreeLosses = 8;

  ChooseHints of_run_;
  Tries bases_{kFreeLosses};
  Tries conv1_{kFreeLosses};
  Tries dict_{kFreeLosses};
};

}  // namespace numpact::standalone

#endif
