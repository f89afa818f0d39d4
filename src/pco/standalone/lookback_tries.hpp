// SPDX-License-Identifier: Apache-2.0
#ifndef NUMPACT_PCO_STANDALONE_LOOKBACK_TRIES_HPP
#define NUMPACT_PCO_STANDALONE_LOOKBACK_TRIES_HPP

#include <cstddef>

#include "pco/choose/choice.hpp"

namespace numpact::standalone {

// Says which parts of a run are tried with Lookback: all, but after a trial that is lost as many
// numbers are passed over as there were since the last that was taken, or since the run began.
class LookbackTries {
 public:
  bool is_due() const { return seen_ >= 2 * seen_at_loss_; }

  void note(std::size_t n, LookbackVerdict verdict) {
    seen_ += n;
    if (verdict == LookbackVerdict::kTaken) {
      *this = {};
    } else if (verdict == LookbackVerdict::kLost) {
      seen_at_loss_ = seen_;
    }
  }
  void pass_over(std::size_t n) { seen_ += n; }

 private:
  std::size_t seen_ = 0;          // numbers without a trial that was taken
  std::size_t seen_at_loss_ = 0;  // of these, up to the end of the last that was lost
};

}  // namespace numpact::standalone

#endif
