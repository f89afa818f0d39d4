// SPDX-License-Identifier: Apache-2.0
// Estimates dictionaries. The order of the entries decides how the indices behave: sorted by value,
// indices move as smoothly as the numbers do; by frequency, rare ones are close together and can
// share bins; by first appearance, values that occur together have close indices.
#include "pco/encode/modes/dict.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/tuned.hpp"
#include "pco/encode/conv1/fit.hpp"
#include "pco/encode/estimate/coarse.hpp"
#include "pco/mode/split.hpp"
#include "pco/mode/value_index.hpp"
#include "pco/stats/histogram.hpp"
#include "pco/stats/log2.hpp"
#include "pco/stats/sort.hpp"

namespace numpact::internal {
namespace {

// The thresholds were set by the sizes of the shared columns (`./dev bench sizes`) against the time
// to encode them (`./dev bench levels`). Figures in comments are of the commit that set the value.

// Entries may take at most this share of what the numbers take without a dictionary, and be at most
// this share of the numbers. Higher bounds count more numbers of chunks that gain little.
NUMPACT_TUNED(float, kMaxEntryShare, 0.5f);
NUMPACT_TUNED(float, kMaxDistinctShare, 1.0f / 4);
// Below this rate a dictionary has nothing to gain.
NUMPACT_TUNED(float, kMinDictBitsPerNumber, 0.4f);
// The entropy of the indices must be at most this ratio of the bits without a dictionary: without a
// delta exact bins do nearly as well.
NUMPACT_TUNED(float, kMaxEntropyRatio, 0.985f);
// Subtracted from that ratio, times the share of values seen once: if most values were seen once,
// their estimated entropy is a guess, and a low one.
NUMPACT_TUNED(float, kSeenOnceEntropyMarginRatio, 0.15f);
// The same for coarse estimates of deltas, which are less affected.
NUMPACT_TUNED(float, kSeenOnceDeltaMarginRatio, 0.02f);
// Orders of the entries whose coarse estimate is above this ratio of the smallest are not estimated
// fully.
NUMPACT_TUNED(float, kNearEntryOrderRatio, 1.2f);

// Index deltas that the coarse estimates of orders use: enough to tell them apart.
NUMPACT_TUNED(std::size_t, kOrderDeltasN, kMaxCoarseN / 2);
// By how much an estimate without a delta may exceed a coarse one of the same bits, per number.
NUMPACT_TUNED(float, kCoarseErrorBitsPerNumber, 0.4f);

// The part of the growth of deltas, from the values in a subsample to all values, that counts in
// the first test: values that follow each other tend to have close entries, so less than all of it.
NUMPACT_TUNED(float, kFirstIndexGrowthShare, 0.3f);
// Weights suit the indices of numbers of up to 32 bits, but not the numbers, if their values are
// this far apart in the mean.
NUMPACT_TUNED(float, kMinLatticeStep, 2);

enum class EntryOrder { kAppearance, kFrequency, kValue };
// All of them, in the order in which they are estimated.
constexpr EntryOrder kEntryOrders[] = {EntryOrder::kAppearance, EntryOrder::kFrequency,
                                       EntryOrder::kValue};

// Distinct latents, numbered in the order of their first appearance.
template <Latent L>
class Entries {
 public:
  Entries(std::span<const L> latents, std::size_t max_n, Arena& arena)
      : index_(max_n, arena), counts_(arena.make<std::uint32_t>(max_n)) {
    std::fill(counts_.begin(), counts_.end(), 0);
    std::uint32_t* const counts = counts_.data();
    is_complete_ = index_.add_all(
        latents, [counts](std::uint32_t number, std::uint32_t times) { counts[number] += times; });
  }

  // False if there are more than max_n; the others are missing then.
  bool is_complete() const { return is_complete_; }
  std::size_t size() const { return index_.values().size(); }
  std::span<const std::uint32_t> counts() const { return counts_.first(size()); }
  std::size_t total() const { return std::accumulate(counts().begin(), counts().end(), 0u); }
  // Entries that occur this often.
  std::size_t seen(std::uint32_t times) const {
    return static_cast<std::size_t>(std::count(counts().begin(), counts().end(), times));
  }

  // The numbers of the entries in the given order.
  std::span<const std::uint32_t> sorted(EntryOrder order, Arena& arena) const {
    const std::span<std::uint32_t> numbers = arena.make<std::uint32_t>(size());
    if (order == EntryOrder::kValue) {
      sort_by_value(numbers, arena);
    } else if (order == EntryOrder::kFrequency) {
      sort_by_frequency(numbers, arena);
    } else {
      std::iota(numbers.begin(), numbers.end(), 0u);
    }
    return numbers;
  }

  // The position in the order of each latent's entry. All latents must have one.
  LatentArray indices(std::span<const L> latents, EntryOrder order, Arena& arena) const {
    const std::span<std::uint32_t> result = arena.make<std::uint32_t>(latents.size());
    const ArenaScope scratch(arena);
    const std::span<const std::uint32_t> numbers = sorted(order, arena);
    const std::span<std::uint32_t> positions = arena.make<std::uint32_t>(size());
    for (std::uint32_t i = 0; i < numbers.size(); ++i) positions[numbers[i]] = i;
    index_.find_all(latents, result.data());
    for (std::uint32_t& index : result) index = positions[index];
    return LatentArray(result);
  }

  Dict dict(EntryOrder order, Arena& arena) const {
    const std::span<L> entries = arena.make<L>(size());
    const ArenaScope scratch(arena);
    const std::span<const std::uint32_t> numbers = sorted(order, arena);
    for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = index_.values()[numbers[i]];
    return Dict{entries.data(), entries.size()};
  }

 private:
  // Sorting the values and looking their numbers up is faster than sorting the numbers.
  void sort_by_value(std::span<std::uint32_t> numbers, Arena& arena) const {
    const ArenaScope scratch(arena);
    const std::span<const L> values = index_.values();
    const Range<L> range = range_of(values);
    const std::span<const L> sorted = sorted_copy(values, range.lower, range.upper, arena);
    index_.find_all(sorted, numbers.data());
  }

  // Sorts equally frequent values by value. A counting sort: most values are rare. The last bucket,
  // of all counts from kCountBuckets - 1 on, is sorted by comparison.
  void sort_by_frequency(std::span<std::uint32_t> numbers, Arena& arena) const {
    const ArenaScope scratch(arena);
    const std::span<std::uint32_t> by_value = arena.make<std::uint32_t>(numbers.size());
    sort_by_value(by_value, arena);
    // Buckets of the counting sort: values that occur 0, 1, ... 254 times, and the rest.
    constexpr std::uint32_t kCountBuckets = 256;
    std::array<std::uint32_t, kCountBuckets> ends{};
    for (const std::uint32_t count : counts()) ++ends[std::min(count, kCountBuckets - 1)];
    std::uint32_t end = 0;
    for (std::uint32_t count = kCountBuckets; count-- > 0;) {
      const std::uint32_t first = end;
      end += ends[count];
      ends[count] = first;
    }
    for (const std::uint32_t number : by_value) {
      numbers[ends[std::min(counts_[number], kCountBuckets - 1)]++] = number;
    }
    const std::span<const L> values = index_.values();
    std::sort(numbers.begin(),
              numbers.begin() + static_cast<std::ptrdiff_t>(ends[kCountBuckets - 1]),
              [&](std::uint32_t a, std::uint32_t b) {
                return counts_[a] != counts_[b] ? counts_[a] > counts_[b] : values[a] < values[b];
              });
  }

  ValueIndex<L> index_;
  std::span<std::uint32_t> counts_;
  bool is_complete_ = true;
};

// The order of a dictionary's entries, the delta encoding of the indices and its estimated bits per
// number.
struct IndexEncoding {
  EntryOrder order = EntryOrder::kFrequency;
  AnyDelta delta;
  float bits = HUGE_VALF;
};

// Coarse bits of the deltas of at most max_deltas of the indices. With the order of appearance, an
// index that is larger than all before is the next new one in the sample, but may be any in the
// chunk, so it counts as a random index.
float coarse_delta_bits(std::span<const std::uint32_t> indices, std::size_t run_n, float scale,
                        EntryOrder order, std::size_t max_deltas = kMaxCoarseN) {
  std::array<std::uint32_t, kMaxCoarseN> deltas;
  std::size_t n = 0;
  std::size_t new_n = 0;
  std::uint32_t max_index = 0;
  for (std::size_t begin = 0; begin < indices.size() && n < max_deltas; begin += run_n) {
    const std::span<const std::uint32_t> rest = indices.subspan(begin);
    const std::span<const std::uint32_t> run = rest.first(std::min(run_n, rest.size()));
    max_index = std::max(max_index, run[0]);
    for (std::size_t i = 1; i < run.size() && n < max_deltas; ++i) {
      const bool is_new = order == EntryOrder::kAppearance && run[i] > max_index;
      max_index = std::max(max_index, run[i]);
      deltas[n] = run[i] - run[i - 1] + kMid<std::uint32_t>;
      n += is_new ? 0 : 1;
      new_n += is_new ? 1 : 0;
    }
  }
  const float known = static_cast<float>(n);
  const float unknown = static_cast<float>(new_n);
  const float bits = coarse_bits(std::span<const std::uint32_t>(deltas.data(), n), true, scale);
  return (known * bits + unknown * fast_log2(static_cast<float>(max_index + 1))) /
         (known + unknown + 1);
}

// Whether each step tells of the next one: weights that suit a smooth series, or noise around one,
// make steps correlate by -1/2 to 1, those of a random walk by 0. The sums are exact: indices are
// below 2^22, a quarter of the largest chunk, and samples have at most 2^18 of them.
bool steps_correlate(std::span<const std::uint32_t> latents, std::size_t run_n) {
  // It saves 0.07 bits at the least.
  constexpr double kMinCorrelation = 0.3;
  const auto step = [&](std::size_t i) {
    return std::int64_t{latents[i]} - std::int64_t{latents[i - 1]};
  };
  std::int64_t squares = 0;
  std::int64_t products = 0;
  for (std::size_t begin = 0; begin + run_n <= latents.size(); begin += run_n) {
    for (std::size_t i = begin + 2; i < begin + run_n; ++i) {
      squares += step(i) * step(i);
      products += step(i) * step(i - 1);
    }
  }
  return static_cast<double>(std::abs(products)) >= kMinCorrelation * static_cast<double>(squares);
}

// Finds the best order of the entries and delta encoding of the indices, by the bits of the indices
// without the entries.
template <Latent L>
IndexEncoding best_encoding(const Entries<L>& entries, const Sample& sample,
                            const EncodeEffort& effort, Arena& arena) {
  std::array<LatentArray, std::size(kEntryOrders)> indices;
  std::array<float, std::size(kEntryOrders)> coarse;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    indices[i] =
        entries.indices(std::span<const L>(sample.latents.as<L>()), kEntryOrders[i], arena);
    coarse[i] = coarse_delta_bits(indices[i].as<std::uint32_t>(), sample.run_n, sample.scale,
                                  kEntryOrders[i], kOrderDeltasN);
  }
  // Without a delta the order by frequency is never much worse than others.
  constexpr std::size_t kByFrequency = 1;
  static_assert(kEntryOrders[kByFrequency] == EntryOrder::kFrequency);
  IndexEncoding best{EntryOrder::kFrequency, NoDelta{},
                     estimate_consecutive(sample, indices[kByFrequency], 0, arena)};
  const float min_coarse = std::min(*std::min_element(coarse.begin(), coarse.end()),
                                    best.bits + kCoarseErrorBitsPerNumber);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const EntryOrder order = kEntryOrders[i];
    if (coarse[i] > kNearEntryOrderRatio * min_coarse) continue;
    const float bits = estimate_consecutive(sample, indices[i], 1, arena);
    if (bits < best.bits) best = {order, Consecutive{1, false}, bits};
    if (order == EntryOrder::kValue &&
        steps_correlate(indices[i].as<std::uint32_t>(), sample.run_n)) {
      const std::optional<FittedDelta> fitted =
          estimate_fitted(sample, indices[i], best.bits, effort, arena);
      if (fitted) best = {order, fitted->delta, fitted->bits};
    }
  }
  return best;
}

// The entropy per value of a source of which n values were counted and `expected` distinct ones are
// expected to exist. Values seen once stand for all that were seen once or not at all: they share
// their probability equally.
float expected_entropy(std::span<const std::uint32_t> counts, float n, float expected) {
  float bits = 0;
  float once = 0;
  for (const std::uint32_t count : counts) {
    if (count == 1) {
      once += 1;
    } else {
      bits += static_cast<float>(count) * fast_log2(n / static_cast<float>(count));
    }
  }
  if (once == 0) return bits / n;
  const float rare = expected - static_cast<float>(counts.size()) + once;
  return (bits + once * fast_log2(rare * n / once)) / n;
}

// The expected number of distinct values in the chunk, by Chao's estimate: the unseen ones are
// about the square of those seen once over twice those seen twice.
template <Latent L>
float expected_size(const Entries<L>& entries) {
  const float once = static_cast<float>(entries.seen(1));
  const float twice = static_cast<float>(entries.seen(2) + 1);
  return static_cast<float>(entries.size()) + once * once / (2 * twice);
}

// Cheap tests on a subsample, then on the sample, of whether a dictionary may save enough.
template <Latent L>
class DictPrefilter {
 public:
  DictPrefilter(const Sample& sample, std::size_t max_n, float entry_bits, const Estimate& to_beat,
                float required_saving, Arena& arena)
      : sample_(sample),
        subsample_(take_subsample(sample, kMaxCoarseN, arena)),
        max_n_(max_n),
        entry_bits_(entry_bits),
        to_beat_(to_beat),
        max_ratio_(1 - required_saving),
        arena_(arena) {}

  bool is_promising() {
    const bool is_all = subsample_.latents.n == sample_.latents.n;
    if (!may_save(subsample_, is_all ? 1 : kFirstIndexGrowthShare)) return false;
    return is_all || may_save(sample_, 1);
  }

 private:
  // Tests the entries of the subsample or the sample. index_growth: the share of the growth of
  // deltas from these entries to all expected ones that counts.
  bool may_save(const Sample& counted, float index_growth) {
    const std::span<const L> latents = counted.latents.as<L>();
    const Entries<L> entries(latents, std::min(max_n_, latents.size()), arena_);
    if (!entries.is_complete()) return false;
    const bool is_all = counted.scale <= 1;
    const float total = static_cast<float>(latents.size());
    const float seen = static_cast<float>(entries.size());
    const float expected = is_all ? seen : expected_size(entries);
    if (expected > static_cast<float>(max_n_)) return false;
    const float dict_bits = expected * entry_bits_;
    const float once = is_all ? 0 : static_cast<float>(entries.seen(1)) / total;
    const float max_ratio =
        std::min(kMaxEntropyRatio, max_ratio_) - kSeenOnceEntropyMarginRatio * once;
    if (expected_entropy(entries.counts(), total, expected) <
        max_ratio * (to_beat_.bits - dict_bits)) {
      return true;
    }
    // Unseen entries lie between those seen, so differences of indices grow.
    const float growth_bits = index_growth * fast_log2(expected / seen);
    // Coarse estimates are compared with a coarse one, since they share the same bias.
    const float max_bits = (max_ratio_ - kSeenOnceDeltaMarginRatio * once) * coarse_to_beat() *
                               (1 - dict_bits / to_beat_.bits) -
                           growth_bits;
    // The order by frequency is no better than both of these.
    for (const EntryOrder order : {EntryOrder::kAppearance, EntryOrder::kValue}) {
      const LatentArray indices =
          entries.indices(std::span<const L>(subsample_.latents.as<L>()), order, arena_);
      const std::span<const std::uint32_t> few = indices.as<std::uint32_t>();
      if (coarse_delta_bits(few, subsample_.run_n, subsample_.scale, order) < max_bits) {
        return true;
      }
    }
    return false;
  }

  // Computed when first needed: most tests end before.
  float coarse_to_beat() {
    if (!coarse_to_beat_) {
      coarse_to_beat_ =
          coarse_estimate(to_beat_.mode, subsample_, kMinCoarseOrders - 1, arena_).bits();
    }
    return *coarse_to_beat_;
  }

  const Sample& sample_;
  Sample subsample_;
  std::size_t max_n_;
  float entry_bits_;
  const Estimate& to_beat_;
  float max_ratio_;
  Arena& arena_;
  std::optional<float> coarse_to_beat_;
};

// The values that a primary variable of up to 32 bits might have; none of 64 bits can have weights.
float range_n(const LatentArray& primary) {
  if (primary.bits == 64) return HUGE_VALF;
  return primary.visit([](auto latents) {
    using L = typename decltype(latents)::value_type;
    const Range<L> range = range_of(std::span<const L>(latents));
    return static_cast<float>(range.upper - range.lower) + 1;
  });
}

// Whether a delta with weights saves enough for indices in a dictionary that it cannot save for the
// numbers: those of 64 bits, which cannot have one, and others whose values lie far apart, such as
// rounded multiples of a step. Only numbers that differences or weights suit are smooth enough.
template <Latent L>
bool may_gain_weights(const Sample& sample, const Estimate& to_beat, std::size_t max_distinct,
                      const EncodeEffort& effort, Arena& arena) {
  const float chunk_bits = to_beat.bits * sample.scale * static_cast<float>(sample.latents.n);
  if (effort.max_conv1_order == 0 || !may_have_weights(32, chunk_bits)) return false;
  if (!std::holds_alternative<Consecutive>(to_beat.delta) && !has_weights(to_beat.delta)) {
    return false;
  }
  const ArenaScope scratch(arena);
  const std::span<const L> latents = sample.latents.as<L>();
  const Entries<L> entries(latents, std::min(max_distinct, latents.size()), arena);
  const float expected = expected_size(entries);
  if (!entries.is_complete() || expected > static_cast<float>(max_distinct)) return false;
  if (range_n(split(to_beat.mode, sample.latents, arena).primary) < kMinLatticeStep * expected)
    return false;
  const LatentArray indices = entries.indices(latents, EntryOrder::kValue, arena);
  return steps_correlate(indices.as<std::uint32_t>(), sample.run_n);
}

template <Latent L>
std::optional<Estimate> find_dict(std::span<const L> ordered, const Sample& sample,
                                  const Estimate& to_beat, bool is_known,
                                  const EncodeEffort& effort, Arena& arena) {
  const float entry_bits = float{kBits<L>} / static_cast<float>(ordered.size());
  const std::size_t max_n = static_cast<std::size_t>(kMaxEntryShare * to_beat.bits / entry_bits);
  const Arena::Mark mark = arena.mark();
  const std::size_t max_distinct = std::min(
      max_n, static_cast<std::size_t>(kMaxDistinctShare * static_cast<float>(ordered.size())));
  const bool is_promising = is_known || DictPrefilter<L>(sample, max_distinct, entry_bits, to_beat,
                                                         effort.dict_required_saving_share, arena)
                                            .is_promising();
  if (!is_promising && !may_gain_weights<L>(sample, to_beat, max_distinct, effort, arena)) {
    return std::nullopt;
  }
  arena.rewind(mark);
  const Entries<L> entries(ordered, max_distinct, arena);
  if (!entries.is_complete()) {
    arena.rewind(mark);
    return std::nullopt;
  }
  const float all_entry_bits = entry_bits * static_cast<float>(entries.size());
  const IndexEncoding best = best_encoding(entries, sample, effort, arena);
  return Estimate{entries.dict(best.order, arena), best.delta, best.bits + all_entry_bits, 0};
}

}  // namespace

std::optional<Estimate> estimate_dict(const LatentArray& ordered, const Sample& sample,
                                      const Estimate& to_beat, bool is_known,
                                      const EncodeEffort& effort, Arena& arena) {
  if (to_beat.bits < kMinDictBitsPerNumber) return std::nullopt;
  return ordered.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    return find_dict(std::span<const L>(latents), sample, to_beat, is_known, effort, arena);
  });
}

}  // namespace numpact::internal
