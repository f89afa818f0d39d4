// SPDX-License-Identifier: Apache-2.0
#include "pco/stats/histogram.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "pco/stats/intervals.hpp"
#include "pco/stats/runs.hpp"

namespace numpact {
namespace {

// A value must occur this often to be worth a bin: its metadata costs tens of bits.
constexpr std::uint32_t kMinValueCount = 3;
constexpr std::uint32_t kMinSampledCount = 2;

// From this share of a sample on in single values' bins.
constexpr double kMuchInValues = 0.25;
// From this share on in one of them.
constexpr double kMostAreOne = 0.5;

// The least count that at most max_values values reach.
std::uint32_t frequent_count(std::span<const std::uint32_t> counts, std::size_t max_values,
                             std::uint32_t min_count) {
  if (max_values == 0) return ~std::uint32_t{0};
  // Counts by their top six bits; classes are whole or not taken.
  constexpr unsigned kMantissa = 5;
  std::array<std::uint32_t, (33 - kMantissa) << kMantissa> classes;
  const auto class_of = [](std::uint32_t count) -> std::uint32_t {
    const unsigned width = static_cast<unsigned>(std::bit_width(count));
    if (width <= kMantissa + 1) return count;
    const unsigned shift = width - kMantissa - 1;
    return (shift << kMantissa) + (count >> shift);
  };
  std::uint32_t most = 0;  // not by max_element, which takes one after the other
  std::uint32_t enough = 0;
  for (const std::uint32_t count : counts) {
    most = std::max(most, count);
    enough += count >= min_count ? 1 : 0;
  }
  if (most < min_count) return ~std::uint32_t{0};
  if (enough <= max_values) return min_count;
  std::fill_n(classes.begin(), class_of(most) + 1, 0);
  for (const std::uint32_t count : counts) {
    if (count >= min_count) ++classes[class_of(count)];
  }
  std::size_t taken = 0;
  std::uint32_t least = class_of(most) + 1;
  while (least > class_of(min_count) && taken + classes[least - 1] <= max_values) {
    taken += classes[--least];
  }
  if (least <= 2u << kMantissa) return least;
  const unsigned shift = (least >> kMantissa) - 1;
  return ((least & ((1u << kMantissa) - 1)) + (1u << kMantissa)) << shift;
}

template <Latent L>
class Builder {
 public:
  Builder(std::size_t n, const HistogramSpec& spec, Arena& arena)
      : lowers_(arena.make<L>(spec.most_bins(n))),
        uppers_(arena.make<L>(lowers_.size())),
        counts_(arena.make<std::uint32_t>(lowers_.size())),
        group_n_(std::max<std::size_t>(1, (n + spec.groups - 1) / spec.groups)) {}

  std::size_t most_bins() const { return lowers_.size(); }
  void add_bin(L lower, L upper, std::uint32_t count) { emit(lower, upper, count); }
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
  // How many values that occur once go into the group that is next to be closed.
  std::size_t room() const { return count_ < group_n_ ? group_n_ - count_ : group_n_; }
  // The same for up to so many values that occur once each, in ascending order.
  void add_singles_to_group(std::span<const L> values) {
    if (count_ >= group_n_) close();
    if (count_ == 0) lower_ = values.front();
    upper_ = values.back();
    count_ += values.size();
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

template <Latent L>
void group_runs(const Runs<L>& runs, std::size_t max_values, std::uint32_t min_count,
                Builder<L>& result) {
  const std::span<const L> values = runs.values();
  const std::span<const std::uint32_t> counts = runs.counts();
  const std::uint32_t frequent = frequent_count(counts, max_values, min_count);
  Builder<L> builder = result;  // a copy can stay in registers
  for (std::size_t i = 0; i < values.size();) {
    const std::size_t some_n = std::min(builder.room(), values.size() - i);
    // Single values are never frequent, and often many in a row.
    const std::span<const std::uint32_t> some = counts.subspan(i, some_n);
    if (some.front() == 1 && some.back() == 1 &&
        std::accumulate(some.begin(), some.end(), std::uint32_t{0}) == some_n) {
      builder.add_singles_to_group(values.subspan(i, some_n));
      i += some_n;
      continue;
    }
    for (const std::size_t end = i + some_n; i < end; ++i) {
      if (counts[i] >= frequent) {
        builder.add_value(values[i], counts[i]);
      } else {
        builder.add_to_group(values[i], counts[i]);
      }
    }
  }
  result = builder;
}

// One latent out of each `share` neighbours; a fixed sequence says which, so that periods in the
// data don't meet the same phase every time.
template <Latent L>
std::span<const L> sample_of(std::span<const L> latents, std::size_t share, Arena& arena) {
  const std::span<L> sample = arena.make<L>(latents.size() / share);
  std::uint64_t random = 0x9e3779b97f4a7c15u;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    sample[i] = latents[i * share + static_cast<std::size_t>(((random >> 32) * share) >> 32)];
  }
  return sample;
}

// The intervals that a sample's bins cut the whole range into: values have their own, what lies
// between them and groups is shared out.
template <Latent L>
std::span<const L> interval_lowers(const Histogram<L>& bins, const Range<L>& range, Arena& arena) {
  const std::span<L> lowers = arena.make<L>(2 * bins.size() + 1);
  std::size_t n = 0;
  const auto add = [&](L lower) {
    if (n == 0 || lower > lowers[n - 1]) lowers[n++] = lower;
  };
  add(range.lower);
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const bool is_value = bins.lowers[i] == bins.uppers[i];
    const bool follows_value = i > 0 && bins.lowers[i - 1] == bins.uppers[i - 1];
    // Behind a value the next interval has begun.
    if (is_value || !follows_value) add(bins.lowers[i]);
    if (is_value && bins.uppers[i] < range.upper) add(static_cast<L>(bins.uppers[i] + 1));
  }
  return lowers.first(n);
}

// Counts of latents in intervals, and the least and greatest of each.
template <Latent L>
class Tally {
 public:
  Tally(std::size_t n, Arena& arena)
      : ranges_(arena.make<Range<L>>(n)),
        counts_(arena.make<std::uint32_t>(n)),
        odd_(arena.make<std::uint32_t>(n)) {
    std::fill(ranges_.begin(), ranges_.end(), Range<L>{static_cast<L>(~L{0}), 0});
    std::fill(counts_.begin(), counts_.end(), 0);
    std::fill(odd_.begin(), odd_.end(), 0);
  }
  void add(const L* latents, const std::uint16_t* indices, std::size_t n) {
    std::uint32_t* const counts[2] = {counts_.data(), odd_.data()};
    Range<L>* const ranges = ranges_.data();
    for (std::size_t i = 0; i < n; ++i) {
      const L latent = latents[i];
      Range<L>& range = ranges[indices[i]];
      range = {std::min(latent, range.lower), std::max(latent, range.upper)};
      ++counts[i % 2][indices[i]];
    }
  }
  // The intervals that are not empty.
  void add_to(Builder<L>& builder) const {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const std::uint32_t count = counts_[i] + odd_[i];
      if (count > 0) builder.add_bin(ranges_[i].lower, ranges_[i].upper, count);
    }
  }

 private:
  std::span<Range<L>> ranges_;
  std::span<std::uint32_t> counts_;
  std::span<std::uint32_t> odd_;
};

// A sample's bins, and which share of it lies in those of single values, and in one of them.
template <Latent L>
struct Rough {
  Histogram<L> bins;
  double value_share = 0;
  double most_share = 0;
  std::size_t most_frequent = 0;  // of the values
};

template <Latent L>
Rough<L> rough_bins(std::span<const L> latents, const HistogramSpec& spec, std::size_t share,
                    Arena& arena) {
  Builder<L> builder(latents.size() / share, spec, arena);
  const ArenaScope scratch(arena);
  const std::span<const L> sample = sample_of(latents, share, arena);
  group_runs(Runs<L>(sample, range_of(sample), arena), spec.max_values, kMinSampledCount, builder);
  Rough<L> rough;
  rough.bins = builder.finish();
  double in_values = 0;
  std::uint32_t most = 0;
  std::size_t value_n = 0;
  for (std::size_t i = 0; i < rough.bins.size(); ++i) {
    if (rough.bins.lowers[i] != rough.bins.uppers[i]) continue;
    const std::uint32_t count = rough.bins.counts[i];
    in_values += count;
    if (count > most) rough.most_frequent = value_n;
    most = std::max(most, count);
    ++value_n;
  }
  rough.value_share = in_values / static_cast<double>(sample.size());
  rough.most_share = most / static_cast<double>(sample.size());
  return rough;
}

// Bins begin where the sample's do; what they hold is counted. Returns the intervals' ends.
template <Latent L>
std::span<const L> fill_intervals(std::span<const L> latents, const Range<L>& range,
                                  const Histogram<L>& rough, std::uint16_t* places,
                                  Builder<L>& builder, Arena& arena) {
  constexpr std::size_t kBlock = 1024;
  const std::span<const L> lowers = interval_lowers(rough, range, arena);
  const auto tree = IntervalTree<L>::make(
      lowers.size(), [&](std::size_t i) { return lowers[i]; }, arena);
  Tally<L> tally(lowers.size(), arena);
  for (std::size_t i = 0; i < latents.size(); i += kBlock) {
    const std::span<const L> some = latents.subspan(i, std::min(kBlock, latents.size() - i));
    find_intervals(tree, some, places + i);
    tally.add(some.data(), places + i, some.size());
  }
  tally.add_to(builder);
  const std::span<L> ends = arena.make<L>(lowers.size());
  for (std::size_t i = 1; i < lowers.size(); ++i) ends[i - 1] = static_cast<L>(lowers[i] - 1);
  ends.back() = range.upper;
  return ends;
}

// Single values' counts are exact where much of the sample is such: there the rare ones count too.
// The ends of the places are in the arena.
template <Latent L>
void sampled_histogram(std::span<const L> latents, const Range<L>& range, const HistogramSpec& spec,
                       std::size_t share, Places<L>& places, Builder<L>& builder, Arena& arena) {
  const Rough<L> rough = rough_bins(latents, spec, share, arena);
  if (rough.value_share < kMuchInValues) {
    places.ends = fill_intervals(latents, range, rough.bins, places.of.data(), builder, arena);
    return;
  }
  const std::span<L> values = arena.make<L>(rough.bins.size());
  std::size_t value_n = 0;
  for (std::size_t i = 0; i < rough.bins.size(); ++i) {
    if (rough.bins.lowers[i] == rough.bins.uppers[i]) values[value_n++] = rough.bins.lowers[i];
  }
  const std::size_t frequent = rough.most_share > kMostAreOne ? rough.most_frequent : value_n;
  const Runs<L> runs(latents, range, values.first(value_n), frequent, places.of.data(), arena);
  group_runs(runs, spec.max_values, kMinValueCount, builder);
  places.ends = values.first(value_n);
  places.unknown_n = runs.unknown_n();
}

}  // namespace

template <Latent L>
Histogram<L> make_histogram(std::span<const L> latents, const HistogramSpec& spec, Arena& arena,
                            Places<L>* places) {
  const Range<L> range = range_of(latents);
  const std::uint64_t width = std::uint64_t{range.upper} - range.lower;
  const std::size_t share = std::min(spec.most_sample_share, latents.size() / spec.min_sample_n);
  const bool is_sampled = share > 1 && width >= kCountableRange;
  Builder<L> builder(latents.size(), spec, arena);
  std::span<L> ends;
  if (is_sampled && places != nullptr) ends = arena.make<L>(2 * builder.most_bins() + 1);
  const ArenaScope scratch(arena);
  if (is_sampled) {
    Places<L> own;
    if (places == nullptr) own.of = arena.make<std::uint16_t>(latents.size());
    Places<L>& known = places != nullptr ? *places : own;
    sampled_histogram(latents, range, spec, share, known, builder, arena);
    if (places != nullptr) {
      std::copy(known.ends.begin(), known.ends.end(), ends.begin());
      places->ends = ends.first(known.ends.size());
    }
  } else {
    group_runs(Runs<L>(latents, range, arena), spec.max_values, kMinValueCount, builder);
  }
  return builder.finish();
}

#define NUMPACT_INSTANTIATE(L)                                                           \
  template Histogram<L> make_histogram(std::span<const L>, const HistogramSpec&, Arena&, \
                                       Places<L>*);
NUMPACT_INSTANTIATE(std::uint8_t)
NUMPACT_INSTANTIATE(std::uint16_t)
NUMPACT_INSTANTIATE(std::uint32_t)
NUMPACT_INSTANTIATE(std::uint64_t)
#undef NUMPACT_INSTANTIATE

}  // namespace numpact
