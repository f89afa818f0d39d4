// SPDX-License-Identifier: Apache-2.0
// Where numbers change so much that chunks with metadata of their own pay.
#ifndef NUMPACT_PCO_ENCODE_SEGMENT_PLAN_HPP
#define NUMPACT_PCO_ENCODE_SEGMENT_PLAN_HPP

#include <array>
#include <span>

#include "pco/ans/bin.hpp"
#include "pco/encode/choice.hpp"
#include "pco/encode/segment/join.hpp"

namespace numpact {

// Chunks but the last have so many numbers at least.
inline constexpr std::size_t kMinCutN = std::size_t{1} << 10;

struct CutPlan {
  std::span<const std::size_t> sizes;  // of the chunks, adding up to the numbers; at least one
  float bits = 0;                      // a number, by estimate: of the primary variable
  float uncut_bits = 0;                // the same in one chunk
};

// Bins for all blocks under one delta, and how they lie in the tree.
struct BlockBins {
  Binning binning;  // with lowers only
  std::array<std::uint16_t, kCutLeaves> places;
};

// Looks twice, so that what else is to be tried can be tried between. What is found lives in the
// arena, and is that of the last call. Scratch memory lies there, too, from a first look that
// promises something on; the closer one gives it back, and all that was taken since.
class CutPlanner {
 public:
  // ordered: at least one number; outlives the planner. choice: the best without Lookback for all
  // of them in one chunk.
  CutPlanner(const LatentArray& ordered, const Choice& choice, unsigned level, Arena& arena);

  // The share of the bits that cuts save by a sample of the numbers; 0 if that is too little for a
  // closer look.
  float look_first();
  // After a first look that promised something.
  CutPlan look_closely();
  // Without a closer look, or where it found nothing: chunks as long as the reference's if the
  // first look says that they save anything, else one.
  CutPlan even() const;
  CutPlan uncut() const;

 private:
  // What was counted: how many latents, of which width, in runs of how many.
  struct Seen {
    std::size_t n = 0;
    unsigned bits = 0;
    std::size_t run_n = 0;
  };

  CutPlan plan_by_sample();
  CutPlan plan_even(std::span<const CutSegment> blocks, const Seen& seen);
  CutPlan plan_closely();
  std::span<CutSegment> make_blocks(std::size_t block_n);
  // Whether the closer look is at all numbers.
  bool looks_at_all() const;
  Seen count_piece(const LatentArray& piece, std::span<CutSegment> blocks, std::size_t block_n);
  CutCosts costs(const Seen& seen) const;
  // runs: as they were taken for the first look.
  bool other_delta_is_near(const LatentArray& runs) const;
  float uncut_bits(std::span<const CutSegment> blocks, const CutCosts& costs) const;
  // toll_bits: what a chunk must save.
  CutPlan join(std::span<CutSegment> blocks, const Seen& seen, float toll_bits) const;

  const LatentArray& ordered_;
  Choice choice_;
  unsigned level_;
  Arena& arena_;
  std::span<std::size_t> sizes_;
  Arena::Mark before_;
  std::array<BinTree, kCutDeltas> trees_;
  std::array<unsigned, kCutDeltas> orders_{};
  std::array<BlockBins, kCutDeltas> bins_;
  std::size_t deltas_ = kCutDeltas;             // how many are worth a look
  std::uint64_t random_ = 0x9e3779b97f4a7c15u;  // a fixed sequence
  CutPlan even_;                                // without sizes
};

}  // namespace numpact

#endif
