// SPDX-License-Identifier: Apache-2.0
// Modes by a base, or by remainders, for numbers of which it is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "choose_fixture.hpp"

namespace numpact::testing {
namespace {

// The base of a FloatMult, or 0.
double chosen_base(const Choice& choice) {
  const auto* const mult = std::get_if<FloatMult>(&choice.mode);
  return mult == nullptr ? 0 : mult->base(NumberType::kF64);
}

// A clock whose ticks have errors that do not add up: by multiples of its step each number has its
// own error alone. Some ticks are missing.
TEST_F(Choose, ClocksWithErrors) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < 50'000; ++i) {
    if (random_.one_in(40)) continue;
    numbers.push_back(1'700'000'000'000 + 1000 * i + static_cast<std::int64_t>(random_.below(32)));
  }
  const Choice choice = choose_for<std::uint64_t>(numbers, NumberType::kI64);
  ASSERT_TRUE(std::holds_alternative<IntMult>(choice.mode));
  EXPECT_EQ(std::get<IntMult>(choice.mode).base, 1000u);
  // 5 bits for an error, and 0.17 for whether a tick is missing.
  EXPECT_LT(static_cast<double>(bytes_of(numbers, NumberType::kI64)),
            1.03 * 5.17 * static_cast<double>(numbers.size()) / 8);
}

// Positions of a grid of 6 / 2^17 degrees, as aircraft send them, rounded to 8 decimals: multiples
// of 10^-8 take 12 bits more than those of the grid, whose low halves are a thousand different
// ones.
TEST_F(Choose, PositionsOnAGridRoundedToDecimals) {
  std::vector<double> numbers(100'000);
  double step = 1e6;
  for (double& number : numbers) {
    step += std::floor(2000 * random_.unit()) - 1000;
    number = std::nearbyint(std::clamp(step, 7.2e5, 1.39e6) * 6 / 0x1p17 * 1e8) / 1e8;
  }
  const Choice choice = choose_for<std::uint64_t>(numbers, NumberType::kF64);
  EXPECT_TRUE(std::holds_alternative<FloatQuant>(choice.mode));
  // 11 bits for a step, 9 for a remainder; multiples of 10^-8 take 23.
  EXPECT_LT(static_cast<double>(bytes_of(numbers, NumberType::kF64)), 21.0 * 100'000 / 8);
}

// Hundredths with an offset, rounded to single precision: the remainders are a few hundred.
TEST_F(Choose, DecimalsWithAnOffset) {
  std::vector<double> numbers(20'000);
  for (double& number : numbers) {
    number = static_cast<float>(std::floor(20'000 * random_.unit()) / 100 + .000245);
  }
  EncodeConfig config;
  config.mode = ModeSpec::try_float_mult(.01);
  EXPECT_LT(static_cast<double>(bytes_of(numbers, NumberType::kF64)),
            1.03 * static_cast<double>(bytes_of(numbers, NumberType::kF64, config)));
}

// A timer in steps of 800, mostly of 4,000, that drifts by a unit now and then: no divisor divides
// the numbers, but 800 the steps. Short, so that bins for each step and its neighbours take 4 % of
// the bytes.
TEST_F(Choose, TimersThatDrift) {
  std::vector<std::uint64_t> numbers{112'000'307};
  while (numbers.size() < 6'000) {
    std::uint64_t step = random_.one_in(2) ? 8'000 : 12'000;
    if (random_.one_in(16)) step += 800 * (1 + random_.below(4));
    if (random_.one_in(4)) step += random_.one_in(2) ? 1 : ~std::uint64_t{0};
    numbers.push_back(numbers.back() + step);
  }
  const Choice choice = choose_for<std::uint64_t>(numbers, NumberType::kU64);
  ASSERT_TRUE(std::holds_alternative<IntMult>(choice.mode));
  EXPECT_EQ(std::get<IntMult>(choice.mode).base, 800u);
  EncodeConfig config;
  config.mode = ModeSpec::classic();
  EXPECT_LT(static_cast<double>(bytes_of(numbers, NumberType::kU64)),
            .98 * static_cast<double>(bytes_of(numbers, NumberType::kU64, config)));
}

TEST_F(Choose, DecimalsWithoutCorrections) {
  const std::vector<double> numbers = decimals(100'000, 10, random_);
  const Choice choice = choose_for<std::uint64_t>(numbers, NumberType::kF64);
  ASSERT_TRUE(std::holds_alternative<FloatMult>(choice.mode));
  EXPECT_NE(std::get<FloatMult>(choice.mode).base(NumberType::kF64), 0.1);
  // Steps of 20 * normal take 6.37 bits.
  EXPECT_LT(static_cast<double>(bytes_of(numbers, NumberType::kF64)), 1.05 * 100'000 * 6.37 / 8);
}

// Decimals of which a third is NaN: the mode needs no corrections for them.
TEST_F(Choose, DecimalsWithNaNs) {
  std::vector<double> numbers(50'000);
  for (double& number : numbers) {
    number = random_.one_in(3) ? std::numeric_limits<double>::quiet_NaN()
                               : static_cast<double>(random_.below(1000)) / 8;
  }
  // One in three: 0.918 bits, and 9.97 for a value, of two thirds.
  const double bits = 0.918 + 9.97 * 2 / 3;
  EXPECT_LT(static_cast<double>(bytes_of(numbers, NumberType::kF64)), 1.03 * 50'000 * bits / 8);
}

TEST_F(Choose, OwnBaseForAShortSegment) {
  for (const double divisor : {3.0, 10.0, 100.0, 300.0}) {
    std::vector<double> numbers(2000);
    for (double& number : numbers) number = std::round(1e4 * random_.unit()) * (1 / divisor);
    Ordered<std::uint64_t> ordered(numbers, NumberKind::kFloat);
    arena_.reset();
    const EncodeConfig config;
    ChoiceSession session({NumberType::kF64, ordered.array(), numbers.size(), true}, config,
                          arena_);
    session.choose_plain();
    EXPECT_EQ(chosen_base(session.best()), 1 / divisor);
  }
}

TEST_F(Choose, FractionsOfDecimalsWithAnyMultiples) {
  for (const double max_multiple : {100.0, 1e4, 1e6, 1e9, 1e12}) {
    for (const double divisor : {3.0, 7.0, 9.0, 30.0, 300.0}) {
      std::vector<double> numbers(2000);
      for (double& number : numbers)
        number = std::round(max_multiple * random_.unit()) * (1 / divisor);
      const Choice choice = choose_for<std::uint64_t>(numbers, NumberType::kF64);
      EXPECT_EQ(chosen_base(choice), 1 / divisor) << max_multiple;
    }
  }
}

TEST_F(Choose, AnyBaseOfMultiplesUpToAMillion) {
  for (const double max_multiple : {1e2, 1e4, 1e6}) {
    for (const double base : {0.123456789, 17.31, 1.0 / 37}) {
      std::vector<double> numbers(2000);
      for (double& number : numbers) number = std::round(max_multiple * random_.unit()) * base;
      const Choice choice = choose_for<std::uint64_t>(numbers, NumberType::kF64);
      EXPECT_NEAR(chosen_base(choice), base, 1e-9 * base) << max_multiple;
    }
  }
}

TEST_F(Choose, BasesWhereNeighboursAreEqual) {
  // Most neighbours are equal.
  std::vector<double> numbers;
  while (numbers.size() < 5000) {
    const double number = std::round(60'000 * random_.unit()) * (1.0 / 3);
    numbers.insert(numbers.end(), random_.between(1, 100), number);
  }
  const Choice choice = choose_for<std::uint64_t>(numbers, NumberType::kF64);
  EXPECT_EQ(chosen_base(choice), 1.0 / 3);
}

TEST_F(Choose, NoBaseForRandomFloats) {
  std::vector<double> numbers(2000);
  for (int round = 0; round < 50; ++round) {
    for (double& number : numbers) number = 1000 * random_.unit();
    EXPECT_EQ(chosen_base(choose_for<std::uint64_t>(numbers, NumberType::kF64)), 0);
  }
}

TEST_F(Choose, MisfitsPayForThemselves) {
  std::vector<double> numbers = decimals(100'000, 1, random_);
  for (double& number : numbers) {
    if (random_.one_in(20)) number += random_.unit();
  }
  const Choice choice = choose_for<std::uint64_t>(numbers, NumberType::kF64);
  ASSERT_TRUE(std::holds_alternative<FloatMult>(choice.mode));
  EXPECT_EQ(std::get<FloatMult>(choice.mode).base(NumberType::kF64), 1);
}

// Differences of floats are uniform only while the exponent stays the same; those of multiples of a
// base always are.
TEST_F(Choose, BasesForStepsAcrossExponents) {
  std::vector<double> numbers(20'000);
  double number = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    number = i % 5 == 0 ? 10 + 30 * random_.unit() : number + 1;
    numbers[i] = number;
  }
  const Choice choice = choose_for<std::uint64_t>(numbers, NumberType::kF64);
  EXPECT_TRUE(std::holds_alternative<FloatMult>(choice.mode));
  EncodeConfig classic;
  classic.mode = ModeSpec::classic();
  EXPECT_LT(bytes_of(numbers, NumberType::kF64),
            bytes_of(numbers, NumberType::kF64, classic) * 9 / 10);
}

}  // namespace
}  // namespace numpact::testing
