// SPDX-License-Identifier: Apache-2.0
// Choices for data with a known best encoding, and the resulting sizes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/internal.hpp"
#include "choose_fixture.hpp"
#include "pco/encode/chunk_encoder.hpp"
#include "pco/encode/modes/allowed.hpp"
#include "pco/encode/modes/dict.hpp"
#include "pco/encode/race.hpp"
#include "pco/encode/session.hpp"

namespace numpact::testing {
namespace {

TEST_F(Choose, ConvolutionForOscillations) {
  const std::vector<std::int16_t> numbers = oscillations(60'000, random_);
  const Choice choice = choose_for<std::uint16_t>(numbers, NumberType::kI16);
  EXPECT_TRUE(std::holds_alternative<Conv1>(choice.delta));
  const std::size_t bytes = bytes_of(numbers, NumberType::kI16);
  for (const unsigned order : {0u, 1u, 2u}) {
    const EncodeConfig config = plain(DeltaSpec::try_consecutive(order));
    EXPECT_LT(1.05 * static_cast<double>(bytes),
              static_cast<double>(bytes_of(numbers, NumberType::kI16, config)));
  }
  // 40 * normal takes 7.37 bits.
  EXPECT_LT(static_cast<double>(bytes), 1.02 * 60'000 * 7.37 / 8);
}

// Numbers of 64 bits have weights by their indices in a dictionary.
TEST_F(Choose, ConvolutionOfIndicesForDoubles) {
  std::vector<double> numbers;
  for (const std::int16_t number : oscillations(60'000, random_)) numbers.push_back(number / 10.0);
  const Choice choice = choose_for<std::uint64_t>(numbers, NumberType::kF64);
  EXPECT_TRUE(std::holds_alternative<Dict>(choice.mode));
  EXPECT_TRUE(std::holds_alternative<Conv1>(choice.delta));
  const std::size_t entries = std::get<Dict>(choice.mode).count;
  EXPECT_LT(static_cast<double>(bytes_of(numbers, NumberType::kF64)),
            1.02 * 60'000 * 7.37 / 8 + 8 * static_cast<double>(entries));
}

// So do others whose values lie apart: each is 16 or 17 from the next.
TEST_F(Choose, ConvolutionOfIndicesForRoundedMultiples) {
  std::vector<std::int32_t> numbers;
  for (const std::int16_t number : oscillations(60'000, random_)) {
    numbers.push_back(static_cast<std::int32_t>(std::lround(16.37 * number)));
  }
  const Choice choice = choose_for<std::uint32_t>(numbers, NumberType::kI32);
  ASSERT_TRUE(std::holds_alternative<Dict>(choice.mode));
  EXPECT_TRUE(std::holds_alternative<Conv1>(choice.delta));
  const std::size_t entries = std::get<Dict>(choice.mode).count;
  EXPECT_LT(static_cast<double>(bytes_of(numbers, NumberType::kI32)),
            1.02 * 60'000 * 7.37 / 8 + 4 * static_cast<double>(entries));
}

// Single outliers do not decide the weights.
TEST_F(Choose, ConvolutionDespiteOutliers) {
  std::vector<std::int16_t> numbers = oscillations(60'000, random_);
  const std::size_t without = bytes_of(numbers, NumberType::kI16);
  for (std::size_t i = 0; i < 60; ++i) {
    numbers[1000 * i + static_cast<std::size_t>(random_.below(900))] = 32'767;
  }
  EXPECT_TRUE(
      std::holds_alternative<Conv1>(choose_for<std::uint16_t>(numbers, NumberType::kI16).delta));
  // An outlier spoils itself and up to 32 predictions after it, of which each takes up to 16 bits.
  EXPECT_LT(bytes_of(numbers, NumberType::kI16), without + 60 * 33 * 16 / 8);
}

// Orders beyond 2 are tried even if the first ones hardly differ between modes: sums of powers also
// have divisors, which would take bits for remainders.
TEST_F(Choose, HighOrdersForSumsOfPowers) {
  for (const unsigned degree : {2u, 3u}) {
    std::vector<std::uint64_t> numbers(50'000);
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < numbers.size(); ++i) {
      sum += degree == 2 ? i * i : i * i * i;
      numbers[i] = sum;
    }
    EXPECT_LT(bytes_of(numbers, NumberType::kU64), 120u) << degree;
  }
}

// A walk up and down a list of random numbers: differences of indices are small, those of numbers
// are not.
TEST_F(Choose, DictionariesOfShortAndLongChunks) {
  std::vector<std::uint64_t> list(50);
  for (std::uint64_t& entry : list) entry = random_.bits(60);
  std::sort(list.begin(), list.end());
  for (const std::size_t n : {500u, 20'000u}) {
    std::vector<std::uint64_t> numbers(n);
    std::size_t at = 0;
    for (std::uint64_t& number : numbers) {
      at = (at + (random_.one_in(2) ? 1 : list.size() - 1)) % list.size();
      number = list[at];
    }
    const auto is_dict_at = [&](unsigned level) {
      EncodeConfig config;
      config.level = level;
      const Choice choice = choose_for<std::uint64_t>(numbers, NumberType::kU64, config);
      return std::holds_alternative<Dict>(choice.mode);
    };
    EXPECT_TRUE(is_dict_at(kDefaultLevel + 1)) << n;
    EXPECT_TRUE(is_dict_at(kDefaultLevel)) << n;
  }
}

TEST_F(Choose, SpreadOfRunsIsThatOfTheirWidths) {
  const auto spread_of = [&](std::size_t noisy_one_in) {
    std::vector<std::uint32_t> numbers(65'536);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const bool is_noisy = i / 2048 % noisy_one_in == 0;
      numbers[i] = static_cast<std::uint32_t>(random_.bits(is_noisy ? 20 : 4));
    }
    Ordered<std::uint32_t> ordered(numbers, NumberKind::kUnsigned);
    return spread_of_runs(take_sample(ordered.array(), 4096, arena_));
  };
  EXPECT_LT(spread_of(1), 0.05f);
  EXPECT_GT(spread_of(4), 0.5f);  // widths of about 19 and 3 bits, in 32 runs
  EXPECT_LT(spread_of(4), 2.0f);
}

// Each takes a bit with codes or without; a single bin needs no codes.
TEST_F(Choose, OneBinForCoins) {
  std::vector<std::uint8_t> coins(100'000);
  for (std::uint8_t& coin : coins) coin = static_cast<std::uint8_t>(random_.below(2));
  const std::size_t page_sizes[] = {coins.size()};
  const EncodedChunk chunk =
      encode_chunk(NumberView(NumberType::kU8, coins.data(), coins.size()), page_sizes, {}, arena_);
  EXPECT_EQ(chunk.meta.variables[kPrimaryVariable].bins.size(), 1u);
  EXPECT_LT(chunk.bytes(), coins.size() / 8 + 30);
  // Two of three are equal: codes save bits.
  for (std::uint8_t& coin : coins) coin = random_.below(3) == 0 ? 1 : 0;
  const EncodedChunk dice =
      encode_chunk(NumberView(NumberType::kU8, coins.data(), coins.size()), page_sizes, {}, arena_);
  EXPECT_EQ(dice.meta.variables[kPrimaryVariable].bins.size(), 2u);
}

TEST_F(Choose, FastDecodingWithoutConvolution) {
  // Weaker waves: Conv1 saves less than a tenth.
  std::vector<std::int16_t> numbers(60'000);
  double last = 0;
  for (std::int16_t& number : numbers) {
    last = 0.55 * last + 400 * random_.normal();
    number = static_cast<std::int16_t>(std::lround(last));
  }
  EncodeConfig config;
  config.level = 9;
  EXPECT_TRUE(std::holds_alternative<Conv1>(
      choose_for<std::uint16_t>(numbers, NumberType::kI16, config).delta));
  config.favor_decode_speed = true;
  EXPECT_FALSE(std::holds_alternative<Conv1>(
      choose_for<std::uint16_t>(numbers, NumberType::kI16, config).delta));
}

TEST_F(Choose, DictionaryForScatteredValues) {
  // Random values, each followed by one close to it in rank.
  std::vector<double> values(3000);
  for (double& value : values) value = random_.normal();
  std::sort(values.begin(), values.end());
  std::vector<double> numbers(100'000);
  std::size_t at = 1500;
  for (double& number : numbers) {
    at = std::min<std::size_t>(2999, std::max<std::size_t>(3, at + random_.below(7)) - 3);
    number = values[at];
  }
  const Choice choice = choose_for<std::uint64_t>(numbers, NumberType::kF64);
  ASSERT_TRUE(std::holds_alternative<Dict>(choice.mode));
  ASSERT_TRUE(std::holds_alternative<Consecutive>(choice.delta));
  // log2(7) bits each, and the values.
  EXPECT_LT(static_cast<double>(bytes_of(numbers, NumberType::kF64)),
            1.05 * (100'000 * 2.81 / 8 + 3000 * 8));
}

TEST_F(Choose, DictionaryForValuesThatASampleHasOnce) {
  std::vector<double> values(20'000);
  for (double& value : values) value = random_.normal();
  std::vector<double> numbers(400'000);
  for (double& number : numbers) number = values[random_.below(values.size())];
  EXPECT_TRUE(
      std::holds_alternative<Dict>(choose_for<std::uint64_t>(numbers, NumberType::kF64).mode));
}

// A dictionary does not pay for itself in each segment, so a close one does not plan them.
TEST_F(Choose, SegmentsArePlannedByAClearDictionaryOnly) {
  const auto mode_for_segments = [&](std::size_t range) {
    std::vector<std::uint32_t> values(3000);
    for (std::uint32_t& value : values) value = static_cast<std::uint32_t>(random_.below(range));
    std::vector<std::uint32_t> numbers(400'000);
    for (std::uint32_t& number : numbers) number = values[random_.below(values.size())];
    Ordered<std::uint32_t> ordered(numbers, NumberKind::kUnsigned);
    const EncodeConfig config;
    ChoiceSession session({NumberType::kU32, ordered.array(), numbers.size()}, config, arena_);
    session.choose_plain();
    EXPECT_TRUE(std::holds_alternative<Dict>(session.best().mode)) << range;
    return choice_for_segments(session).mode;
  };
  EXPECT_TRUE(std::holds_alternative<Classic>(mode_for_segments(6000)));
  EXPECT_TRUE(std::holds_alternative<Dict>(mode_for_segments(200'000)));
}

// A sample may contain too few distinct values; then counting all numbers rejects the dictionary.
TEST_F(Choose, NoDictionaryOfMoreThanAQuarter) {
  constexpr std::size_t kN = 131'072;
  const auto numbers_of = [&](std::size_t rare_values) {
    std::vector<std::uint64_t> values(500 + rare_values);
    for (std::uint64_t& value : values) value = random_.bits();
    std::vector<std::uint64_t> numbers(kN);
    for (std::uint64_t& number : numbers) {
      const bool is_rare = random_.below(100) < 60;
      number = values[is_rare ? 500 + random_.below(rare_values) : random_.below(500)];
    }
    return numbers;
  };
  const auto is_estimated = [&](const std::vector<std::uint64_t>& numbers) {
    Ordered<std::uint64_t> ordered(numbers, NumberKind::kUnsigned);
    const LatentArray all = ordered.array();
    const Sample sample = take_sample(all, 4096, arena_);
    const Estimate classic{Classic{}, NoDelta{}, 18.5f, 0, 0};
    return estimate_dict(all, sample, classic, false, EncodeEffort::of(EncodeConfig{}), arena_)
        .has_value();
  };
  EXPECT_TRUE(is_estimated(numbers_of(5000)));
  EXPECT_FALSE(is_estimated(numbers_of(60'000)));
}

TEST_F(Choose, NoDictionaryIsEstimatedForRoundedNoise) {
  // Normal draws as half floats: thousands of values, for which bins are about as good.
  std::vector<std::uint16_t> numbers(1'000'000);
  for (std::uint16_t& number : numbers) {
    int exponent = 0;
    const double fraction = std::frexp(random_.normal(), &exponent);
    const double magnitude = 1024 * (exponent + 14 + 2 * std::fabs(fraction) - 1);
    number = static_cast<std::uint16_t>(std::max(0.0, magnitude) + (fraction < 0 ? 32768 : 0));
  }
  Ordered<std::uint16_t> ordered(numbers, NumberKind::kFloat);
  const EncodeConfig config;
  ChoiceSession session({NumberType::kF16, ordered.array(), numbers.size()}, config, arena_);
  session.choose_plain();
  for (const Estimate& estimate : session.estimates()) {
    EXPECT_FALSE(std::holds_alternative<Dict>(estimate.mode));
  }
}

TEST_F(Choose, ModesThatAVersionLacksDisplaceNoOthers) {
  // Single precision in double: FloatQuant suits, but came with format 2.
  std::vector<double> numbers(1000);
  for (double& number : numbers) number = static_cast<float>(random_.normal());
  EncodeConfig config;
  ASSERT_TRUE(std::holds_alternative<FloatQuant>(
      choose_for<std::uint64_t>(numbers, NumberType::kF64, config).mode));
  config.compatibility = Compatibility::kV1;
  Ordered<std::uint64_t> ordered(numbers, NumberKind::kFloat);
  ChoiceSession session({NumberType::kF64, ordered.array(), numbers.size()}, config, arena_);
  session.choose_plain();
  ASSERT_GT(session.estimates().size(), 0u);
  EXPECT_FALSE(std::holds_alternative<FloatQuant>(session.estimates()[0].mode));
  EXPECT_LT(session.estimates()[0].bits, 64.0f);
}

TEST_F(Choose, DictionaryInTheOrderOfAppearance) {
  // Codes that repeat in a fixed order that is not sorted.
  std::vector<std::uint8_t> codes(100);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint8_t>(i * 37 % 101);
  std::vector<std::uint8_t> numbers(50'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = codes[i % codes.size()];
  EXPECT_LT(bytes_of(numbers, NumberType::kU8), 600u);
}

// Few fill values in a smooth series take a correction each, not two steps to the other end of the
// type.
TEST_F(Choose, FillValuesInASmoothSeries) {
  for (const double fill : {std::numeric_limits<double>::quiet_NaN(), 9.96921e36}) {
    std::vector<double> numbers(50'000);
    std::vector<double> without(numbers.size());
    std::int64_t now = 2'000;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      now += static_cast<std::int64_t>(random_.between(0, 8)) - 4;
      without[i] = static_cast<double>(now) / 100;
      numbers[i] = random_.one_in(100) ? fill : without[i];
    }
    // A fill value: 8.1 bits to say where, and two steps of up to 14 bits, with their codes.
    const double more = 500 * (8.1 + 2 * (14 + 7)) / 8;
    EXPECT_LT(static_cast<double>(bytes_of(numbers, NumberType::kF64)),
              static_cast<double>(bytes_of(without, NumberType::kF64)) + more);
  }
}

TEST_F(Choose, SlowSecondaryIsDeltaEncoded) {
  // A walk in steps of 1000, plus a slow one within them.
  std::vector<std::int64_t> numbers(60'000);
  std::int64_t high = 1'000'000;
  std::int64_t low = 0;
  for (std::int64_t& number : numbers) {
    high += static_cast<std::int64_t>(random_.between(0, 20'000)) - 10'000;
    low = (low + static_cast<std::int64_t>(random_.below(3))) % 1000;
    number = 1000 * high + low;
  }
  EncodeConfig config;
  config.mode = ModeSpec::try_int_mult(1000);
  const Choice choice = choose_for<std::uint64_t>(numbers, NumberType::kI64, config);
  EXPECT_TRUE(encodes_secondary(choice.delta));
}

// First differences wrap around, so they are as spread out as the numbers.
TEST_F(Choose, SecondDifferencesOfBytes) {
  for (const std::size_t n : {700u, 60'000u}) {
    std::vector<std::uint8_t> numbers(n);
    std::uint8_t number = 0;
    std::uint8_t step = 0;
    for (std::uint8_t& one : numbers) {
      step = static_cast<std::uint8_t>(step + random_.below(3));
      number = static_cast<std::uint8_t>(number + step);
      one = number;
    }
    const Choice choice = choose_for<std::uint8_t>(numbers, NumberType::kU8);
    const auto* const consecutive = std::get_if<Consecutive>(&choice.delta);
    ASSERT_NE(consecutive, nullptr) << n;
    EXPECT_EQ(consecutive->order, 2u) << n;
  }
}

TEST_F(Choose, SmallSignedNumbersStoredAsUnsigned) {
  for (const std::size_t n : {1500u, 60'000u}) {
    std::vector<std::uint16_t> numbers(n);
    for (auto& number : numbers) {
      number = static_cast<std::uint16_t>(std::lround(40 * random_.normal()));
    }
    const Choice choice = choose_for<std::uint16_t>(numbers, NumberType::kU16);
    EXPECT_TRUE(std::holds_alternative<NoDelta>(choice.delta)) << n;
  }
}

// The same differences repeat within a run of the sample, but not over the page.
TEST_F(Choose, LookbackWhereASampleMisleads) {
  double total = 0;
  double total_looking_back = 0;
  for (int pattern = 0; pattern < 24; ++pattern) {
    std::array<double, 6> within{};
    for (double& one : within) one = 1e5 * random_.unit();
    std::vector<float> numbers(84'000);
    double level = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (random_.one_in(28)) level = 2e6 * random_.unit() - 1e6;
      numbers[i] = static_cast<float>(within[i % within.size()] + level);
    }
    const auto looking_back =
        static_cast<double>(bytes_of(numbers, NumberType::kF32, plain(DeltaSpec::try_lookback())));
    const auto bytes = static_cast<double>(bytes_of(numbers, NumberType::kF32));
    // With a base the search may find a different result.
    EXPECT_LT(bytes, 1.06 * looking_back) << pattern;
    total += bytes;
    total_looking_back += looking_back;
  }
  EXPECT_LE(total, total_looking_back);
}

// The sample of a search may hold fewer repeats than the page, by chance. Parts of 1,024 random
// numbers, of which one in five is a copy of an earlier part.
TEST_F(Choose, LookbackWherePartsAreCopies) {
  constexpr std::size_t kPart = 1024;
  constexpr std::size_t kParts = 64;
  for (std::size_t draw = 0; draw < 32; ++draw) {
    std::vector<std::uint32_t> numbers;
    std::size_t copies = 0;
    for (std::size_t part = 0; part < kParts; ++part) {
      const bool is_copy = part >= 4 && random_.below(5) == 0;
      const std::size_t from = is_copy ? kPart * random_.below(part) : 0;
      for (std::size_t i = 0; i < kPart; ++i) {
        numbers.push_back(is_copy ? numbers[from + i]
                                  : static_cast<std::uint32_t>(random_.below(1u << 30)));
      }
      copies += is_copy ? 1 : 0;
    }
    if (copies < kParts / 8) continue;
    EXPECT_LT(bytes_of(numbers, NumberType::kU32), 0.97 * 30 / 8 * kPart * kParts)
        << draw << ", " << copies << " copies";
  }
}

// Tables that list every combination: codes that stay the same for long, and repeat periodically.
TEST_F(Choose, PeriodsOfValuesThatMostlyStay) {
  constexpr std::size_t kN = 100'000;
  std::vector<std::int16_t> ages(kN);
  std::vector<std::uint8_t> groups(kN);
  std::vector<std::int64_t> years(kN);
  for (std::size_t i = 0; i < kN; ++i) {
    ages[i] = static_cast<std::int16_t>(i % 21 * 5);
    groups[i] = static_cast<std::uint8_t>(i / 21 % 3);
    years[i] = static_cast<std::int64_t>(1950 + i / 63 % 9);
  }
  EXPECT_LT(bytes_of(ages, NumberType::kI16), 200u);
  EXPECT_LT(bytes_of(groups, NumberType::kU8), 250u);
  EXPECT_LT(bytes_of(years, NumberType::kI64), 950u);
  // Codes that stay as long, but in random order, have no period.
  std::uint8_t code = 0;
  for (std::size_t i = 0; i < kN; ++i) {
    if (i % 50 == 0) code = static_cast<std::uint8_t>(random_.bits(8));
    groups[i] = code;
  }
  EXPECT_TRUE(
      std::holds_alternative<Consecutive>(choose_for<std::uint8_t>(groups, NumberType::kU8).delta));
}

// Rare long runs of steps of one. Second differences are rarer than first ones, but both are too
// rare for a sample.
TEST_F(Choose, RareRunsOfSteps) {
  std::vector<std::uint16_t> numbers(165'000);
  std::uint16_t number = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i >= 80'100 && i < 80'350) ++number;
    numbers[i] = number;
  }
  EXPECT_LE(bytes_of(numbers, NumberType::kU16),
            bytes_of(numbers, NumberType::kU16, plain(DeltaSpec::try_consecutive(2))));
}

TEST_F(Choose, LookbackForFewBytesOfAPeriod) {
  constexpr std::size_t kPeriod = 8;
  std::vector<std::uint8_t> numbers(613);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i < kPeriod) {
      numbers[i] = static_cast<std::uint8_t>(random_.bits(8));
    } else {
      numbers[i] = numbers[random_.one_in(25) ? random_.below(kPeriod) : i % kPeriod];
    }
  }
  const std::size_t looking_back =
      bytes_of(numbers, NumberType::kU8, plain(DeltaSpec::try_lookback()));
  EXPECT_LE(bytes_of(numbers, NumberType::kU8), looking_back);
}

TEST_F(Choose, NeverMuchWorseThanClassic) {
  const auto check = [&](const auto& numbers, NumberType type) {
    const auto min_bytes = std::min(bytes_of(numbers, type, plain(DeltaSpec::none())),
                                    bytes_of(numbers, type, plain(DeltaSpec::try_consecutive(1))));
    for (const unsigned level : {4u, 8u, 12u}) {
      EncodeConfig config;
      config.level = level;
      EncodeConfig none = plain(DeltaSpec::none());
      none.level = level;
      const auto limit = level == 8 ? min_bytes : bytes_of(numbers, type, none);
      EXPECT_LE(static_cast<double>(bytes_of(numbers, type, config)),
                1.001 * static_cast<double>(limit) + 64)
          << level;
    }
  };
  for (const std::size_t n : {300u, 3000u, 50'000u}) {
    std::vector<double> floats(n);
    std::vector<std::uint32_t> bursts(n);
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < n; ++i) {
      floats[i] = random_.normal();
      if (random_.one_in(200)) value = static_cast<std::uint32_t>(random_.bits(20));
      bursts[i] = random_.one_in(9) ? static_cast<std::uint32_t>(random_.bits(12)) : value;
    }
    check(floats, NumberType::kF64);
    check(bursts, NumberType::kU32);
  }
}

TEST_F(Choose, VersionsAllowWhatTheyWereWrittenWith) {
  const FormatVersion oldest{0, 0};
  const FormatVersion three{3, 0};
  const FormatVersion newest;
  EXPECT_FALSE(is_allowed(AnyMode(IntMult{2}), oldest));
  EXPECT_TRUE(is_allowed(AnyMode(Classic{}), oldest));
  EXPECT_TRUE(is_allowed(AnyMode(FloatMult{}), oldest));
  EXPECT_TRUE(is_allowed(AnyMode(FloatQuant{}), three));
  EXPECT_FALSE(is_allowed(AnyMode(Dict{}), three));
  EXPECT_TRUE(is_allowed(AnyMode(Dict{}), newest));
  EXPECT_FALSE(is_allowed(AnyDelta(Lookback{}), FormatVersion{2, 0}));
  EXPECT_TRUE(is_allowed(AnyDelta(Lookback{}), three));
  EXPECT_FALSE(is_allowed(AnyDelta(Conv1{}), FormatVersion{4, 0}));
  EXPECT_TRUE(is_allowed(AnyDelta(Conv1{}), newest));
  EXPECT_TRUE(is_allowed(AnyDelta(Consecutive{1, false}), oldest));
  EXPECT_FALSE(is_allowed(AnyDelta(Consecutive{1, true}), oldest));
}

TEST_F(Choose, KeepsToTheVersion) {
  EncodeConfig config;
  const std::vector<std::int16_t> numbers = oscillations(20'000, random_);
  config.compatibility = Compatibility::kV4_0;
  const Choice choice = choose_for<std::uint16_t>(numbers, NumberType::kI16, config);
  EXPECT_TRUE(is_allowed(choice.delta, FormatVersion{4, 0}));
  EXPECT_TRUE(check_specs(NumberType::kI16, config).ok());
  config.delta = DeltaSpec::try_conv1(2);
  EXPECT_FALSE(check_specs(NumberType::kI16, config).ok());
  config.delta = DeltaSpec::automatic();
  config.mode = ModeSpec::try_dict();
  EXPECT_FALSE(check_specs(NumberType::kI16, config).ok());
  config.compatibility = Compatibility::kV4_1;
  EXPECT_TRUE(check_specs(NumberType::kI16, config).ok());
}

}  // namespace
}  // namespace numpact::testing
