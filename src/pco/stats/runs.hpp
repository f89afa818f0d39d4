// SPDX-License-Identifier: Apache-2.0
// The distinct values among latents, and how often each occurs.
#ifndef NUMPACT_PCO_STATS_RUNS_HPP
#define NUMPACT_PCO_STATS_RUNS_HPP

#include <algorithm>
#include <array>

#include "pco/stats/histogram.hpp"
#include "pco/stats/sort.hpp"

namespace numpact {

// Up to so many different values, several tables of counts fit the nearest cache.
inline constexpr std::size_t kNarrowRange = std::size_t{1} << 11;
// Different values that are counted by hashing.
inline constexpr std::size_t kMostFew = std::size_t{1} << 10;

// Calls f(value, count) for each distinct latent in ascending order. Three ways to know them: a
// count for each value of a narrow range, a hash table where there are few, or a sorted copy.
template <Latent L>
class Runs {
 public:
  // range: that of the latents.
  Runs(std::span<const L> latents, const Range<L>& range, Arena& arena) : range_(range) {
    const std::uint64_t width = std::uint64_t{range_.upper} - range_.lower;
    if (width < kCountableRange && width < 4 * std::uint64_t{latents.size()}) {
      count_values(latents, static_cast<std::size_t>(width) + 1, arena);
    } else if (!count_few(latents, arena)) {
      sorted_ = sorted_copy(latents, range_.lower, range_.upper, arena);
    }
  }

  template <class F>
  void each(F&& f) const {
    if (!few_.empty()) {
      for (const Slot& slot : few_) f(slot.value, slot.count);
      return;
    }
    if (!counts_.empty()) {
      for (std::size_t i = 0; i < counts_.size(); ++i) {
        if (counts_[i] != 0) f(static_cast<L>(range_.lower + i), counts_[i]);
      }
      return;
    }
    const std::size_t n = sorted_.size();
    for (std::size_t i = 0; i < n;) {
      const L value = sorted_[i];
      std::size_t end = i + 1;
      while (end < n && sorted_[end] == value) ++end;
      f(value, static_cast<std::uint32_t>(end - i));
      i = end;
    }
  }

 private:
  void count_values(std::span<const L> latents, std::size_t size, Arena& arena) {
    const std::span<std::uint32_t> counts = arena.make<std::uint32_t>(size);
    const ArenaScope scratch(arena);
    if (size <= kNarrowRange && latents.size() >= 4 * size) {
      count_in_tables<4>(latents, counts, arena);
    } else {
      count_in_tables<2>(latents, counts, arena);
    }
    counts_ = counts;
  }

  // Several tables, so that runs of one value don't wait for their own counter.
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
    const L lower = range_.lower;
    const L* const all = latents.data();
    const std::size_t n = latents.size();
    std::size_t i = 0;
    for (; i + kTables <= n; i += kTables) {
      for (std::size_t t = 0; t < kTables; ++t) ++at[t][static_cast<L>(all[i + t] - lower)];
    }
    for (; i < n; ++i) ++at[0][static_cast<L>(all[i] - lower)];
    for (std::size_t t = 1; t < kTables; ++t) {
      for (std::size_t value = 0; value < counts.size(); ++value) counts[value] += at[t][value];
    }
  }

  struct Slot {
    L value;
    std::uint32_t count;
  };

  // False if there are too many different latents.
  bool count_few(std::span<const L> latents, Arena& arena) {
    const std::size_t most_few = std::min(kMostFew, latents.size() / 16);
    const unsigned slot_log = static_cast<unsigned>(std::bit_width(most_few)) + 2;
    const std::span<Slot> slots = arena.make<Slot>(std::size_t{1} << slot_log);
    std::fill(slots.begin(), slots.end(), Slot{0, 0});
    std::size_t distinct = 0;
    for (const L latent : latents) {
      std::size_t at = static_cast<std::size_t>((std::uint64_t{latent} * 0x9e3779b97f4a7c15u) >>
                                                (64 - slot_log));
      while (slots[at].count != 0 && slots[at].value != latent) {
        at = (at + 1) & (slots.size() - 1);
      }
      if (slots[at].count++ == 0) {
        if (++distinct > most_few) return false;
        slots[at].value = latent;
      }
    }
    const auto end = std::remove_if(slots.begin(), slots.end(),
                                    [](const Slot& slot) { return slot.count == 0; });
    std::sort(slots.begin(), end,
              [](const Slot& one, const Slot& other) { return one.value < other.value; });
    few_ = slots.first(distinct);
    return true;
  }

  Range<L> range_;
  std::span<const Slot> few_;
  std::span<const L> sorted_;
  std::span<const std::uint32_t> counts_;
};

}  // namespace numpact

#endif
