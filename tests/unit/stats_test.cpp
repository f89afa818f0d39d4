// SPDX-License-Identifier: Apache-2.0
// Sorting, histograms, and the merging of their bins.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/internal.hpp"
#include "pco/bins/bin_optimizer.hpp"
#include "pco/latent/latent_encoder.hpp"
#include "pco/stats/intervals.hpp"
#include "pco/stats/known_values.hpp"
#include "pco/stats/log2.hpp"
#include "pco/stats/narrow.hpp"
#include "pco/stats/nonzero.hpp"
#include "pco/stats/sort.hpp"
#include "pco/stats/unmatched.hpp"
#include "support/distributions.hpp"
#include "targets.hpp"

namespace numpact::testing {
namespace {

template <class T>
class Stats : public ::testing::Test {
 protected:
  // Latents of the width, from every kind of data.
  static std::vector<T> random_latents(Random& random) {
    const std::size_t n = random.one_in(2) ? random.between(1, 100) : random.between(1, 5000);
    const Numbers numbers =
        make_numbers(random.pick(distribution_names()), kNumberTypeOf<T>, n, random);
    const std::span<const T> span = numbers.as<T>().value();
    return {span.begin(), span.end()};
  }
};
using Widths = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(Stats, Widths);

TYPED_TEST(Stats, SortedCopyIsSorted) {
  Random random(15);
  Arena arena(std::pmr::new_delete_resource());
  for (int round = 0; round < 600; ++round) {
    arena.reset();
    std::vector<TypeParam> latents = this->random_latents(random);
    const auto [min_value, max_value] = std::minmax_element(latents.begin(), latents.end());
    const bool exact_range = random.one_in(2);
    const TypeParam lower = exact_range ? *min_value : TypeParam{0};
    const TypeParam upper = exact_range ? *max_value : static_cast<TypeParam>(~TypeParam{0});
    std::vector<TypeParam> expected = latents;
    std::sort(expected.begin(), expected.end());
    for_each_target([&] {
      const auto sorted = sorted_copy(std::span<const TypeParam>(latents), lower, upper, arena);
      ASSERT_TRUE(std::equal(sorted.begin(), sorted.end(), expected.begin(), expected.end()));
    });
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(Stats, RangeIsTight) {
  Random random(16);
  for (int round = 0; round < 100; ++round) {
    const std::vector<TypeParam> latents = this->random_latents(random);
    const TypeParam min_value = *std::min_element(latents.begin(), latents.end());
    const TypeParam max_value = *std::max_element(latents.begin(), latents.end());
    for_each_target([&] {
      const Range<TypeParam> range = range_of(std::span<const TypeParam>(latents));
      ASSERT_EQ(range.lower, min_value);
      ASSERT_EQ(range.upper, max_value);
    });
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(Stats, NonzeroCountsAreTaken) {
  Random random(20);
  for (int round = 0; round < 100; ++round) {
    const std::size_t n = random.between(1, 250);
    const std::uint64_t gaps = random.between(1, 20);
    const TypeParam lower = static_cast<TypeParam>(random.below(256 - n));
    std::vector<std::uint32_t> counts(n);
    std::vector<TypeParam> expected_values;
    std::vector<std::uint32_t> expected_counts;
    for (std::size_t i = 0; i < n; ++i) {
      if (!random.one_in(gaps)) continue;
      counts[i] = static_cast<std::uint32_t>(random.between(1, 0xffffffff));
      expected_values.push_back(static_cast<TypeParam>(lower + i));
      expected_counts.push_back(counts[i]);
    }
    for_each_target([&] {
      std::vector<std::uint32_t> some = counts;
      std::vector<TypeParam> values(n + kNonzeroSlackN);
      const std::size_t size = take_nonzero<TypeParam>(some, lower, values.data());
      values.resize(size);
      some.resize(size);
      ASSERT_EQ(values, expected_values);
      ASSERT_EQ(some, expected_counts);
    });
  }
}

TYPED_TEST(Stats, NarrowLatentsAreTheSame) {
  using L = TypeParam;
  Random random(31);
  for (int round = 0; round < 300; ++round) {
    const auto range_bits = static_cast<unsigned>(random.between(1, kBits<L>));
    std::vector<L> latents(random.one_in(3) ? random.between(1, 1000) : random.between(1, 70));
    const auto base = static_cast<L>(random.bits(kBits<L>));
    for (L& latent : latents) latent = static_cast<L>(base + random.bits(range_bits));
    const auto [min_value, max_value] = std::minmax_element(latents.begin(), latents.end());
    const std::uint64_t width = *max_value - std::uint64_t{*min_value};
    const unsigned narrowest = width >> 8 == 0    ? 8
                               : width >> 16 == 0 ? 16
                               : width >> 32 == 0 ? 32
                                                  : 64;
    for_each_target([&] {
      std::vector<L> used = latents;
      const NarrowLatents kept = narrow(LatentArray(std::span<L>(used)));
      ASSERT_EQ(kept.latents.bits, std::min(kBits<L>, narrowest));
      ASSERT_EQ(kept.latents.n, latents.size());
      kept.latents.visit([&](auto span) {
        for (std::size_t i = 0; i < latents.size(); ++i) {
          ASSERT_EQ(span[i] + kept.base, latents[i]) << i;
        }
      });
    });
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(Stats, IntervalsAreTheOnesThatHoldTheLatents) {
  Random random(21);
  Arena arena(std::pmr::new_delete_resource());
  for (const std::size_t interval_n : {1u, 2u, 3u, 8u, 9u, 10u, 16u, 17u, 80u, 81u, 82u, 255u, 729u,
                                       730u, 1000u, 5000u, 6561u, 7000u, 60000u}) {
    arena.reset();
    std::vector<TypeParam> lowers(interval_n);
    const auto range_bits = static_cast<unsigned>(random.between(8, 64));
    for (auto& lower : lowers) lower = static_cast<TypeParam>(random.bits(range_bits));
    if (random.one_in(2)) lowers[0] = 0;
    if (random.one_in(2)) lowers[interval_n - 1] = static_cast<TypeParam>(~TypeParam{0});
    std::sort(lowers.begin(), lowers.end());
    lowers.erase(std::unique(lowers.begin(), lowers.end()), lowers.end());
    std::vector<TypeParam> latents(random.between(1, 3000));
    std::vector<std::uint16_t> expected(latents.size());
    for (std::size_t i = 0; i < latents.size(); ++i) {
      const TypeParam near = random.pick(lowers);
      latents[i] = random.one_in(2) ? static_cast<TypeParam>(near + random.below(3) - 1)
                                    : static_cast<TypeParam>(random.bits(64));
      const auto above = std::upper_bound(lowers.begin(), lowers.end(), latents[i]);
      expected[i] =
          static_cast<std::uint16_t>(std::max<std::ptrdiff_t>(1, above - lowers.begin()) - 1);
    }
    const auto tree = IntervalTree<TypeParam>::make(
        lowers.size(), [&](std::size_t i) { return lowers[i]; }, arena);
    for_each_target([&] {
      std::vector<std::uint16_t> indices(latents.size(), 0xffff);
      find_intervals(tree, std::span<const TypeParam>(latents), indices.data());
      ASSERT_EQ(indices, expected) << lowers.size() << " intervals";
    });
    if (::testing::Test::HasFatalFailure()) return;
  }
}

// Checks that bins are ascending, disjoint and tight, and count each latent once.
template <Latent L>
void expect_covers(const Histogram<L>& histogram, const std::vector<L>& latents) {
  std::map<L, std::uint32_t> counts;
  for (const L latent : latents) ++counts[latent];
  auto next = counts.begin();
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    ASSERT_LE(histogram.lowers[i], histogram.uppers[i]);
    if (i > 0) {
      ASSERT_GT(histogram.lowers[i], histogram.uppers[i - 1]);
    }
    ASSERT_NE(next, counts.end());
    ASSERT_EQ(next->first, histogram.lowers[i]);
    std::uint32_t count = 0;
    L last = 0;
    for (; next != counts.end() && next->first <= histogram.uppers[i]; ++next) {
      count += next->second;
      last = next->first;
    }
    ASSERT_EQ(last, histogram.uppers[i]);
    ASSERT_EQ(count, histogram.counts[i]);
  }
  ASSERT_EQ(next, counts.end());
}

HistogramSpec random_spec(Random& random) {
  HistogramSpec spec;
  spec.groups = std::size_t{1} << random.below(13);
  spec.max_values = random.one_in(4) ? 0 : random.below(500);
  return spec;
}

TYPED_TEST(Stats, HistogramCoversAll) {
  Random random(17);
  Arena arena(std::pmr::new_delete_resource());
  for (int round = 0; round < 600; ++round) {
    arena.reset();
    const std::vector<TypeParam> latents = this->random_latents(random);
    const HistogramSpec spec = random_spec(random);
    const auto histogram = make_histogram(std::span<const TypeParam>(latents), spec, arena);
    ASSERT_LE(histogram.size(), spec.max_bins(latents.size()));
    expect_covers(histogram, latents);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(Stats, SampledHistogramCoversAll) {
  Random random(22);
  Arena arena(std::pmr::new_delete_resource());
  for (int round = 0; round < 12; ++round) {
    arena.reset();
    const Numbers numbers =
        make_numbers(random.pick(distribution_names()), kNumberTypeOf<TypeParam>, 80000, random);
    std::vector<TypeParam> latents;
    for (const TypeParam latent : numbers.as<TypeParam>().value()) latents.push_back(latent);
    // So that values, groups and gaps between them all occur.
    for (int i = 0; i < 5000; ++i) {
      latents[random.below(latents.size())] =
          static_cast<TypeParam>(random.below(9) * (~TypeParam{0} / 8));
    }
    HistogramSpec spec = random_spec(random);
    spec.max_sample_stride = random.between(2, 9);
    const auto histogram = make_histogram(std::span<const TypeParam>(latents), spec, arena);
    ASSERT_LE(histogram.size(), spec.max_bins(latents.size()));
    expect_covers(histogram, latents);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

// Latents for which a sampled histogram returns interval indices.
template <Latent L>
std::vector<L> sampled_latents(bool in_values, Random& random) {
  std::vector<L> latents(70000);
  std::vector<L> values(random.between(1, 3000));
  for (L& value : values) value = static_cast<L>(random.bits(64));
  for (L& latent : latents) {
    const bool is_value = in_values && !random.one_in(4);
    latent = is_value ? random.pick(values) : static_cast<L>(random.bits(64));
  }
  return latents;
}

TYPED_TEST(Stats, IntervalIndicesDetermineTheSymbols) {
  using L = TypeParam;
  Random random(24);
  bool some_unmatched = false;
  bool all_matched = false;
  for_each_target([&] {
    for (const bool in_values : {false, true, true}) {
      Arena arena(std::pmr::new_delete_resource());
      const std::vector<L> latents = sampled_latents<L>(in_values, random);
      const std::span<const L> all(latents);
      HistogramSpec spec = random_spec(random);
      spec.max_values = 4000;
      spec.max_sample_stride = 8;
      std::vector<std::uint16_t> symbols(latents.size());
      IntervalIndices<L> indices{symbols, {}, 0};
      const auto histogram = make_histogram(all, spec, arena, &indices);
      const auto plain = make_histogram(all, spec, arena);
      ASSERT_TRUE(std::equal(histogram.lowers.begin(), histogram.lowers.end(), plain.lowers.begin(),
                             plain.lowers.end()));
      ASSERT_EQ(indices.ends.empty(), sizeof(L) <= 2) << "narrow ranges are counted";
      if (indices.ends.empty()) continue;
      std::size_t unmatched_n = 0;
      for (std::size_t i = 0; i < latents.size(); ++i) {
        if (symbols[i] == kUnmatched) {
          ++unmatched_n;
          continue;
        }
        ASSERT_LT(symbols[i], indices.ends.size());
        ASSERT_LE(latents[i], indices.ends[symbols[i]]);
        const bool is_first = symbols[i] == 0;
        ASSERT_TRUE(is_first || latents[i] > indices.ends[symbols[i] - 1u]);
      }
      ASSERT_EQ(unmatched_n, indices.unmatched_n);
      some_unmatched = some_unmatched || unmatched_n > 0;
      all_matched = all_matched || unmatched_n == 0;
      const auto merged = optimize_bins(histogram, BinCosts{60, 12}, arena).bins;
      std::vector<Bin> bins;
      for (std::size_t i = 0; i < merged.size(); ++i) {
        const auto width = static_cast<L>(merged.uppers[i] - merged.lowers[i]);
        bins.push_back({merged.lowers[i], 1, static_cast<std::uint32_t>(std::bit_width(width))});
      }
      const Binning binning{kBits<L>, 0, bins};
      std::vector<std::uint16_t> expected(latents.size());
      find_symbols(binning, all, expected.data(), arena);
      find_symbols(binning, all, indices, arena);
      ASSERT_EQ(symbols, expected);
    }
  });
  EXPECT_EQ(some_unmatched && all_matched, sizeof(L) > 2);
}

template <class T>
class Unmatched : public ::testing::Test {};
using WideLatents = ::testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(Unmatched, WideLatents);

TYPED_TEST(Unmatched, AreTakenAndSet) {
  using L = TypeParam;
  Random random(25);
  for (int round = 0; round < 60; ++round) {
    const std::size_t n = random.between(1, kTakeBlockN);
    const std::uint64_t one_in = random.between(1, 40);
    std::vector<L> latents(n);
    std::vector<std::uint16_t> indices(n);
    std::vector<L> expected;
    std::vector<std::uint16_t> expected_symbols(n);
    std::vector<std::uint16_t> found;
    for (std::size_t i = 0; i < n; ++i) {
      latents[i] = static_cast<L>(random.bits());
      indices[i] = static_cast<std::uint16_t>(random.below(kUnmatched));
      expected_symbols[i] = indices[i];
      if (!random.one_in(one_in)) continue;
      indices[i] = kUnmatched;
      expected.push_back(latents[i]);
      found.push_back(static_cast<std::uint16_t>(random.below(kUnmatched)));
      expected_symbols[i] = found.back();
    }
    found.resize(found.size() + kTakeSlackBytes);
    for_each_target([&] {
      TakenBits bits;
      std::vector<L> taken(n + kTakeSlackBytes / sizeof(L));
      taken.resize(take_unmatched(std::span<const L>(latents), indices.data(), bits, taken.data()));
      ASSERT_EQ(taken, expected);
      std::vector<std::uint16_t> symbols = indices;
      for (std::uint16_t& symbol : symbols) symbol = symbol == kUnmatched ? 0 : symbol;
      set_taken_symbols(bits, found.data(), symbols);
      ASSERT_EQ(symbols, expected_symbols);
    });
  }
}

// Many starts have the same cost if bins are similar: the choice must not depend on the lanes.
TYPED_TEST(Stats, BinsAreTheSameForAllTargets) {
  using L = TypeParam;
  Random random(33);
  for (int round = 0; round < 60; ++round) {
    const std::size_t n = random.between(1, sizeof(L) == 1 ? 200 : 900);
    const L step =
        static_cast<L>(random.between(1, std::max<std::uint64_t>(1, (L(~L{0}) / 2) / n)));
    std::vector<L> lowers(n);
    std::vector<L> uppers(n);
    std::vector<std::uint32_t> counts(n);
    const bool are_similar = random.one_in(2);
    for (std::size_t i = 0; i < n; ++i) {
      lowers[i] = static_cast<L>(i * step);
      uppers[i] = are_similar ? lowers[i] : static_cast<L>(lowers[i] + random.below(step));
      counts[i] = static_cast<std::uint32_t>(are_similar ? 8 : random.between(1, 50));
    }
    const Histogram<L> histogram{lowers, uppers, counts};
    const BinCosts costs{static_cast<float>(random.between(1, 80)),
                         static_cast<unsigned>(random.between(4, 12))};
    std::vector<L> first;
    for_each_target([&] {
      Arena arena(std::pmr::new_delete_resource());
      const auto merged = optimize_bins(histogram, costs, arena);
      const std::vector<L> bins(merged.bins.lowers.begin(), merged.bins.lowers.end());
      if (first.empty()) first = bins;
      ASSERT_EQ(bins, first) << n;
    });
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(Stats, KnownValuesAreCounted) {
  using L = TypeParam;
  Random random(25);
  for_each_target([&] {
    for (int round = 0; round < 60; ++round) {
      Arena arena(std::pmr::new_delete_resource());
      const std::vector<L> latents = this->random_latents(random);
      std::vector<L> values{random.pick(latents)};
      for (std::size_t i = random.below(300); i > 0; --i) {
        values.push_back(random.one_in(4) ? static_cast<L>(random.bits(64)) : random.pick(latents));
      }
      std::sort(values.begin(), values.end());
      values.erase(std::unique(values.begin(), values.end()), values.end());
      std::vector<std::uint32_t> expected_counts(values.size());
      std::vector<L> expected_rest;
      std::vector<std::uint16_t> expected_indices;
      for (const L latent : latents) {
        const auto at = std::lower_bound(values.begin(), values.end(), latent);
        if (at != values.end() && *at == latent) {
          const auto index = static_cast<std::size_t>(at - values.begin());
          ++expected_counts[index];
          expected_indices.push_back(static_cast<std::uint16_t>(index));
        } else {
          expected_rest.push_back(latent);
          expected_indices.push_back(kUnmatched);
        }
      }
      // Any value may be passed as the most frequent one.
      const std::size_t frequent = random.below(values.size() + 1);
      std::vector<std::uint32_t> counts(values.size());
      std::vector<std::uint16_t> indices(latents.size());
      std::vector<L> rest(latents.size());
      rest.resize(
          count_known<L>(latents, values, frequent, counts, indices.data(), rest.data(), arena));
      ASSERT_EQ(counts, expected_counts);
      ASSERT_EQ(indices, expected_indices);
      ASSERT_EQ(rest, expected_rest);
    }
  });
}

TYPED_TEST(Stats, FrequentValuesHaveBinsOfTheirOwn) {
  Random random(18);
  Arena arena(std::pmr::new_delete_resource());
  std::vector<TypeParam> latents(5000);
  for (auto& latent : latents) latent = static_cast<TypeParam>(random.bits(64));
  for (std::size_t i = 0; i < 1000; ++i) latents[3 * i] = 77;
  const auto histogram = make_histogram(std::span<const TypeParam>(latents), {16, 4}, arena);
  const auto at = std::find(histogram.lowers.begin(), histogram.lowers.end(), TypeParam{77});
  ASSERT_NE(at, histogram.lowers.end());
  EXPECT_EQ(histogram.uppers[static_cast<std::size_t>(at - histogram.lowers.begin())], 77);
}

// Many values of count 1 in a row are added to a group at once, with the same result as one by one.
TYPED_TEST(Stats, GroupsAreThoseOfOneByOne) {
  Random random(83);
  Arena arena(std::pmr::new_delete_resource());
  for (int round = 0; round < 200; ++round) {
    arena.reset();
    std::vector<TypeParam> latents(random.between(1, 3000));
    for (auto& latent : latents) latent = static_cast<TypeParam>(random.bits(64));
    // Repeat some of them.
    for (std::size_t k = random.below(latents.size()); k > 0; --k) {
      latents[random.below(latents.size())] = latents[k];
    }
    const std::size_t groups = random.between(1, 200);
    const auto histogram = make_histogram(std::span<const TypeParam>(latents), {0, groups}, arena);
    std::map<TypeParam, std::uint32_t> values;
    for (const TypeParam latent : latents) ++values[latent];
    const std::size_t group_n = (latents.size() + groups - 1) / groups;
    std::vector<TypeParam> lowers;
    std::vector<TypeParam> uppers;
    std::vector<std::uint32_t> counts;
    for (const auto& [value, count] : values) {
      if (counts.empty() || counts.back() + count / 2 >= group_n) {
        lowers.push_back(value);
        uppers.push_back(value);
        counts.push_back(0);
      }
      uppers.back() = value;
      counts.back() += count;
    }
    ASSERT_TRUE(
        std::equal(lowers.begin(), lowers.end(), histogram.lowers.begin(), histogram.lowers.end()));
    ASSERT_TRUE(
        std::equal(uppers.begin(), uppers.end(), histogram.uppers.begin(), histogram.uppers.end()));
    ASSERT_TRUE(
        std::equal(counts.begin(), counts.end(), histogram.counts.begin(), histogram.counts.end()));
  }
}

TYPED_TEST(Stats, MergedBinsHoldTheSame) {
  Random random(19);
  Arena arena(std::pmr::new_delete_resource());
  for (int round = 0; round < 300; ++round) {
    arena.reset();
    const std::vector<TypeParam> latents = this->random_latents(random);
    HistogramSpec spec = random_spec(random);
    spec.groups = std::min<std::size_t>(spec.groups, 256);
    const auto histogram = make_histogram(std::span<const TypeParam>(latents), spec, arena);
    BinCosts costs;
    costs.meta_bits = static_cast<float>(random.below(80));
    const auto merged = optimize_bins(histogram, costs, arena);
    ASSERT_LE(merged.bins.size(), histogram.size());
    expect_covers(merged.bins, latents);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

// None of all 2^(n-1) merges of a small histogram is cheaper.
TYPED_TEST(Stats, MergedBinsAreTheCheapest) {
  Random random(20);
  for_each_target([&] {
    Arena arena(std::pmr::new_delete_resource());
    for (int round = 0; round < 100; ++round) {
      arena.reset();
      std::vector<TypeParam> latents(300);
      for (auto& latent : latents) {
        latent = static_cast<TypeParam>(random.bits(static_cast<unsigned>(random.below(65))));
      }
      const auto histogram = make_histogram(std::span<const TypeParam>(latents), {0, 8}, arena);
      const std::size_t n = histogram.size();
      ASSERT_LE(n, 17u);
      BinCosts costs;
      costs.meta_bits = static_cast<float>(random.below(60));
      float min_bits = 1e30f;
      for (std::uint32_t boundaries = 0; boundaries < 1u << (n - 1); ++boundaries) {
        float bits = 0;
        std::size_t first = 0;
        std::uint32_t count = 0;
        for (std::size_t i = 0; i < n; ++i) {
          count += histogram.counts[i];
          if (i + 1 < n && (boundaries >> i & 1) == 0) continue;
          const auto width = static_cast<TypeParam>(histogram.uppers[i] - histogram.lowers[first]);
          bits += costs.meta_bits + static_cast<float>(count) *
                                        (fast_log2(300.0f) - fast_log2(static_cast<float>(count)) +
                                         static_cast<float>(std::bit_width(width)));
          first = i + 1;
          count = 0;
        }
        min_bits = std::min(min_bits, bits);
      }
      const auto merged = optimize_bins(histogram, costs, arena);
      EXPECT_NEAR(merged.total_bits, min_bits, 0.5f + min_bits * 1e-4f);
    }
  });
}

// The smallest cost of all merges, by trying all starts for each end.
template <Latent L>
float cheapest(const Histogram<L>& histogram, float meta_bits) {
  std::vector<float> before(1, 0);
  for (const std::uint32_t count : histogram.counts) {
    before.push_back(before.back() + static_cast<float>(count));
  }
  std::vector<float> best(1, 0);
  for (std::size_t j = 1; j < before.size(); ++j) {
    float min_bits = 1e30f;
    for (std::size_t i = 0; i < j; ++i) {
      const float count = before[j] - before[i];
      const auto range = static_cast<L>(histogram.uppers[j - 1] - histogram.lowers[i]);
      min_bits = std::min(min_bits, best[i] + meta_bits +
                                        count * (fast_log2(before.back()) - fast_log2(count) +
                                                 static_cast<float>(std::bit_width(range))));
    }
    best.push_back(min_bits);
  }
  return best.back();
}

TYPED_TEST(Stats, ManyBinsAreMergedNearlyAsCheaply) {
  Random random(23);
  Arena arena(std::pmr::new_delete_resource());
  double bits = 0;
  double min_bits_sum = 0;
  for (int round = 0; round < 12; ++round) {
    arena.reset();
    const std::size_t n = 20000;
    const Numbers numbers =
        make_numbers(random.pick(distribution_names()), kNumberTypeOf<TypeParam>, n, random);
    HistogramSpec spec;
    spec.groups = random.between(200, 1500);
    spec.max_values = random.below(500);
    const auto histogram = make_histogram(numbers.as<TypeParam>().value(), spec, arena);
    BinCosts costs;
    costs.meta_bits = static_cast<float>(random.between(5, 80));
    const float min_bits = cheapest(histogram, costs.meta_bits);
    for_each_target([&] {
      const float merged = optimize_bins(histogram, costs, arena).total_bits;
      ASSERT_GE(merged, min_bits * 0.9999f - 1);
      ASSERT_LE(merged, min_bits * 1.005f + 1);
      bits += static_cast<double>(merged);
      min_bits_sum += static_cast<double>(min_bits);
    });
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_LE(bits, 1.0005 * min_bits_sum);
}

void expect_log2(float x) {
  ASSERT_NEAR(static_cast<double>(fast_log2(x)), std::log2(static_cast<double>(x)),
              double{kMaxFastLog2Error})
      << x;
}

TEST(FastLog2, IsCloseToLog2) {
  float x = 1;
  for (int i = 0; i < 172'000; ++i, x *= 1.0001f) expect_log2(x);  // up to 2^24
  // Some mantissas under every exponent of a normal float.
  constexpr std::uint32_t kMantissas = 1u << 23;
  for (std::uint32_t exponent = 1; exponent < 255; ++exponent) {
    for (std::uint32_t mantissa = 0; mantissa < kMantissas; mantissa += 4099) {
      expect_log2(std::bit_cast<float>(exponent << 23 | mantissa));
    }
  }
  // The bound is not much larger than the error: here it is 3.45e-5.
  constexpr float kWorst = 1.48018909f;
  const double error = static_cast<double>(fast_log2(kWorst)) - std::log2(double{kWorst});
  EXPECT_GT(std::fabs(error), 0.8 * double{kMaxFastLog2Error});
  for (int i = 0; i < 25; ++i) {
    EXPECT_EQ(fast_log2(static_cast<float>(1 << i)), static_cast<float>(i));
  }
}

}  // namespace
}  // namespace numpact::testing
