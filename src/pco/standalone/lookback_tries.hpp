// SPDX-License-Identifier: Apache-2.0
#ifndef NUMPACT_PCO_STANDALONE_LOOKBACK_TRIES_HPP
#define NUMPACT_PCO_STANDALONE_LOOKBACK_TRIES_HPP

#include <cstddef>

#include "pco/choose/choice.hpp"

namespace numpact::standalone {

// Says which parts of a run are tried with Lookback: all, but where the trials are in vain one
// after the other, as many numbers again are passed over before the next.
class LookbackTries {
 public:
  bool is_due() const { return lost_ < kPatience || seen_ >= 2 * seen_at_loss_; }

  void note(std::size_t n, LookbackVerdict verdict) {
    seen_ += n;
    if (verdict == LookbackVerdict::kTaken) {
      *this = {};
    } else if (verdict == LookbackVerdict::kLost) {
      ++lost_;
      seen_at_loss_ = seen_;
    }
  }
  void pass_over(std::size_t n) { seen_ += n; }

 private:
  static constexpr std::size_t kPatience = 2;

  std::size_t lost_ = 0;          // without one that was taken
  std::size_t seen_ = 0;          // numbers meanwhile
  std::size_t seen_at_loss_ = 0;  // of these, up to the end of the last that was lost
};

}  // namespace numpact::standalone

#endif
