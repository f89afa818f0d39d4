// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/segment/join.hpp"

#include <cmath>

namespace numpact {
namespace {

class Joiner {
 public:
  Joiner(std::span<CutSegment> segments, const CutCosts& costs, Arena& arena)
      : segments_(segments), costs_(costs) {
    for (std::uint32_t*& counts : joined_) counts = arena.make<std::uint32_t>(kCutLeaves).data();
    for (CutSegment& segment : segments_) segment.cost = costs_.of(segment.counts);
  }

  // Neighbours in pairs, then those in pairs, and so on. Where little changes, that is most of it.
  void join_pairs() {
    for (bool any = true; any;) {
      any = false;
      std::size_t kept = 0;
      for (std::size_t i = 0; i < segments_.size(); ++i) {
        CutSegment& segment = segments_[kept++];
        segment = segments_[i];
        if (i + 1 == segments_.size()) break;
        weigh_joined(segment, segments_[i + 1]);
        if (segment.joined_cost >= segment.cost + segments_[i + 1].cost) continue;
        take(segment, segments_[i + 1]);
        any = true;
        ++i;
      }
      segments_ = segments_.first(kept);
    }
  }

  // The two that save most, until none do.
  void join_best() {
    for (std::size_t i = 0; i + 1 < segments_.size(); ++i) {
      weigh_joined(segments_[i], segments_[i + 1]);
    }
    while (segments_.size() > 1) {
      std::size_t best = 0;
      float best_gain = -HUGE_VALF;
      for (std::size_t i = 0; i + 1 < segments_.size(); ++i) {
        const float gain = segments_[i].cost + segments_[i + 1].cost - segments_[i].joined_cost;
        if (gain > best_gain) {
          best_gain = gain;
          best = i;
        }
      }
      if (best_gain < 0) return;
      join(best);
    }
  }

  std::span<CutSegment> segments() const { return segments_; }

 private:
  void weigh_joined(CutSegment& segment, const CutSegment& next) {
    for (std::size_t d = 0; d < costs_.trees.size(); ++d) {
      const std::uint32_t* const a = segment.counts[d];
      const std::uint32_t* const b = next.counts[d];
      std::uint32_t* const sum = joined_[d];
      const std::size_t leaves = costs_.trees[d].shape().leaves();
      for (std::size_t leaf = 0; leaf < leaves; ++leaf) sum[leaf] = a[leaf] + b[leaf];
    }
    segment.joined_cost = costs_.of(joined_);
  }
  // What joined_cost was weighed for.
  void take(CutSegment& segment, const CutSegment& next) const {
    for (std::size_t d = 0; d < costs_.trees.size(); ++d) {
      std::uint32_t* const to = segment.counts[d];
      const std::uint32_t* const from = next.counts[d];
      const std::size_t leaves = costs_.trees[d].shape().leaves();
      for (std::size_t leaf = 0; leaf < leaves; ++leaf) to[leaf] += from[leaf];
    }
    segment.n += next.n;
    segment.cost = segment.joined_cost;
  }
  void join(std::size_t i) {
    take(segments_[i], segments_[i + 1]);
    std::copy(segments_.begin() + static_cast<std::ptrdiff_t>(i) + 2, segments_.end(),
              segments_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    segments_ = segments_.first(segments_.size() - 1);
    if (i > 0) weigh_joined(segments_[i - 1], segments_[i]);
    if (i + 1 < segments_.size()) weigh_joined(segments_[i], segments_[i + 1]);
  }

  std::span<CutSegment> segments_;
  const CutCosts& costs_;
  CutCounts joined_{};
};

}  // namespace

std::span<CutSegment> join_segments(std::span<CutSegment> segments, const CutCosts& costs,
                                    Arena& arena) {
  const ArenaScope scratch(arena);
  Joiner joiner(segments, costs, arena);
  joiner.join_pairs();
  joiner.join_best();
  return joiner.segments();
}

}  // namespace numpact
