// SPDX-License-Identifier: Apache-2.0
// The distinct values among latents, and how often each occurs.
#ifndef NUMPACT_PCO_STATS_RUNS_HPP
#define NUMPACT_PCO_STATS_RUNS_HPP

#include <algorithm>
#include <array>

#include "pco/stats/histogram.hpp"
#include "pco/stats/intervals.hpp"
#include "pco/stats/sort.hpp"

namespace numpact {

// Up to so many different values, several tables of counts fit the nearest cache.
inline constexpr std::size_t kNarrowRange = std::size_t{1} << 11;
// Different values that are counted by hashing.
inline constexpr std::size_t kMostFew = std::size_t{1} << 10;

// Calls f(value, count) for each distinct latent in ascending order. Ways to know them: a count for
// each value of a narrow range, a hash table where there are few, a sorted copy of all, or counts
// of known values and a sorted copy of the rest.
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

  // values: ascending, different, at least one; most latents should be among them.
  Runs(std::span<const L> latents, const Range<L>& range, std::span<const L> values, Arena& arena)
      : range_(range) {
    const std::span<Slot> slots = arena.make<Slot>(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) slots[i] = {values[i], 0};
    const std::span<L> rest = arena.make<L>(latents.size());
    const std::size_t rest_n = count_known(latents, slots, rest, arena);
    few_ = slots;
    sorted_ = sorted_copy(std::span<const L>(rest.first(rest_n)), range.lower, range.upper, arena);
  }

  template <class F>
  void each(F&& f) const {
    if (!counts_.empty()) {
      for (std::size_t i = 0; i < counts_.size(); ++i) {
        if (counts_[i] != 0) f(static_cast<L>(range_.lower + i), counts_[i]);
      }
      return;
    }
    const std::size_t n = sorted_.size();
    std::size_t known = 0;
    for (std::size_t i = 0; i < n;) {
      const L value = sorted_[i];
      std::size_t end = i + 1;
      while (end < n && sorted_[end] == value) ++end;
      for (; known < few_.size() && few_[known].value < value; ++known) emit_known(known, f);
      f(value, static_cast<std::uint32_t>(end - i));
      i = end;
    }
    for (; known < few_.size(); ++known) emit_known(known, f);
  }

 private:
  struct Slot {
    L value;
    std::uint32_t count;
  };

  template <class F>
  void emit_known(std::size_t i, F&& f) const {
    if (few_[i].count > 0) f(few_[i].value, few_[i].count);
  }

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

  // Counts the latents that are values of slots; copies the others to `rest`, returns their number.
  static std::size_t count_known(std::span<const L> latents, std::span<Slot> slots,
                                 std::span<L> rest, Arena& arena) {
    constexpr std::size_t kBlock = 1024;
    const ArenaScope scratch(arena);
    const std::span<std::uint32_t> counts = arena.make<std::uint32_t>(2 * slots.size());
    std::fill(counts.begin(), counts.end(), 0);
    // The interval of a value ends where the next one's begins: what it holds must be compared.
    const auto tree = IntervalTree<L>::make(
        slots.size(), [&](std::size_t i) { return slots[i].value; }, arena);
    const std::span<L> values = arena.make<L>(slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i) values[i] = slots[i].value;
    std::uint32_t* const even = counts.data();
    std::uint32_t* const odd = even + slots.size();
    std::uint16_t indices[kBlock];
    std::size_t rest_n = 0;
    for (std::size_t at = 0; at < latents.size(); at += kBlock) {
      const std::span<const L> some = latents.subspan(at, std::min(kBlock, latents.size() - at));
      find_intervals(tree, some, indices);
      for (std::size_t i = 0; i < some.size(); ++i) {
        const L latent = some[i];
        const bool is_known = values[indices[i]] == latent;
        rest[rest_n] = latent;
        rest_n += is_known ? 0 : 1;
        (i % 2 == 0 ? even : odd)[indices[i]] += is_known ? 1 : 0;
      }
    }
    for (std::size_t i = 0; i < slots.size(); ++i) slots[i].count = even[i] + odd[i];
    return rest_n;
  }

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
