// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/race.hpp"

#include <algorithm>
#include <optional>

#include "base/tuned.hpp"
#include "pco/encode/modes/dict.hpp"
#include "pco/encode/segment/plan.hpp"
#include "pco/encode/session.hpp"

namespace numpact::internal {
namespace {

// Each segment may use Lookback within itself, which no plan of segments sees. So Lookback over the
// run rules out only those that save less than this share: the others are encoded, as far as they
// stay below the estimate of the single chunk.
NUMPACT_TUNED(float, kLargeSegmentSavingShare, 0.05f);

// The segments of a run as an alternative, if they may be one.
class Segments {
 public:
  Segments(const ChoiceSession& session, bool may_divide) {
    if (!may_divide || session.is_random()) return;
    planner_.emplace(session.ordered(), choice_for_segments(session), session.level().segments,
                     session.arena());
    plan_ = planner_->coarse_plan();
  }

  bool save_much() const { return plan_.saving() >= kLargeSegmentSavingShare; }
  // Their bits per number, if one chunk takes plain_bits. A plan's estimates are for a delta
  // encoding that may take far more bits than the chosen one, so only their ratio is used.
  float bits(float plain_bits) const { return (1 - plan_.saving()) * plain_bits; }
  // Makes the full plan, once.
  void refine() {
    if (planner_ && plan_.sizes.empty()) plan_ = planner_->plan();
  }
  const SegmentPlan& plan() const { return plan_; }

 private:
  std::optional<SegmentPlanner> planner_;
  SegmentPlan plan_;
};

}  // namespace

Choice choice_for_segments(const ChoiceSession& session) {
  const auto is_dict = [](const auto& one) { return std::holds_alternative<Dict>(one.mode); };
  const Choice& best = session.best();
  const auto all = session.estimates();
  const auto other = std::find_if_not(all.begin(), all.end(), is_dict);
  if (!is_dict(best) || other == all.end() || best.bits < kClearDictRatio * other->bits) {
    return best;
  }
  Choice choice;
  choice.mode = other->mode;
  choice.delta = other->delta;
  choice.bits = other->bits;
  return choice;
}

RunPlan plan_run(ChoiceSession& session, const RunAlternatives& alternatives) {
  session.choose_plain();
  const Choice plain = session.best();
  Segments segments(session, alternatives.segments);
  // What leads is refined first.
  if (segments.save_much()) segments.refine();
  RunPlan plan;
  if (alternatives.lookback) session.add_lookback(segments.bits(plain.bits));
  const bool is_decided = session.uses_lookback() && !segments.save_much();
  if (!is_decided) segments.refine();
  plan.is_single = is_decided || segments.plan().sizes.size() <= 1;
  plan.sizes = segments.plan().sizes;
  plan.plain_bits = plain.size_bits();
  plan.single = session.estimate_of(session.best());
  if (segments.plan().saving() > 0) {
    const float bits = segments.bits(plain.bits);
    plan.segments = {bits, segments.plan().required_share * bits};
  }
  return plan;
}

}  // namespace numpact::internal
