// SPDX-License-Identifier: Apache-2.0
// Groups distinct values to bins, from all latents or from a sample.
#include "pco/stats/histogram.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/tuned.hpp"
#include "pco/stats/intervals.hpp"
#include "pco/stats/value_counts.hpp"

namespace numpact::internal {
namespace {

// Smallest count of a value that gets a bin of its own: the metadata of a bin cost tens of bits.
NUMPACT_TUNED(std::uint32_t, kMinValueCount, 3);
// The same in a sample, where each latent stands for several.
NUMPACT_TUNED(std::uint32_t, kMinSampledValueCount, 2);

// If at lowest_class this share of a sample lies in bins of single values, single values are
// counted exactly over all latents, since rare values matter there too. Below it, latents are
// counted per interval.
NUMPACT_TUNED(double, kMinValueShare, 0.25);
// If more than this share of a sample is one value, the other latents are extracted first, and only
// they are searched. A higher bound restricts this to more extreme data.
NUMPACT_TUNED(double, kMinDominantShare, 0.5);

// Returns the smallest threshold such that at most max_values values have a count of at
// lowest_class it. Counts are put into classes by their top kMantissaBits + 1 bits, so the
// threshold is the lower end of a class: a class is taken as a whole or not at all.
std::uint32_t frequent_count(std::span<const std::uint32_t> counts, std::size_t max_values,
                             std::uint32_t min_count) {
  if (max_values == 0) return ~std::uint32_t{0};
  constexpr unsigned kMantissaBits = 5;
  std::array<std::uint32_t, (33 - kMantissaBits) << kMantissaBits> class_counts;
  const auto class_of = [](std::uint32_t count) -> std::uint32_t {
    const unsigned width = static_cast<unsigned>(std::bit_width(count));
    if (width <= kMantissaBits + 1) return count;
    const unsigned shift = width - kMantissaBits - 1;
    return (shift << kMantissaBits) + (count >> shift);
  };
  std::uint32_t max_count = 0;  // a loop that vectorizes, unlike std::max_element
  std::uint32_t enough_n = 0;
  for (const std::uint32_t count : counts) {
    max_count = std::max(max_count, count);
    enough_n += count >= min_count ? 1 : 0;
  }
  if (max_count < min_count) return ~std::uint32_t{0};
  if (enough_n <= max_values) return min_count;
  std::fill_n(class_counts.begin(), class_of(max_count) + 1, 0);
  for (const std::uint32_t count : counts) {
    if (count >= min_count) ++class_counts[class_of(count)];
  }
  std::size_t taken = 0;
  std::uint32_t lowest_class = class_of(max_count) + 1;
  while (lowest_class > class_of(min_count) &&
         taken + class_counts[lowest_class - 1] <= max_values) {
    taken += class_counts[--lowest_class];
  }
  if (lowest_class <= 2u << kMantissaBits) return lowest_class;
  const unsigned shift = (lowest_class >> kMantissaBits) - 1;
  return ((lowest_class & ((1u << kMantissaBits) - 1)) + (1u << kMantissaBits)) << shift;
}

template <Latent L>
class Builder {
 public:
  Builder(std::size_t n, const HistogramSpec& spec, Arena& arena)
      : lowers_(arena.make<L>(spec.max_bins(n))),
        uppers_(arena.make<L>(lowers_.size())),
        counts_(arena.make<std::uint32_t>(lowers_.size())),
        group_n_(std::max<std::size_t>(1, (n + spec.groups - 1) / spec.groups)) {}

  std::size_t max_bins() const { return lowers_.size(); }
  void add_bin(L lower, L upper, std::uint32_t count) { emit(lower, upper, count); }
  void add_value(L value, std::uint32_t count) {
    close();
    emit(value, value, count);
  }
  void add_to_group(L value, std::uint32_t count) {
    // Closes the group if its size is then nearer to group_n_ than with the value.
    if (count_ > 0 && count_ + count / 2 >= group_n_) close();
    if (count_ == 0) lower_ = value;
    upper_ = value;
    count_ += count;
  }
  // Count of values of count 1 until the next group is full.
  std::size_t free_n() const { return count_ < group_n_ ? group_n_ - count_ : group_n_; }
  // add_to_group() for at most free_n() ascending values of count 1 each.
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
void group_values(const ValueCounts<L>& counts_of_values, std::size_t max_values,
                  std::uint32_t min_count, Builder<L>& result) {
  const std::span<const L> values = counts_of_values.values();
  const std::span<const std::uint32_t> counts = counts_of_values.counts();
  const std::uint32_t frequent = frequent_count(counts, max_values, min_count);
  Builder<L> builder = result;  // a copy can stay in registers
  for (std::size_t i = 0; i < values.size();) {
    const std::size_t block_n = std::min(builder.free_n(), values.size() - i);
    // Values of count 1 are never frequent, and there are often many in a row.
    const std::span<const std::uint32_t> block = counts.subspan(i, block_n);
    if (block.front() == 1 && block.back() == 1 &&
        std::accumulate(block.begin(), block.end(), std::uint32_t{0}) == block_n) {
      builder.add_singles_to_group(values.subspan(i, block_n));
      i += block_n;
      continue;
    }
    for (const std::size_t end = i + block_n; i < end; ++i) {
      if (counts[i] >= frequent) {
        builder.add_value(values[i], counts[i]);
      } else {
        builder.add_to_group(values[i], counts[i]);
      }
    }
  }
  result = builder;
}

// One latent of each `stride` neighbours. A fixed pseudo-random sequence selects it, so that
// periodic data are not sampled at the same phase every time.
template <Latent L>
std::span<const L> sampled(std::span<const L> latents, std::size_t stride, Arena& arena) {
  const std::span<L> sample = arena.make<L>(latents.size() / stride);
  std::uint64_t random = 0x9e3779b97f4a7c15u;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    sample[i] = latents[i * stride + static_cast<std::size_t>(((random >> 32) * stride) >> 32)];
  }
  return sample;
}

// The lower ends of the intervals into which the bins of a sample divide the range. Each value of
// the sample that has its own bin is an interval; the gaps between bins belong to their neighbours.
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
    // The interval behind a value starts at value + 1 and has been added.
    if (is_value || !follows_value) add(bins.lowers[i]);
    if (is_value && bins.uppers[i] < range.upper) add(static_cast<L>(bins.uppers[i] + 1));
  }
  return lowers.first(n);
}

// Counts the latents of each interval and keeps the smallest and the largest.
template <Latent L>
class Tally {
 public:
  Tally(std::size_t n, Arena& arena)
      : ranges_(arena.make<Range<L>>(n)),
        counts_(arena.make<std::uint32_t>(n)),
        odd_counts_(arena.make<std::uint32_t>(n)) {
    std::fill(ranges_.begin(), ranges_.end(), Range<L>{static_cast<L>(~L{0}), 0});
    std::fill(counts_.begin(), counts_.end(), 0);
    std::fill(odd_counts_.begin(), odd_counts_.end(), 0);
  }
  void add(const L* latents, const std::uint16_t* indices, std::size_t n) {
    std::uint32_t* const counts[2] = {counts_.data(), odd_counts_.data()};
    Range<L>* const ranges = ranges_.data();
    for (std::size_t i = 0; i < n; ++i) {
      const L latent = latents[i];
      Range<L>& range = ranges[indices[i]];
      range = {std::min(latent, range.lower), std::max(latent, range.upper)};
      ++counts[i % 2][indices[i]];
    }
  }
  // Adds a bin for each interval that is not empty.
  void add_to(Builder<L>& builder) const {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const std::uint32_t count = counts_[i] + odd_counts_[i];
      if (count > 0) builder.add_bin(ranges_[i].lower, ranges_[i].upper, count);
    }
  }

 private:
  std::span<Range<L>> ranges_;
  std::span<std::uint32_t> counts_;
  std::span<std::uint32_t> odd_counts_;
};

// The bins of a sample.
template <Latent L>
struct Coarse {
  Histogram<L> bins;
  double value_share = 0;               // share of the sample in bins of single values
  double max_value_share = 0;           // share of the most frequent single value
  std::size_t most_frequent_value = 0;  // its index among the single values
};

template <Latent L>
Coarse<L> coarse_bins(std::span<const L> latents, const HistogramSpec& spec, std::size_t stride,
                      Arena& arena) {
  Builder<L> builder(latents.size() / stride, spec, arena);
  const ArenaScope scratch(arena);
  const std::span<const L> sample = sampled(latents, stride, arena);
  group_values(ValueCounts<L>(sample, range_of(sample), arena), spec.max_values,
               kMinSampledValueCount, builder);
  Coarse<L> coarse;
  coarse.bins = builder.finish();
  double value_latents_n = 0;
  std::uint32_t max_count = 0;
  std::size_t value_n = 0;
  for (std::size_t i = 0; i < coarse.bins.size(); ++i) {
    if (coarse.bins.lowers[i] != coarse.bins.uppers[i]) continue;
    const std::uint32_t count = coarse.bins.counts[i];
    value_latents_n += count;
    if (count > max_count) coarse.most_frequent_value = value_n;
    max_count = std::max(max_count, count);
    ++value_n;
  }
  coarse.value_share = value_latents_n / static_cast<double>(sample.size());
  coarse.max_value_share = max_count / static_cast<double>(sample.size());
  return coarse;
}

// Bins start where those of the sample start; their contents are counted over all latents. Returns
// the upper ends of the intervals.
template <Latent L>
std::span<const L> fill_intervals(std::span<const L> latents, const Range<L>& range,
                                  const Histogram<L>& coarse, std::uint16_t* intervals,
                                  Builder<L>& builder, Arena& arena) {
  NUMPACT_TUNED(std::size_t, kCountBlockN, 1024);  // latents; a block stays in the L1 cache
  const std::span<const L> lowers = interval_lowers(coarse, range, arena);
  const auto tree = IntervalTree<L>::make(
      lowers.size(), [&](std::size_t i) { return lowers[i]; }, arena);
  Tally<L> tally(lowers.size(), arena);
  for (std::size_t i = 0; i < latents.size(); i += kCountBlockN) {
    const std::span<const L> block = latents.subspan(i, std::min(kCountBlockN, latents.size() - i));
    find_intervals(tree, block, intervals + i);
    tally.add(block.data(), intervals + i, block.size());
  }
  tally.add_to(builder);
  const std::span<L> ends = arena.make<L>(lowers.size());
  for (std::size_t i = 1; i < lowers.size(); ++i) ends[i - 1] = static_cast<L>(lowers[i] - 1);
  ends.back() = range.upper;
  return ends;
}

// Builds the bins from those of a sample. Counts of single values are exact if much of the sample
// is single values, since rare values matter there. intervals.ends is in the arena.
template <Latent L>
void sampled_histogram(std::span<const L> latents, const Range<L>& range, const HistogramSpec& spec,
                       std::size_t stride, IntervalIndices<L>& intervals, Builder<L>& builder,
                       Arena& arena) {
  const Coarse<L> coarse = coarse_bins(latents, spec, stride, arena);
  if (coarse.value_share < kMinValueShare) {
    intervals.ends =
        fill_intervals(latents, range, coarse.bins, intervals.by_latent.data(), builder, arena);
    return;
  }
  const std::span<L> values = arena.make<L>(coarse.bins.size());
  std::size_t value_n = 0;
  for (std::size_t i = 0; i < coarse.bins.size(); ++i) {
    if (coarse.bins.lowers[i] == coarse.bins.uppers[i]) values[value_n++] = coarse.bins.lowers[i];
  }
  const std::size_t frequent =
      coarse.max_value_share > kMinDominantShare ? coarse.most_frequent_value : value_n;
  const ValueCounts<L> counts_of_values(latents, range, values.first(value_n), frequent,
                                        intervals.by_latent.data(), arena);
  group_values(counts_of_values, spec.max_values, kMinValueCount, builder);
  intervals.ends = values.first(value_n);
  intervals.unmatched_n = counts_of_values.unmatched_n();
}

template <Latent L>
Histogram<L> single_bin(const Range<L>& range, std::size_t n, Arena& arena) {
  const std::span<L> ends = arena.make<L>(2);
  const std::span<std::uint32_t> count = arena.make<std::uint32_t>(1);
  ends[0] = range.lower;
  ends[1] = range.upper;
  count[0] = static_cast<std::uint32_t>(n);
  return {ends.first(1), ends.last(1), count};
}

}  // namespace

template <Latent L>
Histogram<L> make_histogram(std::span<const L> latents, const HistogramSpec& spec, Arena& arena,
                            IntervalIndices<L>* intervals) {
  const Range<L> range = range_of(latents);
  if (spec.max_values == 0 && spec.groups == 1) return single_bin(range, latents.size(), arena);
  const std::uint64_t width = std::uint64_t{range.upper} - range.lower;
  const std::size_t stride = std::min(spec.max_sample_stride, latents.size() / spec.min_sample_n);
  const bool is_sampled = stride > 1 && width >= kMaxCountedRange;
  Builder<L> builder(latents.size(), spec, arena);
  std::span<L> ends;
  if (is_sampled && intervals != nullptr) ends = arena.make<L>(2 * builder.max_bins() + 1);
  const ArenaScope scratch(arena);
  if (is_sampled) {
    IntervalIndices<L> own;
    if (intervals == nullptr) own.by_latent = arena.make<std::uint16_t>(latents.size());
    IntervalIndices<L>& known = intervals != nullptr ? *intervals : own;
    sampled_histogram(latents, range, spec, stride, known, builder, arena);
    if (intervals != nullptr) {
      std::copy(known.ends.begin(), known.ends.end(), ends.begin());
      intervals->ends = ends.first(known.ends.size());
    }
  } else {
    group_values(ValueCounts<L>(latents, range, arena), spec.max_values, kMinValueCount, builder);
  }
  return builder.finish();
}

#define NUMPACT_INSTANTIATE(L)                                                           \
  template Histogram<L> make_histogram(std::span<const L>, const HistogramSpec&, Arena&, \
                                       IntervalIndices<L>*);
NUMPACT_INSTANTIATE(std::uint8_t)
NUMPACT_INSTANTIATE(std::uint16_t)
NUMPACT_INSTANTIATE(std::uint32_t)
NUMPACT_INSTANTIATE(std::uint64_t)
#undef NUMPACT_INSTANTIATE

}  // namespace numpact::internal
