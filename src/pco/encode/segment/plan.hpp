// SPDX-License-Identifier: Apache-2.0
// Plans where a run of numbers is divided into segments, each of which becomes a chunk with its own
// metadata.
#pragma once

#include <array>
#include <span>

#include "number/latent_array.hpp"
#include "pco/ans/bin.hpp"
#include "pco/encode/choice.hpp"
#include "pco/encode/segment/join.hpp"
#include "pco/levels.hpp"

namespace numpact::internal {

// The fewest numbers of a segment. Shorter ones save less than their metadata and tables cost.
inline constexpr std::size_t kMinSegmentN = std::size_t{1} << 10;

struct SegmentPlan {
  std::span<const std::size_t> sizes;  // numbers in each segment, at least one segment
  float bits = 0;                      // estimate per number, of the primary variable
  float single_bits = 0;               // the same estimate for a single chunk
  float required_share = 0;            // that it had to save: the error that is allowed for

  // The share of the bits that segments save.
  float saving() const { return single_bits > 0 ? 1 - bits / single_bits : 0; }
};

// The bins that all blocks share under one delta encoding, and where they are in the tree.
struct BlockBins {
  Binning binning;  // lower bounds only
  std::array<std::uint16_t, kMaxTreeLeaves> leaves;
};

// Makes a coarse plan first and a full one on request, so that the caller can evaluate alternatives
// between them. Plans are allocated in the arena; each call overwrites the last plan. After a
// coarse plan that predicts a saving, scratch memory stays in the arena until the full plan
// releases it, together with everything that was allocated since.
class SegmentPlanner {
 public:
  // ordered: at least one number; must outlive the planner. choice: the best one without Lookback
  // for all numbers in a single chunk.
  SegmentPlanner(const LatentArray& ordered, const Choice& choice, const SegmentLevel& level,
                 Arena& arena);

  // An estimate from a sample, without sizes. It saves nothing if it is not worth a full plan.
  SegmentPlan coarse_plan();
  // After coarse_plan(): the full plan, if that predicted a saving. If it saves too little,
  // segments of equal size, about as long as the reference encoder's chunks, if these save a
  // little; or else a single one.
  SegmentPlan plan();

 private:
  // The share that a full plan must save to be used, and a coarse plan for a full one to be made.
  float min_saving() const;
  float min_coarse_saving() const;

  // The number of latents that were counted, their bit width, and the length of their runs.
  struct Counted {
    std::size_t n = 0;
    unsigned bits = 0;
    std::size_t run_n = 0;
  };

  SegmentPlan sampled_plan();
  SegmentPlan plan_even() const;
  SegmentPlan estimate_even(std::span<const CountedSegment> blocks, const Counted& counted);
  SegmentPlan full_plan();
  std::span<CountedSegment> make_blocks(std::size_t block_n);
  // Whether the full plan counts all numbers.
  bool counts_all() const;
  Counted count_slice(const LatentArray& slice, std::span<CountedSegment> blocks,
                      std::size_t block_n);
  SegmentCosts costs(const Counted& counted) const;
  // runs: those of the coarse plan.
  bool other_delta_is_near(const LatentArray& runs) const;
  float single_bits(std::span<const CountedSegment> blocks, const SegmentCosts& costs) const;
  // penalty_bits: what each segment must save beyond its metadata.
  SegmentPlan join(std::span<CountedSegment> blocks, const Counted& counted,
                   float penalty_bits) const;

  const LatentArray& ordered_;
  Choice choice_;
  const SegmentLevel& level_;
  Arena& arena_;
  std::span<std::size_t> sizes_;
  Arena::Mark before_;
  std::array<BinTree, kSegmentDeltas> trees_;
  std::array<unsigned, kSegmentDeltas> orders_{};
  std::array<BlockBins, kSegmentDeltas> bins_;
  std::size_t deltas_ = kSegmentDeltas;         // how many delta encodings are counted
  std::uint64_t random_ = 0x9e3779b97f4a7c15u;  // state of a fixed pseudorandom sequence
  SegmentPlan even_;                            // without sizes
  bool needs_full_plan_ = false;                // the coarse plan predicts a saving
};

}  // namespace numpact::internal
