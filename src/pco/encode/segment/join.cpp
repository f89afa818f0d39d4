// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/segment/join.hpp"

#include <cmath>

namespace numpact::internal {
namespace {

class Joiner {
 public:
  Joiner(std::span<CountedSegment> segments, const SegmentCosts& costs, Arena& arena)
      : segments_(segments), costs_(costs) {
    for (std::uint32_t*& counts : joined_)
      counts = arena.make<std::uint32_t>(kMaxTreeLeaves).data();
    for (CountedSegment& segment : segments_) segment.cost = costs_.of(segment.counts);
  }

  // Joins neighbours in pairs, then the results in pairs, and so on. Where little changes, this
  // does most of the work in linear time.
  void join_pairs() {
    for (bool any = true; any;) {
      any = false;
      std::size_t kept = 0;
      for (std::size_t i = 0; i < segments_.size(); ++i) {
        CountedSegment& segment = segments_[kept++];
        segment = segments_[i];
        if (i + 1 == segments_.size()) break;
        estimate_joined(segment, segments_[i + 1]);
        if (segment.joined_cost >= segment.cost + segments_[i + 1].cost) continue;
        take(segment, segments_[i + 1]);
        any = true;
        ++i;
      }
      segments_ = segments_.first(kept);
    }
  }

  // Joins the two neighbours that save most, until none do. Takes time that grows with the square
  // of the segments.
  void join_best() {
    for (std::size_t i = 0; i + 1 < segments_.size(); ++i) {
      estimate_joined(segments_[i], segments_[i + 1]);
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

  std::span<CountedSegment> segments() const { return segments_; }

 private:
  void estimate_joined(CountedSegment& segment, const CountedSegment& next) {
    for (std::size_t d = 0; d < costs_.trees.size(); ++d) {
      const std::uint32_t* const a = segment.counts[d];
      const std::uint32_t* const b = next.counts[d];
      std::uint32_t* const sum = joined_[d];
      const std::size_t leaves = costs_.trees[d].shape().leaves();
      for (std::size_t leaf = 0; leaf < leaves; ++leaf) sum[leaf] = a[leaf] + b[leaf];
    }
    segment.joined_cost = costs_.of(joined_);
  }
  // Joins the next segment into this one, whose joined_cost is up to date.
  void take(CountedSegment& segment, const CountedSegment& next) const {
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
    if (i > 0) estimate_joined(segments_[i - 1], segments_[i]);
    if (i + 1 < segments_.size()) estimate_joined(segments_[i], segments_[i + 1]);
  }

  std::span<CountedSegment> segments_;
  const SegmentCosts& costs_;
  LeafCounts joined_{};
};

}  // namespace

std::span<CountedSegment> join_segments(std::span<CountedSegment> segments,
                                        const SegmentCosts& costs, Arena& arena) {
  const ArenaScope scratch(arena);
  Joiner joiner(segments, costs, arena);
  joiner.join_pairs();
  joiner.join_best();
  return joiner.segments();
}

}  // namespace numpact::internal
