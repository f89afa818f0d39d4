// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/segment/refine.hpp"

#include <algorithm>
#include <utility>

#include "pco/encode/chunk_encoder.hpp"
#include "pco/encode/segment/plan.hpp"
#include "pco/limits.hpp"
#include "pco/standalone/frame.hpp"

namespace numpact::standalone {
namespace {

// How much is tried, by level.
struct RefineEffort {
  // Numbers that may be encoded to try, for each number of the run; 0: nothing is tried.
  std::size_t share = 0;
  std::size_t split_rounds = 0;
  bool splits_anywhere = false;  // not in the middle only
  bool moves_cuts = false;

  static RefineEffort of_level(unsigned level) {
    if (level < 10) return {};
    if (level == 10) return {4, 2, false, false};
    if (level == 11) return {12, 8, true, false};
    return {32, 16, true, true};
  }
};

// What a change must save of the bytes that it concerns, and beside that.
constexpr std::uint64_t kLeastShare = 8192;
constexpr std::uint64_t kLeastBytes = 8;

// Cuts move by so many numbers, the farthest first.
constexpr std::size_t kSteps[] = {4096, 2048, 1024, 512};

struct Part {
  std::size_t begin = 0;
  std::size_t n = 0;
  std::uint64_t bytes = 0;
  std::uint64_t written = 0;  // bytes at the level asked for; 0: not known yet
  bool is_settled = false;    // no split of it saves

  std::size_t end() const { return begin + n; }
};

bool saves(std::uint64_t now, std::uint64_t before) {
  return now + before / kLeastShare + kLeastBytes < before;
}

class Refiner {
 public:
  Refiner(const NumberView& numbers, const EncodeConfig& config, const RefineEffort& effort,
          Arena& arena)
      : numbers_(numbers),
        config_(config),
        trying_(config),
        effort_(effort),
        left_(effort.share * numbers.count),
        parts_(arena.make<Part>(numbers.count / kMinCutN + 1)),
        others_(arena.make<Part>(parts_.size())),
        arena_(arena) {
    trying_.level = kTryingLevel;
  }

  std::span<const std::size_t> run(std::span<const std::size_t> sizes) {
    std::size_t begin = 0;
    for (const std::size_t n : sizes) {
      parts_[size_++] = part(begin, n);
      begin += n;
    }
    improve([this] {
      join_neighbours();
      std::size_t rounds = effort_.split_rounds;
      while (rounds > 0 && split_parts()) --rounds;
      join_neighbours();
    });
    if (effort_.moves_cuts) {
      improve([this] {
        for (const std::size_t step : kSteps) move_cuts(step);
        join_neighbours();
      });
    }
    const std::span<std::size_t> found = arena_.make<std::size_t>(size_);
    for (std::size_t i = 0; i < size_; ++i) found[i] = parts_[i].n;
    return found;
  }

 private:
  bool affords(std::size_t n) const { return n <= left_; }

  std::uint64_t bytes(std::size_t begin, std::size_t n, const EncodeConfig& config) {
    const ArenaScope scratch(arena_);
    NumberView view = numbers_;
    view.data = static_cast<const std::byte*>(numbers_.data) + begin * size_of(numbers_.type);
    view.count = n;
    return kChunkHeadBytes + encode_chunk(view, {&n, 1}, config, arena_).bytes();
  }

  Part part(std::size_t begin, std::size_t n) {
    left_ -= std::min(left_, n);
    return {begin, n, bytes(begin, n, trying_), 0, false};
  }

  // What `change` makes of the parts, but where it takes more when it is written: between cuts that
  // were there before and are after, the ones or the others.
  template <class F>
  void improve(F&& change) {
    const ArenaScope scratch(arena_);
    const std::span<Part> before = arena_.make<Part>(size_);
    std::copy_n(parts_.begin(), size_, before.begin());
    change();
    const std::span<Part> after = parts_.first(size_);
    std::size_t made = 0;
    for (std::size_t i = 0, k = 0; i < before.size();) {
      const std::size_t first_i = i++;
      const std::size_t first_k = k++;
      while (before[i - 1].end() != after[k - 1].end()) {
        before[i - 1].end() < after[k - 1].end() ? ++i : ++k;
      }
      std::span<Part> taken = after.subspan(first_k, k - first_k);
      const std::span<Part> other = before.subspan(first_i, i - first_i);
      if (taken.size() != other.size() || taken.size() > 1) {
        if (written_bytes(other) <= written_bytes(taken)) taken = other;
      }
      for (const Part& one : taken) others_[made++] = one;
    }
    std::swap(parts_, others_);
    size_ = made;
  }

  std::uint64_t written_bytes(std::span<Part> parts) {
    std::uint64_t sum = 0;
    for (Part& one : parts) {
      if (one.written == 0) one.written = std::min(one.bytes, bytes(one.begin, one.n, config_));
      sum += one.written;
    }
    return sum;
  }

  using Pair = std::pair<Part, Part>;
  static std::uint64_t bytes_of(const Pair& pair) { return pair.first.bytes + pair.second.bytes; }

  Pair pair(std::size_t begin, std::size_t cut, std::size_t end) {
    return {part(begin, cut - begin), part(cut, end - cut)};
  }

  void join_neighbours() {
    std::size_t joined = 0;
    for (std::size_t i = 1; i < size_; ++i) {
      Part& last = parts_[joined];
      const Part& next = parts_[i];
      if (affords(last.n + next.n)) {
        const Part both = part(last.begin, last.n + next.n);
        if (saves(both.bytes, last.bytes + next.bytes)) {
          last = both;
          continue;
        }
      }
      parts_[++joined] = next;
    }
    size_ = joined + 1;
  }

  // Splits each part in two where that saves. False if none was.
  bool split_parts() {
    std::size_t made = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      Part whole = parts_[i];
      Pair best{whole, {}};
      if (!whole.is_settled) find_split(whole, best);
      whole.is_settled = true;
      if (best.second.n == 0) {
        others_[made++] = whole;
      } else {
        others_[made++] = best.first;
        others_[made++] = best.second;
      }
    }
    const bool any = made != size_;
    std::swap(parts_, others_);
    size_ = made;
    return any;
  }

  void find_split(const Part& whole, Pair& best) {
    constexpr std::size_t kQuarters[] = {2, 1, 3};
    std::uint64_t least = whole.bytes;
    for (const std::size_t quarters : kQuarters) {
      const std::size_t first_n = whole.n / 4 * quarters / kBatchN * kBatchN;
      if (first_n < kMinCutN || whole.n - first_n < kMinCutN || !affords(whole.n)) continue;
      const Pair tried = pair(whole.begin, whole.begin + first_n, whole.end());
      if (saves(bytes_of(tried), whole.bytes) && bytes_of(tried) < least) {
        least = bytes_of(tried);
        best = tried;
      }
      if (!effort_.splits_anywhere) break;
    }
  }

  void move_cuts(std::size_t step) {
    for (std::size_t i = 1; i < size_; ++i) {
      const std::size_t cut = parts_[i].begin;
      const bool is_moved = step + kMinCutN <= parts_[i - 1].n && move_cut(i, cut - step);
      if (!is_moved && step + kMinCutN <= parts_[i].n) move_cut(i, cut + step);
    }
  }

  bool move_cut(std::size_t i, std::size_t cut) {
    Part& before = parts_[i - 1];
    Part& after = parts_[i];
    if (!affords(before.n + after.n)) return false;
    const Pair moved = pair(before.begin, cut, after.end());
    if (!saves(bytes_of(moved), before.bytes + after.bytes)) return false;
    before = moved.first;
    after = moved.second;
    return true;
  }

  const NumberView& numbers_;
  const EncodeConfig& config_;
  EncodeConfig trying_;
  RefineEffort effort_;
  std::size_t left_;  // numbers that may still be encoded to try
  std::span<Part> parts_;
  std::span<Part> others_;
  std::size_t size_ = 0;
  Arena& arena_;
};

}  // namespace

bool refines(const EncodeConfig& config) {
  return RefineEffort::of_level(config.level).share > 0 && !config.favor_decode_speed;
}

std::span<const std::size_t> refine_cuts(const NumberView& numbers,
                                         std::span<const std::size_t> sizes,
                                         const EncodeConfig& config, Arena& arena) {
  if (!refines(config) || numbers.count < 2 * kMinCutN) return sizes;
  return Refiner(numbers, config, RefineEffort::of_level(config.level), arena).run(sizes);
}

}  // namespace numpact::standalone
