// SPDX-License-Identifier: Apache-2.0
// Improves a plan of segments by encoding them: joins neighbours, splits segments, moves boundaries
// (docs/decisions.md, 14).
#include "pco/encode/segment/refine.hpp"

#include <algorithm>
#include <utility>

#include "pco/encode/chunk_encoder.hpp"
#include "pco/encode/segment/plan.hpp"
#include "pco/levels.hpp"
#include "pco/limits.hpp"
#include "pco/standalone/frame.hpp"

namespace numpact::internal {
namespace {

using standalone::kChunkHeadBytes;

// A change must save more than 1 / kMinRefineSavingOneByteIn of the bytes of the segments that it
// replaces, plus kMinRefineSavingBytes. Smaller savings may be lost at the level that is written.
constexpr std::uint64_t kMinRefineSavingOneByteIn = 8192;
constexpr std::uint64_t kMinRefineSavingBytes = 8;

// Distances in numbers by which boundaries are moved, the largest first.
constexpr std::size_t kBoundarySteps[] = {4096, 2048, 1024, 512};

struct SizedSegment {
  std::size_t begin = 0;
  std::size_t n = 0;
  std::uint64_t bytes = 0;  // at kRefineLevel
  std::uint64_t written_bytes =
      0;  // the smaller of kRefineLevel's and the requested level's; 0: unknown
  bool is_unsplittable = false;  // no split of it saves enough

  std::size_t end() const { return begin + n; }
};

bool saves(std::uint64_t now, std::uint64_t before) {
  return now + before / kMinRefineSavingOneByteIn + kMinRefineSavingBytes < before;
}

class Refiner {
 public:
  Refiner(const NumberView& numbers, const EncodeConfig& config, const RefineLevel& effort,
          Arena& arena)
      : numbers_(numbers),
        config_(config),
        attempt_config_(config),
        effort_(effort),
        remaining_n_(effort.encoded_per_number * numbers.count),
        segments_(arena.make<SizedSegment>(numbers.count / kMinSegmentN + 1)),
        other_segments_(arena.make<SizedSegment>(segments_.size())),
        arena_(arena) {
    attempt_config_.level = kRefineLevel;
  }

  std::span<const std::size_t> run(std::span<const std::size_t> sizes) {
    std::size_t begin = 0;
    for (const std::size_t n : sizes) {
      segments_[size_++] = attempt(begin, n);
      begin += n;
    }
    improve([this] {
      join_neighbours();
      std::size_t rounds = effort_.rounds;
      while (rounds > 0 && split_segments()) --rounds;
      join_neighbours();
    });
    if (effort_.moves_boundaries) {
      improve([this] {
        for (const std::size_t step : kBoundarySteps) move_boundaries(step);
        join_neighbours();
      });
    }
    const std::span<std::size_t> sizes_found = arena_.make<std::size_t>(size_);
    for (std::size_t i = 0; i < size_; ++i) sizes_found[i] = segments_[i].n;
    return sizes_found;
  }

 private:
  bool can_afford(std::size_t n) const { return n <= remaining_n_; }

  std::uint64_t bytes(std::size_t begin, std::size_t n, const EncodeConfig& config) {
    const ArenaScope scratch(arena_);
    NumberView view = numbers_;
    view.data = static_cast<const std::byte*>(numbers_.data) + begin * size_of(numbers_.type);
    view.count = n;
    return kChunkHeadBytes + encode_chunk(view, {&n, 1}, config, arena_).bytes();
  }

  // Encodes a segment as an attempt.
  SizedSegment attempt(std::size_t begin, std::size_t n) {
    remaining_n_ -= std::min(remaining_n_, n);
    return {begin, n, bytes(begin, n, attempt_config_), 0, false};
  }

  // Applies a change to the segments, and then undoes it wherever the segments as
  // written do not become smaller. Old and new segments are compared between the boundaries that
  // they share:
  //
  //   before   |   A   |   B   |   C   |
  //   after    |       D       | E | F |     compares A + B with D, and C with E + F
  template <class F>
  void improve(F&& change) {
    const ArenaScope scratch(arena_);
    const std::span<SizedSegment> before = arena_.make<SizedSegment>(size_);
    std::copy_n(segments_.begin(), size_, before.begin());
    change();
    const std::span<SizedSegment> after = segments_.first(size_);
    std::size_t count = 0;
    for (std::size_t i = 0, k = 0; i < before.size();) {
      const std::size_t first_i = i++;
      const std::size_t first_k = k++;
      while (before[i - 1].end() != after[k - 1].end()) {
        before[i - 1].end() < after[k - 1].end() ? ++i : ++k;
      }
      std::span<SizedSegment> chosen = after.subspan(first_k, k - first_k);
      const std::span<SizedSegment> other = before.subspan(first_i, i - first_i);
      if (chosen.size() != other.size() || chosen.size() > 1) {
        if (total_written(other) <= total_written(chosen)) chosen = other;
      }
      for (const SizedSegment& one : chosen) other_segments_[count++] = one;
    }
    std::swap(segments_, other_segments_);
    size_ = count;
  }

  std::uint64_t total_written(std::span<SizedSegment> segments) {
    std::uint64_t sum = 0;
    for (SizedSegment& one : segments) {
      if (one.written_bytes == 0) {
        one.written_bytes = std::min(one.bytes, bytes(one.begin, one.n, config_));
      }
      sum += one.written_bytes;
    }
    return sum;
  }

  using Pair = std::pair<SizedSegment, SizedSegment>;
  static std::uint64_t bytes_of(const Pair& pair) { return pair.first.bytes + pair.second.bytes; }

  Pair pair(std::size_t begin, std::size_t boundary, std::size_t end) {
    return {attempt(begin, boundary - begin), attempt(boundary, end - boundary)};
  }

  void join_neighbours() {
    std::size_t joined = 0;
    for (std::size_t i = 1; i < size_; ++i) {
      SizedSegment& last = segments_[joined];
      const SizedSegment& next = segments_[i];
      if (can_afford(last.n + next.n)) {
        const SizedSegment both = attempt(last.begin, last.n + next.n);
        if (saves(both.bytes, last.bytes + next.bytes)) {
          last = both;
          continue;
        }
      }
      segments_[++joined] = next;
    }
    size_ = joined + 1;
  }

  // Splits each segment in two where that saves. False if none was split.
  bool split_segments() {
    std::size_t count = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      SizedSegment whole = segments_[i];
      Pair best{whole, {}};
      if (!whole.is_unsplittable) find_split(whole, best);
      whole.is_unsplittable = true;
      if (best.second.n == 0) {
        other_segments_[count++] = whole;
      } else {
        other_segments_[count++] = best.first;
        other_segments_[count++] = best.second;
      }
    }
    const bool any = count != size_;
    std::swap(segments_, other_segments_);
    size_ = count;
    return any;
  }

  void find_split(const SizedSegment& whole, Pair& best) {
    // In quarters of the segment, the middle first.
    constexpr std::size_t kQuarters[] = {2, 1, 3};
    std::uint64_t min_bytes = whole.bytes;
    for (const std::size_t quarters : kQuarters) {
      const std::size_t first_n = whole.n / 4 * quarters / kBatchN * kBatchN;
      if (first_n < kMinSegmentN || whole.n - first_n < kMinSegmentN || !can_afford(whole.n))
        continue;
      const Pair split = pair(whole.begin, whole.begin + first_n, whole.end());
      if (saves(bytes_of(split), whole.bytes) && bytes_of(split) < min_bytes) {
        min_bytes = bytes_of(split);
        best = split;
      }
      if (!effort_.splits_at_quarters) break;
    }
  }

  void move_boundaries(std::size_t step) {
    for (std::size_t i = 1; i < size_; ++i) {
      const std::size_t boundary = segments_[i].begin;
      const bool is_moved =
          step + kMinSegmentN <= segments_[i - 1].n && move_boundary(i, boundary - step);
      if (!is_moved && step + kMinSegmentN <= segments_[i].n) move_boundary(i, boundary + step);
    }
  }

  bool move_boundary(std::size_t i, std::size_t boundary) {
    SizedSegment& before = segments_[i - 1];
    SizedSegment& after = segments_[i];
    if (!can_afford(before.n + after.n)) return false;
    const Pair moved = pair(before.begin, boundary, after.end());
    if (!saves(bytes_of(moved), before.bytes + after.bytes)) return false;
    before = moved.first;
    after = moved.second;
    return true;
  }

  const NumberView& numbers_;
  const EncodeConfig& config_;
  EncodeConfig attempt_config_;
  RefineLevel effort_;
  std::size_t remaining_n_;  // numbers that may still be encoded for attempts
  std::span<SizedSegment> segments_;
  std::span<SizedSegment> other_segments_;
  std::size_t size_ = 0;
  Arena& arena_;
};

}  // namespace

bool refines_segments(const EncodeConfig& config) {
  return level_row(config.level).refine.encoded_per_number > 0 && decode_weight(config) == 0;
}

std::span<const std::size_t> refine_segments(const NumberView& numbers,
                                             std::span<const std::size_t> sizes,
                                             const EncodeConfig& config, Arena& arena) {
  if (!refines_segments(config) || numbers.count < 2 * kMinSegmentN) return sizes;
  return Refiner(numbers, config, level_row(config.level).refine, arena).run(sizes);
}

}  // namespace numpact::internal
