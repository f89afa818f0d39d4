// SPDX-License-Identifier: Apache-2.0
#include "pco/stats/histogram.hpp"

#include <algorithm>
#include <array>

#include "pco/stats/sort.hpp"

namespace numpact {
namespace {

// A value must occur this often to be worth a bin: its metadata costs tens of bits.
constexpr std::uint32_t kMinValueCount = 3;

// Calls f(value, count) for each distinct latent in ascending order. Three ways to know them: a
// count for each value of a narrow range, a hash table where there are few, or a sorted copy.
template <Latent L>
class Runs {
 public:
  Runs(std::span<const L> latents, Arena& arena) : range_(range_of(latents)) {
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
    // Two tables, so that runs of one value don't wait for their own counter.
    const std::span<std::uint32_t> counts = arena.make<std::uint32_t>(size);
    const ArenaScope scratch(arena);
    const std::span<std::uint32_t> odd = arena.make<std::uint32_t>(size);
    std::fill(counts.begin(), counts.end(), 0);
    std::fill(odd.begin(), odd.end(), 0);
    std::size_t i = 0;
    for (; i + 2 <= latents.size(); i += 2) {
      ++counts[static_cast<L>(latents[i] - range_.lower)];
      ++odd[static_cast<L>(latents[i + 1] - range_.lower)];
    }
    if (i < latents.size()) ++counts[static_cast<L>(latents[i] - range_.lower)];
    for (std::size_t value = 0; value < size; ++value) counts[value] += odd[value];
    counts_ = counts;
  }

  struct Slot {
    L value;
    std::uint32_t count;
  };

  // False if there are too many different latents.
  bool count_few(std::span<const L> latents, Arena& arena) {
    constexpr unsigned kSlotLog = 10;
    constexpr std::size_t kMostFew = std::size_t{1} << (kSlotLog - 2);
    const std::size_t most_few = std::min(kMostFew, latents.size() / 16);
    const std::span<Slot> slots = arena.make<Slot>(std::size_t{1} << kSlotLog);
    std::fill(slots.begin(), slots.end(), Slot{0, 0});
    std::size_t distinct = 0;
    for (const L latent : latents) {
      std::size_t at = static_cast<std::size_t>((std::uint64_t{latent} * 0x9e3779b97f4a7c15u) >>
                                                (64 - kSlotLog));
      while (slots[at].count != 0 && slots[at].value != latent) at = (at + 1) % slots.size();
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

// The least count that at most max_values values reach.
template <Latent L>
std::uint32_t frequent_count(const Runs<L>& runs, std::size_t max_values) {
  if (max_values == 0) return ~std::uint32_t{0};
  // Counts by their top six bits; classes are whole or not taken.
  constexpr unsigned kMantissa = 5;
  std::array<std::uint32_t, (33 - kMantissa) << kMantissa> classes{};
  const auto class_of = [](std::uint32_t count) -> std::uint32_t {
    const unsigned width = static_cast<unsigned>(std::bit_width(count));
    if (width <= kMantissa + 1) return count;
    const unsigned shift = width - kMantissa - 1;
    return (shift << kMantissa) + (count >> shift);
  };
  std::uint32_t most = 0;
  runs.each([&](L, std::uint32_t count) {
    most = std::max(most, count);
    ++classes[class_of(count)];
  });
  std::size_t taken = 0;
  std::uint32_t least = class_of(most) + 1;
  while (least > class_of(kMinValueCount) && taken + classes[least - 1] <= max_values) {
    taken += classes[--least];
  }
  if (least <= 2u << kMantissa) return least;
  const unsigned shift = (least >> kMantissa) - 1;
  return ((least & ((1u << kMantissa) - 1)) + (1u << kMantissa)) << shift;
}

template <Latent L>
class Builder {
 public:
  Builder(std::size_t n, std::size_t most_bins, std::size_t groups, Arena& arena)
      : lowers_(arena.make<L>(most_bins)),
        uppers_(arena.make<L>(most_bins)),
        counts_(arena.make<std::uint32_t>(most_bins)),
        group_n_(std::max<std::size_t>(1, (n + groups - 1) / groups)) {}

  void add_value(L value, std::uint32_t count) {
    close();
    emit(value, value, count);
  }
  void add_to_group(L value, std::uint32_t count) {
    // Closing where that is nearer to the wanted size than going on.
    if (count_ > 0 && count_ + count / 2 >= group_n_) close();
    if (count_ == 0) lower_ = value;
    upper_ = value;
    count_ += count;
  }
  Histogram<L> finish() {
    close();
    return {std::span<const L>(lowers_.data(), size_), std::span<const L>(uppers_.data(), size_),
            std::span<const std::uint32_t>(counts_.data(), size_)};
  }

 private:
  void close() {
    if (count_ > 0) emit(lower_, upper_, static_cast<std::uint32_t>(count_));
    count_ = 0;
  }
  void emit(L lower, L upper, std::uint32_t count) {
    lowers_[size_] = lower;
    uppers_[size_] = upper;
    counts_[size_++] = count;
  }

  std::span<L> lowers_;
  std::span<L> uppers_;
  std::span<std::uint32_t> counts_;
  std::size_t size_ = 0;
  std::size_t group_n_;
  L lower_ = 0;
  L upper_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

template <Latent L>
Range<L> range_of(std::span<const L> latents) {
  L lower = latents[0];
  L upper = latents[0];
  for (const L latent : latents) {
    lower = std::min(lower, latent);
    upper = std::max(upper, latent);
  }
  return {lower, upper};
}

template <Latent L>
Histogram<L> make_histogram(std::span<const L> latents, const HistogramSpec& spec, Arena& arena) {
  // A frequent value ends the group before it, so it makes two bins at most.
  const std::size_t most_bins = std::min(latents.size(), 2 * spec.max_values + 2 * spec.groups) + 1;
  Builder<L> builder(latents.size(), most_bins, spec.groups, arena);
  const ArenaScope scratch(arena);
  const Runs<L> runs(latents, arena);
  const std::uint32_t frequent = frequent_count(runs, spec.max_values);
  runs.each([&](L value, std::uint32_t count) {
    if (count >= frequent) {
      builder.add_value(value, count);
    } else {
      builder.add_to_group(value, count);
    }
  });
  return builder.finish();
}

#define NUMPACT_INSTANTIATE(L)                    \
  template Range<L> range_of(std::span<const L>); \
  template Histogram<L> make_histogram(std::span<const L>, const HistogramSpec&, Arena&);
NUMPACT_INSTANTIATE(std::uint8_t)
NUMPACT_INSTANTIATE(std::uint16_t)
NUMPACT_INSTANTIATE(std::uint32_t)
NUMPACT_INSTANTIATE(std::uint64_t)
#undef NUMPACT_INSTANTIATE

}  // namespace numpact
