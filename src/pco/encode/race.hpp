// SPDX-License-Identifier: Apache-2.0
// The race of the alternatives for a run of numbers: one chunk, one chunk with Lookback, and
// segments. Each has an estimate that can be refined at a price. What others beat by more than the
// errors of the estimates is not refined (docs/decisions.md, 11).
#pragma once

#include <cmath>
#include <span>

#include "pco/encode/choice.hpp"
#include "pco/encode/choice_log.hpp"

namespace numpact::internal {

class ChoiceSession;

// The alternatives that take part, in addition to a chunk without Lookback.
struct RunAlternatives {
  bool segments;
  bool lookback = true;
};

// The least of the alternatives by the estimates.
struct RunPlan {
  bool is_single = true;               // one chunk, encoded by the session's choices
  std::span<const std::size_t> sizes;  // numbers in each segment, if it is none
  std::size_t max_bytes = SIZE_MAX;    // that the segments may take
  float plain_bits = 0;                // of one chunk without Lookback, without a price of decoding
  BitsEstimate single;                 // of one chunk
  BitsEstimate segments{HUGE_VALF, 0};  // infinite: they are no alternative, or save too little
};

// By which segments are planned: the best choice, or the best one without a dictionary if that is
// about as good, since a dictionary does not pay for itself in each segment. After choose_plain().
Choice choice_for_segments(const ChoiceSession& session);

// Makes the choices of a new session for its numbers as one chunk, and plans segments. Sizes are in
// the session's arena.
RunPlan plan_run(ChoiceSession& session, const RunAlternatives& alternatives);

}  // namespace numpact::internal
