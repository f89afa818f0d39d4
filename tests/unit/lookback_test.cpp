// SPDX-License-Identifier: Apache-2.0
// The search for lookbacks, its kernels and costs, and the decision for Lookback.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/internal.hpp"
#include "pco/bins/binning.hpp"
#include "pco/encode/estimate/binned.hpp"
#include "pco/encode/lookback/evaluate.hpp"
#include "pco/encode/lookback/match/hash_kernel.hpp"
#include "pco/encode/lookback/match/periods.hpp"
#include "pco/encode/lookback/optimize/costs.hpp"
#include "pco/encode/lookback/optimize/search.hpp"
#include "pco/encode/lookback/optimize/search_kernel.hpp"
#include "pco/encode/lookback/prefilter.hpp"
#include "support/random.hpp"
#include "targets.hpp"

namespace numpact::testing {
namespace {

template <Latent L>
std::uint32_t naive_cost(const std::vector<L>& latents, std::size_t i, std::uint32_t lookback,
                         const DeltaCosts& costs) {
  const L delta = static_cast<L>(latents[i] - latents[i - lookback]);
  const L sign = delta >= kMid<L> ? static_cast<L>(~L{0}) : L{0};
  const auto width = static_cast<unsigned>(std::bit_width(static_cast<L>((delta << 1) ^ sign)));
  return costs[class_of_width<L>(width)];
}

std::uint32_t min_other_cost(const std::vector<std::uint16_t>& costs,
                             const FrequentLookbacks& frequent) {
  const auto begin = frequent.lookbacks.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(frequent.n);
  std::uint32_t min_cost = 0xffff;
  for (std::uint32_t lookback = 1; lookback < costs.size(); ++lookback) {
    if (std::find(begin, end, lookback) == end)
      min_cost = std::min<std::uint32_t>(min_cost, costs[lookback]);
  }
  return min_cost;
}

template <class T>
class LookbackKernel : public ::testing::Test {
 protected:
  // Windows of various widths, some equal.
  static std::vector<T> latents(std::size_t n, Random& random) {
    std::vector<T> result(n);
    const auto width = static_cast<unsigned>(random.between(0, kBits<T>));
    for (T& latent : result) {
      latent = static_cast<T>(random.bits(static_cast<unsigned>(random.below(width + 1))));
      if (random.one_in(4)) latent = static_cast<T>(T{0} - latent);
    }
    return result;
  }
};
using Words = ::testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(LookbackKernel, Words);

TYPED_TEST(LookbackKernel, ChoosesTheCheapest) {
  using L = TypeParam;
  Random random(61);
  for_each_target([&] {
    for (int round = 0; round < 300; ++round) {
      const std::size_t first = random.between(1, 300);
      const std::size_t n = random.between(1, 200);
      const std::vector<L> latents = this->latents(first + n, random);
      std::vector<std::uint16_t> costs(first + n + 1);
      for (auto& cost : costs) cost = static_cast<std::uint16_t>(random.below(2000));
      DeltaCosts delta_costs;
      for (auto& cost : delta_costs) cost = static_cast<std::uint32_t>(random.below(6000));
      FrequentLookbacks frequent;
      frequent.n = random.between(1, kMaxFrequent);
      for (std::size_t k = 0; k < frequent.n; ++k) {
        const std::uint64_t max_lookback =
            random.one_in(3) ? first + n - 1 : std::min<std::uint64_t>(first, 9);
        frequent.lookbacks[k] = static_cast<std::uint32_t>(random.between(1, max_lookback));
        frequent.costs[k] = costs[frequent.lookbacks[k]];
      }
      frequent.lookbacks[frequent.n - 1] = 1;
      frequent.costs[frequent.n - 1] = costs[1];
      if (random.one_in(2)) frequent.min_other_cost = min_other_cost(costs, frequent);
      std::vector<std::vector<std::uint32_t>> others(3, std::vector<std::uint32_t>(first + n));
      for (auto& other : others) {
        for (std::size_t i = 1; i < first + n; ++i) {
          other[i] = static_cast<std::uint32_t>(random.between(1, i));
        }
      }
      const bool no_others = random.one_in(4);
      const LookbackTask<L> task{latents.data(),
                                 first,
                                 n,
                                 &frequent,
                                 &delta_costs,
                                 costs.data(),
                                 no_others ? nullptr : others[0].data(),
                                 no_others ? nullptr : others[1].data(),
                                 no_others ? nullptr : others[2].data()};
      std::vector<std::uint32_t> chosen(n);
      choose_cheapest(task, chosen.data());
      for (std::size_t j = 0; j < n; ++j) {
        std::uint32_t min_cost = ~std::uint32_t{0};
        std::uint32_t best = 0;
        const auto consider = [&](std::uint32_t lookback, std::uint32_t cost) {
          cost += naive_cost(latents, first + j, lookback, delta_costs);
          if (cost < min_cost) best = lookback;
          min_cost = std::min(min_cost, cost);
        };
        for (std::size_t k = 0; k < frequent.n; ++k) {
          if (frequent.lookbacks[k] <= first) consider(frequent.lookbacks[k], frequent.costs[k]);
        }
        for (const std::size_t kind : {1u, 0u, 2u}) {
          const std::uint32_t other = others[kind][first + j];
          if (!no_others) consider(other, costs[other]);
        }
        ASSERT_EQ(chosen[j], best) << "round " << round << " at " << j;
      }
    }
  });
}

// Interleaved streams far apart, with a noisy pattern that recurs. By few upper bits latents are
// similar at the distance of a turn, by more of them where stream and pattern coincide.
template <Latent L>
std::vector<L> streams_with_period(std::size_t n, std::size_t streams, std::size_t period,
                                   Random& random) {
  std::vector<L> offsets(streams);
  std::vector<L> pattern(period);
  for (L& offset : offsets) offset = static_cast<L>(random.bits());
  for (L& place : pattern) place = static_cast<L>(random.bits(kBits<L> - 8));
  std::vector<L> latents(n);
  for (std::size_t i = 0; i < n; ++i) {
    latents[i] = static_cast<L>(offsets[i % streams] + pattern[i % period] + random.below(8));
  }
  return latents;
}

TYPED_TEST(LookbackKernel, PeriodsWithinStreams) {
  using L = TypeParam;
  Arena arena(std::pmr::new_delete_resource());
  Random random(75);
  const std::vector<L> latents = streams_with_period<L>(2000, 5, 93, random);
  const Periods periods = find_periods(std::span<const L>(latents), 2, arena);
  const auto has = [&](std::uint32_t period) {
    return std::ranges::count(periods.all(), period) == 1;
  };
  EXPECT_TRUE(has(5));
  EXPECT_TRUE(has(5 * 93));
  const Periods far = find_periods(std::span<const L>(latents), 200, arena);
  ASSERT_GT(far.n, 0u);
  for (const std::uint32_t period : far.all()) {
    EXPECT_GE(period, 200u);
    EXPECT_LT(period, 1000u);
  }
}

TYPED_TEST(LookbackKernel, NothingRecurs) {
  using L = TypeParam;
  Arena arena(std::pmr::new_delete_resource());
  for (const std::size_t n : {1u, 2u, 3u, 1000u}) {
    std::vector<L> latents(n);
    for (std::size_t i = 0; i < n; ++i) latents[i] = static_cast<L>(i << (kBits<L> - 10));
    EXPECT_EQ(find_periods(std::span<const L>(latents), 2, arena).n, 0u) << n;
  }
}

template <class T>
class LookbackHashes : public ::testing::Test {};
using AllWidths = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(LookbackHashes, AllWidths);

TYPED_TEST(LookbackHashes, DependOnTheStringAloneOnEveryTarget) {
  using L = TypeParam;
  Random random(71);
  for (int round = 0; round < 20; ++round) {
    const unsigned doublings = static_cast<unsigned>(random.between(1, 4));
    const std::size_t string_n = std::size_t{1} << doublings;
    const std::size_t n = random.between(100, kHashBlockN);
    // The same string at two places, the second one in the next block.
    std::vector<L> latents(2 * kHashBlockN);
    for (L& latent : latents) latent = static_cast<L>(random.bits());
    std::copy_n(latents.begin() + 20, string_n,
                latents.begin() + static_cast<std::ptrdiff_t>(n) - 1);
    std::vector<std::uint32_t> expected;
    for_each_target([&] {
      HashBlock block;
      HashBlock first;
      HashBlock second;
      hash_latents(latents.data(), n, block);
      hash_strings(block, n, doublings, first);
      std::copy_n(block.hashes + n, kHashHistory, block.hashes);
      hash_latents(latents.data() + n, kHashBlockN, block);
      hash_strings(block, kHashBlockN, doublings, second);
      const std::uint32_t* const hashes = second.hashes + kHashHistory;
      EXPECT_EQ(first.hashes[kHashHistory + 19 + string_n], hashes[string_n - 2]);
      if (sizeof(L) > 1) {
        EXPECT_NE(first.hashes[kHashHistory + 18 + string_n], hashes[string_n - 3]);
      }
      auto picked = std::make_unique<PickedHashes>();
      pick_hashes(second, kHashBlockN, 3, *picked);
      EXPECT_GT(picked->n, 40u);
      EXPECT_LT(picked->n, 250u);
      for (std::size_t j = 0; j < picked->n; ++j) {
        EXPECT_EQ(picked->hashes[j] >> 29, 0u);
        if (j > 0) {
          EXPECT_GT(picked->positions[j], picked->positions[j - 1]);
        }
      }
      std::vector<std::uint32_t> all(hashes, hashes + kHashBlockN);
      all.insert(all.end(), picked->hashes, picked->hashes + picked->n);
      all.insert(all.end(), picked->positions, picked->positions + picked->n);
      if (expected.empty()) expected = all;
      ASSERT_EQ(all, expected);
    });
  }
}

TEST(LookbackCosts, FrequentLookbacksAreCheap) {
  Arena arena(std::pmr::new_delete_resource());
  LookbackCosts costs(make_counts(1000, arena), 32, 0, 4, arena);
  ChosenLookbacks chosen;
  std::vector<std::uint32_t> lookbacks(3000);
  chosen.lookbacks = lookbacks;
  Random random(62);
  for (std::size_t i = 0; i < lookbacks.size(); ++i) {
    chosen.add(i % 2 == 0   ? 300
               : i % 3 == 0 ? 77
                            : static_cast<std::uint32_t>(random.between(1, 999)),
               i % 10 == 0 ? 5 : 0);
  }
  const float bits = costs.learn(chosen);
  // A half, a sixth, and a third spread over 1000; and the deltas.
  EXPECT_NEAR(bits, 1.46 + 10 / 3.0 + 0.47 + 0.4, 0.4);
  const FrequentLookbacks& frequent = costs.frequent();
  ASSERT_EQ(frequent.n, 4u);
  EXPECT_EQ(frequent.lookbacks[0], 300u);
  EXPECT_EQ(frequent.lookbacks[1], 77u);
  EXPECT_EQ(frequent.lookbacks[3], 1u);
  const std::uint16_t* const by_lookback = costs.lookback_costs();
  EXPECT_NEAR(by_lookback[300], 64, 5);
  EXPECT_NEAR(by_lookback[77], 64 * 2.58, 10);
  EXPECT_GT(by_lookback[700], 64 * 9);
  EXPECT_EQ(frequent.costs[0], by_lookback[300]);
  EXPECT_LE(frequent.min_other_cost, min_other_cost({by_lookback, by_lookback + 1000}, frequent));
  EXPECT_GT(frequent.min_other_cost, by_lookback[77]);
  EXPECT_LT(costs.delta_costs()[0], 20u);
  EXPECT_GT(costs.delta_costs()[9], costs.delta_costs()[5]);
  // The counts are zeros again: the second result is the same.
  EXPECT_EQ(costs.learn(chosen), bits);
}

// Smoothed counts may exceed the total. The cost then is zero, not negative.
TEST(LookbackCosts, NoneBelowZero) {
  for (const std::uint32_t n : {1u, 2u, 10u, 500u}) {
    Arena arena(std::pmr::new_delete_resource());
    LookbackCosts costs(make_counts(1000, arena), 32, 0, 4, arena);
    ChosenLookbacks chosen;
    std::vector<std::uint32_t> lookbacks(n, 1u);
    chosen.lookbacks = lookbacks;
    for (std::uint32_t i = 0; i < n; ++i) chosen.add(1, 0);
    costs.learn(chosen);
    EXPECT_LE(costs.lookback_costs()[1], 1u) << n;
    EXPECT_LE(costs.delta_costs()[0], 64u) << n;
  }
}

template <class T>
class LookbackSearch : public ::testing::Test {
 protected:
  // Checks that all lookbacks stay within the page and that all targets agree.
  static std::vector<std::uint32_t> search(std::vector<T>& latents, unsigned level) {
    std::vector<std::uint32_t> result;
    const Lookback spec = lookback_for(latents.size());
    const LatentArray all{std::span<T>(latents)};
    for_each_target([&] {
      Arena arena(std::pmr::new_delete_resource());
      const auto found = find_lookbacks(spec, all, arena, HUGE_VALF, level_row(level).search).all;
      ASSERT_EQ(found.size() + spec.state_n(), latents.size());
      if (result.empty()) result.assign(found.begin(), found.end());
      ASSERT_TRUE(std::equal(found.begin(), found.end(), result.begin(), result.end()));
    });
    for (std::size_t i = 0; i < result.size(); ++i) {
      EXPECT_GE(result[i], 1u);
      EXPECT_LE(result[i], i + spec.state_n());
    }
    return result;
  }
  static double share_of(const std::vector<std::uint32_t>& lookbacks, std::uint32_t lookback) {
    return static_cast<double>(std::count(lookbacks.begin(), lookbacks.end(), lookback)) /
           static_cast<double>(lookbacks.size());
  }
  static double zero_share(const std::vector<T>& latents,
                           const std::vector<std::uint32_t>& lookbacks) {
    const std::size_t state_n = latents.size() - lookbacks.size();
    std::size_t zeros = 0;
    for (std::size_t i = 0; i < lookbacks.size(); ++i) {
      zeros += latents[state_n + i] == latents[state_n + i - lookbacks[i]] ? 1 : 0;
    }
    return static_cast<double>(zeros) / static_cast<double>(lookbacks.size());
  }
};
TYPED_TEST_SUITE(LookbackSearch, AllWidths);

TYPED_TEST(LookbackSearch, AnyDataAnyLevel) {
  Random random(63);
  for (const std::size_t n : {2u, 3u, 17u, 255u, 256u, 257u, 1000u, 5000u, 40000u}) {
    std::vector<TypeParam> latents(n);
    const auto width = static_cast<unsigned>(random.between(1, kBits<TypeParam>));
    for (auto& latent : latents) latent = static_cast<TypeParam>(random.bits(width));
    for (const unsigned level : {0u, 5u, 8u, 12u}) this->search(latents, level);
  }
}

// Codes that mostly count up, so that a lookback of 1 seems cheap at first.
TYPED_TEST(LookbackSearch, PeriodThatCountsUp) {
  std::vector<TypeParam> latents(30000);
  for (std::size_t i = 0; i < latents.size(); ++i) {
    const std::size_t place = i % 90;
    latents[i] = static_cast<TypeParam>(place + place / 20);
  }
  const auto lookbacks = this->search(latents, 8);
  EXPECT_GT(this->share_of(lookbacks, 90), 0.98);
}

template <Latent L>
float bits_under(const std::vector<L>& latents, std::vector<std::uint32_t> lookbacks) {
  Arena arena(std::pmr::new_delete_resource());
  const std::size_t state_n = latents.size() - lookbacks.size();
  std::vector<L> deltas(lookbacks.size());
  for (std::size_t i = 0; i < deltas.size(); ++i) {
    const std::size_t at = state_n + i;
    deltas[i] = static_cast<L>(latents[at] - latents[at - lookbacks[i]] + kMid<L>);
  }
  return estimate_bits(LatentArray(std::span<L>(deltas)), 1, arena) +
         estimate_bits(LatentArray(std::span<std::uint32_t>(lookbacks)), 1, arena);
}

// All multiples of the period suit about equally well, and each number has another best one.
TYPED_TEST(LookbackSearch, PeriodUnderNoise) {
  if (sizeof(TypeParam) == 1) GTEST_SKIP() << "bytes are similar by chance";
  Random random(72);
  std::vector<TypeParam> latents(30000);
  for (const std::size_t period : {50u, 200u, 700u}) {
    std::vector<TypeParam> base(period);
    for (auto& latent : base) latent = static_cast<TypeParam>(random.bits());
    for (const unsigned noise : {2u, 10u, 40u}) {
      for (std::size_t i = 0; i < latents.size(); ++i) {
        latents[i] = static_cast<TypeParam>(base[i % period] + random.below(noise));
      }
      const auto lookbacks = this->search(latents, 8);
      auto period_alone = lookbacks;
      for (std::size_t i = 0; i < lookbacks.size(); ++i) {
        const bool reaches = latents.size() - lookbacks.size() + i >= period;
        period_alone[i] = reaches ? static_cast<std::uint32_t>(period) : 1;
      }
      EXPECT_LT(bits_under(latents, lookbacks), 1.02f * bits_under(latents, period_alone))
          << "period " << period << " noise " << noise;
    }
  }
}

// In a small sample each latent has another multiple of the turn that happens to suit it best. A
// lookback learned from one latent alone must not seem cheap to it.
TYPED_TEST(LookbackSearch, StreamsUnderNoiseInALongPage) {
  if (sizeof(TypeParam) == 1) GTEST_SKIP() << "bytes are similar by chance";
  constexpr std::size_t kStreams = 8;
  Random random(77);
  for (int round = 0; round < 5; ++round) {
    std::vector<double> level(kStreams);
    for (double& one : level) one = 10'000 + 40'000 * random.unit();
    std::vector<TypeParam> latents(90'000);
    for (std::size_t i = 0; i < latents.size(); ++i) {
      latents[i] = static_cast<TypeParam>(std::lround(level[i % kStreams] + 500 * random.normal()));
    }
    const auto lookbacks = this->search(latents, 8);
    auto turn = lookbacks;
    for (std::size_t i = 0; i < turn.size(); ++i) {
      turn[i] = latents.size() - turn.size() + i >= kStreams ? kStreams : 1;
    }
    EXPECT_LT(bits_under(latents, lookbacks), 1.02f * bits_under(latents, turn)) << round;
  }
}

TYPED_TEST(LookbackSearch, InterleavedStreams) {
  constexpr std::size_t kStreams = 7;
  Random random(64);
  std::vector<TypeParam> latents(30000);
  TypeParam streams[kStreams];
  for (auto& stream : streams) stream = static_cast<TypeParam>(random.bits());
  for (std::size_t i = 0; i < latents.size(); ++i) {
    TypeParam& stream = streams[i % kStreams];
    stream = static_cast<TypeParam>(stream + random.below(3));
    latents[i] = stream;
  }
  const auto lookbacks = this->search(latents, 8);
  EXPECT_GT(this->share_of(lookbacks, kStreams), 0.9);
}

// Lookbacks near the start matter, as there are few latents.
TYPED_TEST(LookbackSearch, ShortPages) {
  if (sizeof(TypeParam) == 1) GTEST_SKIP() << "bytes are similar by chance";
  constexpr std::size_t kStreams = 7;
  Random random(76);
  for (const std::size_t n : {300u, 700u, 1500u}) {
    std::vector<TypeParam> latents(n);
    for (std::size_t i = 0; i < n; ++i) {
      latents[i] = i < kStreams ? static_cast<TypeParam>(i * (std::uint64_t{1} << 13))
                                : static_cast<TypeParam>(latents[i - kStreams] + random.below(9));
    }
    EXPECT_GT(this->share_of(this->search(latents, 8), kStreams), 0.93) << n;
  }
}

// Rows that are similar to the one before.
TYPED_TEST(LookbackSearch, DriftingPeriod) {
  constexpr std::size_t kPeriod = 300;
  Random random(65);
  std::vector<TypeParam> latents(60000);
  for (std::size_t i = 0; i < latents.size(); ++i) {
    latents[i] = i < kPeriod ? static_cast<TypeParam>(random.bits())
                             : static_cast<TypeParam>(latents[i - kPeriod] + random.below(2));
  }
  const auto lookbacks = this->search(latents, 8);
  EXPECT_GT(this->share_of(lookbacks, kPeriod), 0.9);
}

TYPED_TEST(LookbackSearch, CopiesFromAnywhere) {
  if (sizeof(TypeParam) == 1) GTEST_SKIP() << "a byte is cheaper than a distance";
  Random random(66);
  std::vector<TypeParam> latents(60000);
  for (std::size_t i = 0; i < latents.size();) {
    const std::size_t end = std::min(latents.size(), i + random.between(20, 60));
    const bool copy = i > 1000 && !random.one_in(5);
    const std::size_t back = copy ? random.between(100, 1000) : 0;
    for (; i < end; ++i) {
      latents[i] = copy ? latents[i - back] : static_cast<TypeParam>(random.bits());
    }
  }
  const auto lookbacks = this->search(latents, 8);
  EXPECT_GT(this->zero_share(latents, lookbacks), sizeof(TypeParam) == 2 ? 0.5 : 0.75);
}

TYPED_TEST(LookbackSearch, GivesUp) {
  Random random(67);
  Arena arena(std::pmr::new_delete_resource());
  std::vector<TypeParam> latents(20000);
  for (auto& latent : latents) latent = static_cast<TypeParam>(random.bits());
  const LatentArray array{std::span<TypeParam>(latents)};
  const Lookback lookback = lookback_for(latents.size());
  EXPECT_TRUE(find_lookbacks(lookback, array, arena, 4.0f).all.empty());
  EXPECT_FALSE(find_lookbacks(lookback, array, arena, 100.0f).all.empty());
  EXPECT_TRUE(find_lookbacks(lookback, array.slice(0, 1), arena, 100.0f).all.empty());
}

constexpr std::size_t kSampleN = 8192;

// The whole decision, next to no delta or first order.
template <Latent L>
bool looks_back(std::vector<L> latents, Choice* choice = nullptr) {
  Arena arena(std::pmr::new_delete_resource());
  const LatentArray ordered{std::span<L>(latents)};
  const Sample sample = take_sample(ordered, default_sample_n(ordered.n, kSampleN), arena);
  Choice own{Classic{}, NoDelta{}, {}};
  const float bits = estimate_consecutive(sample, sample.latents, 0, arena);
  const float delta_bits = estimate_consecutive(sample, sample.latents, 1, arena);
  if (delta_bits < bits) own.delta = Consecutive{1, false};
  const LookbackInput input{latents.size(), std::min(bits, delta_bits), true};
  const bool result = try_lookback(sample, ordered, input, own, arena) == LookbackResult::kAccepted;
  EXPECT_EQ(result, std::holds_alternative<Lookback>(own.delta));
  EXPECT_EQ(result, !own.lookbacks.empty());
  if (choice != nullptr) *choice = own;
  return result;
}

TYPED_TEST(LookbackSearch, AcceptsRepeats) {
  Random random(68);
  for (const std::size_t n : {3000u, 100000u}) {
    for (const std::size_t period : {5u, 90u, 700u}) {
      std::vector<TypeParam> latents(n);
      for (std::size_t i = 0; i < n; ++i) {
        latents[i] = i < period ? static_cast<TypeParam>(random.bits()) : latents[i - period];
      }
      EXPECT_TRUE(looks_back(latents)) << n << " numbers, period " << period;
    }
  }
}

TYPED_TEST(LookbackSearch, AcceptsPeriodsWithinStreams) {
  if (sizeof(TypeParam) < 4) GTEST_SKIP() << "the streams are as near as the numbers of the period";
  Random random(77);
  for (const std::size_t n : {9000u, 50000u}) {
    const std::vector<TypeParam> latents = streams_with_period<TypeParam>(n, 5, 93, random);
    Choice choice;
    ASSERT_TRUE(looks_back(latents, &choice)) << n;
    // 3 bits of noise, half a bit more for its differences, the lookbacks, and the first period.
    EXPECT_LT(choice.bits, 5.0f + 465.0f * kBits<TypeParam> / static_cast<float>(n)) << n;
  }
}

TYPED_TEST(LookbackSearch, RejectsTheRest) {
  Random random(69);
  for (const std::size_t n : {1u, 100u, 3000u, 100000u}) {
    std::vector<TypeParam> uniform(n);
    std::vector<TypeParam> walk(n);
    std::vector<TypeParam> few(n);
    std::vector<TypeParam> runs(n);
    for (std::size_t i = 0; i < n; ++i) {
      const TypeParam before = i > 0 ? walk[i - 1] : TypeParam{0};
      uniform[i] = static_cast<TypeParam>(random.bits());
      walk[i] = static_cast<TypeParam>(before + random.below(9) - 4);
      few[i] = static_cast<TypeParam>(random.below(6) * random.below(6));
      runs[i] =
          i > 0 && !random.one_in(20) ? runs[i - 1] : static_cast<TypeParam>(random.below(100));
    }
    EXPECT_FALSE(looks_back(uniform)) << n;
    EXPECT_FALSE(looks_back(walk)) << n;
    EXPECT_FALSE(looks_back(few)) << n;
    // In a short page values looked back to may be cheaper than bins for them.
    EXPECT_FALSE(n > 5000 && looks_back(runs)) << n;
    EXPECT_FALSE(looks_back(std::vector<TypeParam>(n, TypeParam{3}))) << n;
  }
}

// Only the frequencies of values are uneven, which bins exploit as well.
TEST(LookbackPrefilter, RepeatedValuesAloneAreNotEnough) {
  Random random(74);
  Arena arena(std::pmr::new_delete_resource());
  std::vector<std::uint16_t> latents(std::size_t{1} << 19);
  for (auto& latent : latents) {
    std::uint64_t sum = 0;
    for (int i = 0; i < 4; ++i) sum += random.below(2000);
    latent = static_cast<std::uint16_t>(sum);
  }
  constexpr float kEntropy = 12.22f;  // of a normal distribution as wide: log2(s * sqrt(2 pi e))
  const LatentArray ordered{std::span<std::uint16_t>(latents)};
  const Sample sample = take_sample(ordered, default_sample_n(ordered.n, kSampleN), arena);
  const LookbackInput input{latents.size(), kEntropy + 0.05f, true};
  EXPECT_FALSE(prefilter_lookback(sample, ordered, Choice{}, input, arena).passes);
}

// A few values are so frequent that picked hashes do not represent the page, and the others are so
// many that each would take a bin, or an entry of a dictionary.
TEST(LookbackPrefilter, FewFrequentValuesInInterleavedStreams) {
  constexpr std::size_t kStreams = 6;
  constexpr std::size_t kN = 5000;
  Random random(78);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::uint64_t> offsets(kStreams);
    std::vector<std::uint64_t> ids(60);
    for (auto& offset : offsets) offset = random.bits(60);
    for (auto& id : ids) id = random.bits(40);
    std::vector<std::uint64_t> latents(kN);
    for (std::size_t i = 0; i < kN; ++i) {
      const double place = std::pow(random.unit(), 6) * 60;
      latents[i] = offsets[i % kStreams] + ids[static_cast<std::size_t>(place)];
    }
    EXPECT_TRUE(looks_back(latents)) << round;
  }
}

// Corrections repeat where numbers do.
TEST(LookbackEvaluate, SecondaryIsDeltaEncodedToo) {
  Random random(70);
  Arena arena(std::pmr::new_delete_resource());
  std::vector<std::uint64_t> latents(50000);
  for (std::size_t i = 0; i < latents.size(); ++i) {
    latents[i] = i < 600 ? random.below(1u << 20) * 1000 + random.below(64) : latents[i - 600];
  }
  const LatentArray ordered{std::span<std::uint64_t>(latents)};
  const Sample sample = take_sample(ordered, default_sample_n(ordered.n, kSampleN), arena);
  Choice choice{IntMult{1000}, NoDelta{}, {}};
  const LookbackInput input{latents.size(), 26, false, &level_row(kDefaultLevel), 6};
  ASSERT_EQ(try_lookback(sample, ordered, input, choice, arena), LookbackResult::kAccepted);
  EXPECT_TRUE(std::holds_alternative<IntMult>(choice.mode));
  ASSERT_TRUE(std::holds_alternative<Lookback>(choice.delta));
  EXPECT_TRUE(std::get<Lookback>(choice.delta).secondary);
}

}  // namespace
}  // namespace numpact::testing
