// SPDX-License-Identifier: Apache-2.0
// Cuts and looking back pull apart: what a chunk looks back to must lie within it. So Lookback over
// all numbers competes with the cut chunks, each of which may look back within itself.
#include "pco/wrapped/run_plan.hpp"

#include "pco/choose/cut.hpp"
#include "pco/choose/lookback_trial.hpp"
#include "pco/wrapped/chunk_encoder.hpp"

namespace numpact {
namespace {

// Chunks that save at least this share, before any of them looks back, may save more by doing so:
// only encoding them tells.
constexpr float kDeepCuts = 0.05f;

constexpr unsigned kFirstCuttingLevel = 4;

}  // namespace

RunPlan plan_run(const NumberView& numbers, const EncodeConfig& config, Arena& arena) {
  const std::span<std::size_t> whole = arena.make<std::size_t>(1);
  whole[0] = numbers.count;
  const RunPlan uncut{whole};
  if (config.level < kFirstCuttingLevel) return uncut;
  const LatentArray ordered = ordered_latents(numbers, arena);
  Choice choice = choose(numbers.type, ordered, 0, config, arena).all()[0];
  const CutPlan cuts = plan_cuts(ordered, choice, arena);
  if (cuts.sizes.size() == 1) return uncut;
  if (config.delta.kind() != DeltaSpec::Kind::kAuto) return {cuts.sizes};
  const float saved = cuts.uncut_bits - cuts.bits;
  const Sample sample = take_sample(ordered, usual_sample_n(ordered.n), arena);
  const bool may_change_mode = config.mode.kind() == ModeSpec::Kind::kAuto;
  const Trial trial{ordered.n, choice.bits - saved, may_change_mode};
  const float cut_bits = choice.bits - saved;
  if (!try_lookback(sample, ordered, trial, choice, arena)) return {cuts.sizes};
  if (saved < kDeepCuts * cut_bits) return uncut;
  return {cuts.sizes, static_cast<std::size_t>(choice.bits * static_cast<float>(ordered.n) / 8)};
}

}  // namespace numpact
