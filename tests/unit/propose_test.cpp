// SPDX-License-Identifier: Apache-2.0
// Modes proposed from a sample, the equations of Conv1, coarse estimates, and indices of values.
#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <cstdlib>

#include "base/internal.hpp"
#include "choose_cases.hpp"
#include "pco/encode/conv1/equations.hpp"
#include "pco/encode/estimate/coarse.hpp"
#include "pco/encode/modes/gcd.hpp"
#include "pco/encode/modes/propose.hpp"
#include "pco/mode/split.hpp"
#include "pco/mode/value_index.hpp"

namespace numpact::testing {
namespace {

class Propose : public ::testing::Test {
 protected:
  template <class L>
  Sample sample_of(Ordered<L>& ordered) {
    return take_sample(ordered.array(), 4096, arena_);
  }
  Candidates propose_int(const std::vector<std::int64_t>& numbers) {
    Ordered<std::uint64_t> ordered(numbers, NumberKind::kSigned);
    Candidates candidates;
    propose_int_mult(sample_of(ordered), candidates);
    return candidates;
  }
  Candidates propose_float(const std::vector<double>& numbers) {
    Ordered<std::uint64_t> ordered(numbers, NumberKind::kFloat);
    Candidates candidates;
    propose_float_mult(NumberType::kF64, sample_of(ordered), candidates, arena_);
    return candidates;
  }
  static bool has_int_base(const Candidates& candidates, std::uint64_t base) {
    for (const Candidate& candidate : candidates) {
      if (std::get<IntMult>(candidate.mode).base == base) return true;
    }
    return false;
  }
  static bool has_float_base(const Candidates& candidates, double base) {
    for (const Candidate& candidate : candidates) {
      if (std::get<FloatMult>(candidate.mode).base(NumberType::kF64) == base) return true;
    }
    return false;
  }

  Arena arena_{std::pmr::new_delete_resource()};
  Random random_{81};
};

TEST_F(Propose, GreatestCommonDivisor) {
  EXPECT_EQ(binary_gcd(0, 12), 12u);
  EXPECT_EQ(binary_gcd(12, 0), 12u);
  EXPECT_EQ(binary_gcd(48, 36), 12u);
  EXPECT_EQ(binary_gcd(~std::uint64_t{0}, 3), 3u);
  EXPECT_EQ(binary_gcd(7, 5), 1u);
}

TEST_F(Propose, TimestampsMostlyOfWholeMinutes) {
  std::vector<std::int64_t> numbers(20'000);
  std::int64_t now = 1'700'000'040'000;
  for (std::int64_t& number : numbers) {
    now += 60'000 * static_cast<std::int64_t>(random_.between(1, 30));
    const bool is_late = random_.one_in(10);
    number = now + (is_late ? static_cast<std::int64_t>(random_.below(5000)) : 0);
  }
  EXPECT_TRUE(has_int_base(propose_int(numbers), 60'000));
}

TEST_F(Propose, MoneyWithAnOffset) {
  std::vector<std::int64_t> numbers(5000);
  for (std::int64_t& number : numbers) {
    number = 3 + 25 * static_cast<std::int64_t>(random_.below(40'000));
  }
  EXPECT_TRUE(has_int_base(propose_int(numbers), 25));
}

// Nights of a light sensor: most triples of numbers have no differences.
TEST_F(Propose, BaseOfMainlyEqualNumbers) {
  std::vector<std::int64_t> numbers(8000);
  for (std::int64_t& number : numbers) {
    const std::uint64_t day = 100 * random_.between(1, 900);
    number = random_.below(100) < 85 ? 0 : static_cast<std::int64_t>(day);
    if (random_.one_in(50)) number += static_cast<std::int64_t>(random_.below(100));
  }
  EXPECT_TRUE(has_int_base(propose_int(numbers), 100));
}

TEST_F(Propose, NoBaseForRandomIntegers) {
  std::vector<std::int64_t> numbers(5000);
  for (std::int64_t& number : numbers) number = static_cast<std::int64_t>(random_.bits(40));
  EXPECT_EQ(propose_int(numbers).size(), 0u);
}

TEST_F(Propose, DecimalsWithMisfits) {
  std::vector<double> numbers = decimals(10'000, 100, random_);
  for (double& number : numbers) {
    if (random_.one_in(20)) number *= 1 + random_.unit() / 3;
  }
  EXPECT_TRUE(has_float_base(propose_float(numbers), 0.01));
}

TEST_F(Propose, MultiplesOfADecimal) {
  std::vector<double> fives = decimals(10'000, 20, random_);
  EXPECT_TRUE(has_float_base(propose_float(fives), 0.05));
  std::vector<double> dyadic = decimals(10'000, 256, random_);
  EXPECT_TRUE(has_float_base(propose_float(dyadic), 1.0 / 256));
  std::vector<double> thousands = decimals(10'000, 0.001, random_);
  EXPECT_TRUE(has_float_base(propose_float(thousands), 1000));
}

TEST_F(Propose, BaseThatIsNotADecimal) {
  std::vector<double> numbers(10'000);
  for (double& number : numbers) number = static_cast<double>(random_.between(1, 5000)) / 7;
  bool is_found = false;
  for (const Candidate& candidate : propose_float(numbers)) {
    const double base = std::get<FloatMult>(candidate.mode).base(NumberType::kF64);
    is_found = is_found || std::abs(base * 7 - 1) < 1e-12;
  }
  EXPECT_TRUE(is_found);
}

// Two of three numbers are multiples of 0.005. The others have more digits; a base that fits all is
// finer.
TEST_F(Propose, CoarseBaseThatDoesNotFitAThird) {
  std::vector<double> numbers(10'000);
  for (double& number : numbers) {
    const double multiple = static_cast<double>(random_.between(1, 2000)) / 200;
    number = random_.below(3) == 0 ? multiple + static_cast<double>(random_.below(1000)) / 1e9
                                   : multiple;
  }
  const Candidates candidates = propose_float(numbers);
  EXPECT_TRUE(has_float_base(candidates, 0.005));
  EXPECT_TRUE(has_float_base(candidates, 1e-9));
}

// Two of three numbers are fixed-point numbers of very different magnitudes.
TEST_F(Propose, PowerOfTwoWithFewExceptions) {
  std::vector<double> numbers(10'000);
  for (double& number : numbers) {
    const auto multiple =
        static_cast<double>(random_.bits(static_cast<unsigned>(random_.between(30, 50))));
    number = random_.one_in(3) ? random_.normal() : multiple * 0x1p-28;
  }
  EXPECT_TRUE(has_float_base(propose_float(numbers), 0x1p-28));
}

// Random numbers in [0, 1), made of integers. Those below a half store a bit more than the base
// needs, those below a quarter two, and so on.
TEST_F(Propose, PowerOfTwoThatDividesAllNumbers) {
  for (const unsigned bits : {32u, 53u}) {
    const double base = std::bit_cast<double>(std::uint64_t{1023 - bits} << 52);
    for (int round = 0; round < 20; ++round) {
      std::vector<double> numbers(3000);
      for (double& number : numbers) number = static_cast<double>(random_.bits(bits)) * base;
      EXPECT_TRUE(has_float_base(propose_float(numbers), base)) << bits;
    }
  }
}

TEST_F(Propose, FinestBasesForSmoothNumbers) {
  std::vector<double> numbers(10'000);
  double number = 40;
  for (double& one : numbers) {
    number += random_.normal() / 100;
    one = std::max(number, 1.0);
  }
  const double max_value = *std::max_element(numbers.begin(), numbers.end());
  ASSERT_GT(max_value, 32);
  ASSERT_LT(max_value, 64);
  const Candidates candidates = propose_float(numbers);
  EXPECT_TRUE(has_float_base(candidates, 1e-14));
  EXPECT_TRUE(has_float_base(candidates, std::ldexp(1.0, 6 - 53)));
}

// Positions in units of a receiver: multiples that are too large for Euclid's algorithm, but whose
// steps are not.
TEST_F(Propose, BaseFromSteps) {
  for (const double base : {180.0 / 0x1p31, 0.3048 / 65536, 1 / 3.7e7}) {
    std::vector<double> numbers(10'000);
    std::int64_t multiple = 600'000'000;
    for (double& number : numbers) {
      multiple += static_cast<std::int64_t>(random_.below(900)) - 450;
      number = static_cast<double>(multiple) * base;
    }
    double nearest = 1;
    for (const Candidate& candidate : propose_float(numbers)) {
      const double found = std::get<FloatMult>(candidate.mode).base(NumberType::kF64);
      nearest = std::min(nearest, std::abs(found / base - 1));
    }
    EXPECT_LT(nearest, 1e-15) << base;
  }
}

TEST_F(Propose, NoBaseForRandomFloats) {
  std::vector<double> numbers(10'000);
  for (double& number : numbers) number = random_.normal();
  EXPECT_EQ(propose_float(numbers).size(), 0u);
}

// The share of numbers that need corrections with the best divisor of the base.
template <class L, class T>
double min_corrections(NumberType type, double scale, const std::vector<T>& numbers) {
  Arena arena(std::pmr::new_delete_resource());
  Ordered<L> ordered(numbers, NumberKind::kFloat);
  const Sample sample = take_sample(ordered.array(), 4096, arena);
  Candidates divided;
  propose_float_mult_divisors(type, sample, {FloatMult::of(1 / scale, type), 1, scale}, divided);
  double min_share = 1;
  for (const Candidate& candidate : divided) {
    const SplitLatents latents = split(candidate.mode, ordered.array(), arena);
    double count = 0;
    for (const L latent : latents.secondary.as<L>()) count += latent != kMid<L> ? 1 : 0;
    min_share = std::min(min_share, count / static_cast<double>(numbers.size()));
  }
  return min_share;
}

TEST_F(Propose, OddDivisorsOfABaseNeedFewerCorrections) {
  EXPECT_LT(min_corrections<std::uint64_t>(NumberType::kF64, 10, decimals(10'000, 10, random_)),
            0.01);
  std::vector<float> singles;
  for (const double number : decimals(10'000, 10, random_)) {
    singles.push_back(static_cast<float>(number));
  }
  EXPECT_LT(min_corrections<std::uint32_t>(NumberType::kF32, 10, singles), 0.01);
}

TEST_F(Propose, QuantOfPrintedSingles) {
  std::vector<double> numbers(5000);
  char text[32];
  for (double& number : numbers) {
    std::snprintf(text, sizeof text, "%.15g", double{static_cast<float>(random_.normal())});
    number = std::strtod(text, nullptr);
  }
  Ordered<std::uint64_t> ordered(numbers, NumberKind::kFloat);
  Candidates candidates;
  propose_float_quant(NumberType::kF64, sample_of(ordered), candidates);
  ASSERT_EQ(candidates.size(), 1u);
  EXPECT_EQ(std::get<FloatQuant>(candidates.begin()->mode).k, 29u);
  for (double& number : numbers) number = random_.normal();
  Ordered<std::uint64_t> doubles(numbers, NumberKind::kFloat);
  Candidates none;
  propose_float_quant(NumberType::kF64, sample_of(doubles), none);
  EXPECT_EQ(none.size(), 0u);
}

// A third of the numbers end in many zeros, which saves more than it costs to mark them.
TEST_F(Propose, QuantWhereAMinorityEndsInZeros) {
  constexpr std::uint64_t kZeros = (std::uint64_t{1} << 20) - 1;
  std::vector<double> numbers(10'000);
  for (double& number : numbers) {
    number = random_.normal();
    if (!random_.one_in(3)) continue;
    number = std::bit_cast<double>(std::bit_cast<std::uint64_t>(number) & ~kZeros);
  }
  Ordered<std::uint64_t> ordered(numbers, NumberKind::kFloat);
  Candidates candidates;
  propose_float_quant(NumberType::kF64, sample_of(ordered), candidates);
  ASSERT_EQ(candidates.size(), 1u);
  EXPECT_EQ(std::get<FloatQuant>(candidates.begin()->mode).k, 20u);
  EXPECT_TRUE(candidates.begin()->fits_minority);
}

TEST_F(Propose, QuantOfSinglesStoredAsDoubles) {
  std::vector<double> numbers(5000);
  for (double& number : numbers) number = static_cast<float>(random_.normal());
  Ordered<std::uint64_t> ordered(numbers, NumberKind::kFloat);
  Candidates candidates;
  propose_float_quant(NumberType::kF64, sample_of(ordered), candidates);
  ASSERT_GE(candidates.size(), 1u);
  EXPECT_EQ(std::get<FloatQuant>(candidates.begin()->mode).k, 29u);
}

TEST_F(Propose, LagEquationsFindTheWeights) {
  const std::vector<std::int16_t> numbers = oscillations(8192, random_);
  const std::vector<double> values(numbers.begin(), numbers.end());
  const CentredRuns runs{values, 1024};
  const LagEquations plain(runs, 8);
  LagWeights weights{};
  ASSERT_TRUE(plain.solve(2, weights));
  EXPECT_NEAR(weights[0], 1.6, 0.03);
  EXPECT_NEAR(weights[1], -0.9, 0.03);
  const auto errors = plain.errors();
  EXPECT_NEAR(std::sqrt(errors[2]), 40, 2);
  EXPECT_LT(errors[2], 0.5 * plain.difference_error());
  EXPECT_GT(errors[0], errors[2]);
  // The shortcut along diagonals gives the same sums as the definition.
  const std::vector<double> ones(values.size(), 1.0);
  const LagEquations weighted(runs, ones, 8);
  LagWeights same{};
  ASSERT_TRUE(weighted.solve(2, same));
  EXPECT_NEAR(weights[0], same[0], 1e-9);
  EXPECT_NEAR(weights[1], same[1], 1e-9);
}

TEST_F(Propose, LagEquationsOfOneValueHaveNoSolution) {
  const std::vector<double> zeros(512, 0.0);
  LagWeights weights{};
  EXPECT_FALSE(LagEquations({zeros, 512}, 4).solve(4, weights));
}

TEST_F(Propose, CoarseEstimatesAreInOrder) {
  std::vector<std::uint32_t> wide(1024);
  std::vector<std::uint32_t> narrow(1024);
  std::vector<std::uint32_t> repeated(1024);
  for (std::size_t i = 0; i < wide.size(); ++i) {
    wide[i] = static_cast<std::uint32_t>(random_.bits(30));
    narrow[i] = 0x80000000u + static_cast<std::uint32_t>(random_.bits(8));
    repeated[i] = wide[i % 8];
  }
  const auto bits = [](const std::vector<std::uint32_t>& latents) {
    return coarse_bits(std::span<const std::uint32_t>(latents), true, 100);
  };
  EXPECT_NEAR(bits(wide), 30, 1.5);
  EXPECT_NEAR(bits(narrow), 8, 1);
  EXPECT_NEAR(bits(repeated), 3, 0.5);
}

TEST_F(Propose, ValueIndexNumbersInOrderOfAppearance) {
  ValueIndex<std::uint64_t> index(5000, arena_);
  for (std::uint32_t i = 0; i < 5000; ++i) {
    ASSERT_EQ(index.add(std::uint64_t{i} * i * 77), i);
    ASSERT_EQ(index.add(std::uint64_t{i / 2} * (i / 2) * 77), i / 2);
  }
  EXPECT_EQ(index.add(5), ValueIndex<std::uint64_t>::kNone);
  EXPECT_EQ(index.find(5), ValueIndex<std::uint64_t>::kNone);
  EXPECT_EQ(index.find(77 * 9), 3u);
  EXPECT_EQ(index.values().size(), 5000u);
}

// Each value has a slot of its own, and there are more slots than values are allowed.
TEST_F(Propose, ValueIndexOfBytes) {
  ValueIndex<std::uint8_t> index(200, arena_);
  for (std::uint32_t i = 0; i < 200; ++i) {
    ASSERT_EQ(index.add(static_cast<std::uint8_t>(255 - i)), i);
    ASSERT_EQ(index.add(static_cast<std::uint8_t>(255 - i / 2)), i / 2);
  }
  EXPECT_EQ(index.add(0), ValueIndex<std::uint8_t>::kNone);
  EXPECT_EQ(index.find(55), ValueIndex<std::uint8_t>::kNone);
  EXPECT_EQ(index.find(56), 199u);
  EXPECT_EQ(index.values().size(), 200u);
}

TEST_F(Propose, ValueIndexNumbersManyAtOnce) {
  // Includes zero, which free slots hold.
  std::vector<std::uint32_t> values;
  for (std::uint32_t i = 0; i < 9000; ++i)
    values.insert(values.end(), i % 50 == 9 ? 30 : 1, i * i % 3001 * 0x10001);
  ValueIndex<std::uint32_t> one_by_one(3001, arena_);
  std::vector<std::uint32_t> expected;
  for (const std::uint32_t value : values) expected.push_back(one_by_one.add(value));
  const std::size_t distinct = one_by_one.values().size();
  ValueIndex<std::uint32_t> index(distinct, arena_);
  std::vector<std::uint32_t> numbers;
  const auto note = [&](std::uint32_t number, std::uint32_t times) {
    numbers.insert(numbers.end(), times, number);
  };
  EXPECT_TRUE(index.add_all(values, note));
  EXPECT_EQ(numbers, expected);
  std::fill(numbers.begin(), numbers.end(), 0u);
  index.find_all(values, numbers.data());
  EXPECT_EQ(numbers, expected);
  EXPECT_FALSE(ValueIndex<std::uint32_t>(0, arena_).add_all(values, note));
  ValueIndex<std::uint32_t> small(distinct - 1, arena_);
  numbers.clear();
  EXPECT_FALSE(small.add_all(values, note));
  EXPECT_LT(numbers.size(), expected.size());
  EXPECT_TRUE(std::equal(numbers.begin(), numbers.end(), expected.begin()));
}

}  // namespace
}  // namespace numpact::testing
