// SPDX-License-Identifier: Apache-2.0
// The distinct values of latents with their counts.
#pragma once

#include <algorithm>
#include <array>

#include "pco/stats/constant_blocks.hpp"
#include "pco/stats/histogram.hpp"
#include "pco/stats/known_values.hpp"
#include "pco/stats/nonzero.hpp"
#include "pco/stats/run_starts.hpp"
#include "pco/stats/sort.hpp"

namespace numpact::internal {

// Largest ranges of values that are counted in eight and in four tables: the tables together (8 KiB
// and 32 KiB) fit the L1 cache. More tables avoid more waits for a counter that was just
// incremented.
inline constexpr std::size_t kEightTablesMaxRange = std::size_t{1} << 8;
inline constexpr std::size_t kFourTablesMaxRange = std::size_t{1} << 11;
// Most distinct values that are counted by hashing: the slots of wide latents take up to 64 KiB.
inline constexpr std::size_t kMaxHashedValuesN = std::size_t{1} << 10;

// The distinct latents in ascending order and their counts. Methods, by the data: a table over a
// narrow range, a hash table for few distinct values, a sorted copy, or counts of values that are
// known in advance with a sorted copy of the rest.
template <Latent L>
class ValueCounts {
 public:
  // range: the range of `latents`.
  ValueCounts(std::span<const L> latents, const Range<L>& range, Arena& arena)
      : lower_(range.lower) {
    const std::uint64_t width = std::uint64_t{range.upper} - range.lower;
    if (width < kMaxCountedRange && width < 8 * std::uint64_t{latents.size()}) {
      count_by_value(latents, static_cast<std::size_t>(width) + 1, arena);
    } else if (!count_by_hash(latents, arena)) {
      take_sorted(sorted_copy(latents, range.lower, range.upper, arena), arena);
    }
  }

  // values: ascending, distinct, at least 1; most latents should be among them. frequent, indices:
  // see count_known.
  ValueCounts(std::span<const L> latents, const Range<L>& range, std::span<const L> values,
              std::size_t frequent, std::uint16_t* indices, Arena& arena)
      : lower_(range.lower) {
    const std::span<L> rest = arena.make<L>(latents.size());
    const std::span<std::uint32_t> counts = arena.make<std::uint32_t>(values.size());
    unmatched_n_ = count_known(latents, values, frequent, counts, indices, rest.data(), arena);
    if (unmatched_n_ > 0) {
      const std::span<const L> unmatched = rest.first(unmatched_n_);
      take_sorted(sorted_copy(unmatched, range.lower, range.upper, arena), arena);
    }
    merge(values, counts, arena);
  }

  std::span<const L> values() const { return values_; }
  std::span<const std::uint32_t> counts() const { return counts_; }
  // The count of latents that are not among the values given to the constructor.
  std::size_t unmatched_n() const { return unmatched_n_; }

 private:
  void take_sorted(std::span<const L> sorted, Arena& arena) {
    const std::size_t n = sorted.size();
    const std::span<L> values = arena.make<L>(n + kRunStartsSlackN);
    const std::span<std::uint32_t> starts = arena.make<std::uint32_t>(n + kRunStartsSlackN);
    std::size_t size = 1;
    if constexpr (sizeof(L) >= 4) {
      size = run_starts(sorted, values.data(), starts.data());
    } else {
      values[0] = sorted[0];
      starts[0] = 0;
      for (std::size_t i = 1; i < n; ++i) {
        values[size] = sorted[i];
        starts[size] = static_cast<std::uint32_t>(i);
        size += sorted[i] != sorted[i - 1] ? 1 : 0;
      }
    }
    starts[size] = static_cast<std::uint32_t>(n);
    for (std::size_t i = 0; i < size; ++i) starts[i] = starts[i + 1] - starts[i];
    values_ = values.first(size);
    counts_ = starts.first(size);
  }

  // Merges the known values into those of the rest. The two sets are disjoint.
  void merge(std::span<const L> known, std::span<const std::uint32_t> known_counts, Arena& arena) {
    const std::span<L> values = arena.make<L>(known.size() + values_.size());
    const std::span<std::uint32_t> counts = arena.make<std::uint32_t>(values.size());
    std::size_t size = 0;
    const auto add = [&](L value, std::uint32_t count) {
      values[size] = value;
      counts[size] = count;
      size += count > 0 ? 1 : 0;
    };
    std::size_t i = 0;
    for (std::size_t rest = 0; rest < values_.size(); ++rest) {
      for (; i < known.size() && known[i] < values_[rest]; ++i) add(known[i], known_counts[i]);
      add(values_[rest], counts_[rest]);
    }
    for (; i < known.size(); ++i) add(known[i], known_counts[i]);
    values_ = values.first(size);
    counts_ = counts.first(size);
  }

  void count_by_value(std::span<const L> latents, std::size_t range, Arena& arena) {
    const std::span<std::uint32_t> table = arena.make<std::uint32_t>(range);
    {
      const ArenaScope scratch(arena);
      if (range <= kEightTablesMaxRange && latents.size() >= 16 * range) {
        count_in_tables<8>(latents, table, arena);
      } else if (range <= kFourTablesMaxRange && latents.size() >= 4 * range) {
        count_in_tables<4>(latents, table, arena);
      } else if (latents.size() >= range) {
        count_in_tables<2>(latents, table, arena);
      } else {
        count_in_tables<1>(latents, table, arena);
      }
    }
    const std::span<L> values = arena.make<L>(range + kNonzeroSlackN);
    const std::size_t size = take_nonzero<L>(table, lower_, values.data());
    values_ = values.first(size);
    counts_ = table.first(size);
  }

  // Uses the tables in turn, so that the increments for a run do not wait for each other.
  template <std::size_t kTables>
  void count_in_tables(std::span<const L> latents, std::span<std::uint32_t> counts, Arena& arena) {
    std::array<std::span<std::uint32_t>, kTables> tables;
    tables[0] = counts;
    for (std::size_t t = 1; t < kTables; ++t) tables[t] = arena.make<std::uint32_t>(counts.size());
    std::array<std::uint32_t*, kTables> at;
    for (std::size_t t = 0; t < kTables; ++t) {
      std::fill(tables[t].begin(), tables[t].end(), 0);
      at[t] = tables[t].data();
    }
    const auto count_varied = [&](std::size_t begin, std::size_t end) {
      const std::span<const L> block = latents.subspan(begin, end - begin);
      if (lower_ == 0) {
        count_from(std::integral_constant<L, 0>(), block, at);
      } else {
        count_from(lower_, block, at);
      }
    };
    const auto count_constant = [&](std::size_t begin, std::size_t end) {
      const auto value = static_cast<L>(latents[begin] - lower_);
      counts[static_cast<std::size_t>(value)] += static_cast<std::uint32_t>(end - begin);
    };
    const ConstantBlocks blocks(latents, arena);
    if (blocks.constant_n() > latents.size() / 2) {
      blocks.each(1, count_varied, count_constant);
    } else {
      count_varied(0, latents.size());
    }
    for (std::size_t t = 1; t < kTables; ++t) {
      for (std::size_t value = 0; value < counts.size(); ++value) counts[value] += at[t][value];
    }
  }

  template <std::size_t kTables, class Lower>
  static void count_from(Lower lower, std::span<const L> latents,
                         const std::array<std::uint32_t*, kTables>& tables) {
    const L* const all = latents.data();
    const std::size_t n = latents.size();
    std::size_t i = 0;
    for (; i + kTables <= n; i += kTables) {
      for (std::size_t t = 0; t < kTables; ++t) ++tables[t][static_cast<L>(all[i + t] - lower)];
    }
    for (; i < n; ++i) ++tables[0][static_cast<L>(all[i] - lower)];
  }

  struct Slot {
    L value;
    std::uint32_t count;
  };

  // False if there are too many distinct latents.
  bool count_by_hash(std::span<const L> latents, Arena& arena) {
    const std::size_t max_distinct = std::min(kMaxHashedValuesN, latents.size() / 16);
    const unsigned slot_log = static_cast<unsigned>(std::bit_width(max_distinct)) + 1;
    const std::span<Slot> slots = arena.make<Slot>(std::size_t{1} << slot_log);
    std::fill(slots.begin(), slots.end(), Slot{0, 0});
    std::size_t distinct = 0;
    const auto count = [slots, slot_log, &distinct](L latent, std::uint32_t times) {
      std::size_t at = static_cast<std::size_t>((std::uint64_t{latent} * 0x9e3779b97f4a7c15u) >>
                                                (64 - slot_log));
      while (slots[at].count != 0 && slots[at].value != latent) at = (at + 1) & (slots.size() - 1);
      Slot& slot = slots[at];
      if (slot.count == 0) {
        slot.value = latent;
        ++distinct;
      }
      slot.count += times;
    };
    const auto count_varied = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end && distinct <= max_distinct; ++i) count(latents[i], 1);
    };
    // Long runs are counted at once: their increments would wait for each other.
    const ConstantBlocks blocks(latents, arena);
    if (blocks.constant_n() > latents.size() / 4) {
      blocks.each(1, count_varied, [&](std::size_t begin, std::size_t end) {
        if (distinct <= max_distinct)
          count(latents[begin], static_cast<std::uint32_t>(end - begin));
      });
    } else {
      count_varied(0, latents.size());
    }
    if (distinct > max_distinct) return false;
    std::size_t size = 0;
    for (const Slot slot : slots) {
      slots[size] = slot;
      size += slot.count > 0 ? 1 : 0;
    }
    std::sort(slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(size),
              [](const Slot& one, const Slot& other) { return one.value < other.value; });
    const std::span<L> values = arena.make<L>(size);
    const std::span<std::uint32_t> counts = arena.make<std::uint32_t>(size);
    for (std::size_t i = 0; i < size; ++i) {
      values[i] = slots[i].value;
      counts[i] = slots[i].count;
    }
    values_ = values;
    counts_ = counts;
    return true;
  }

  L lower_;
  std::size_t unmatched_n_ = 0;
  std::span<const L> values_;
  std::span<const std::uint32_t> counts_;
};

}  // namespace numpact::internal
