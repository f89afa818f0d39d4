// SPDX-License-Identifier: Apache-2.0
// Rounding within a bound: each number is compared with the original, in arithmetic of its own.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "number/float_traits.hpp"
#include "numpact/lossy.hpp"
#include "numpact/pco.hpp"
#include "support/distributions.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr NumberType kFloats[] = {NumberType::kF16, NumberType::kF32, NumberType::kF64};

// The value of a number of any type, exactly; integers of 64 bits have more digits than double.
long double value_at(const NumberView& numbers, std::size_t i) {
  const auto read = [&]<class T>(T) {
    T value;
    std::memcpy(&value, static_cast<const std::byte*>(numbers.data) + i * sizeof(T), sizeof(T));
    return value;
  };
  switch (numbers.type) {
    case NumberType::kF16:
      return internal::half_to_float(read(std::uint16_t{}));
    case NumberType::kF32:
      return read(float{});
    case NumberType::kF64:
      return read(double{});
    case NumberType::kU8:
      return read(std::uint8_t{});
    case NumberType::kI8:
      return read(std::int8_t{});
    case NumberType::kU16:
      return read(std::uint16_t{});
    case NumberType::kI16:
      return read(std::int16_t{});
    case NumberType::kU32:
      return read(std::uint32_t{});
    case NumberType::kI32:
      return read(std::int32_t{});
    case NumberType::kU64:
      return static_cast<long double>(read(std::uint64_t{}));
    case NumberType::kI64:
      return static_cast<long double>(read(std::int64_t{}));
  }
  return 0;
}

std::vector<std::byte> bytes_at(const NumberView& numbers, std::size_t i) {
  const std::size_t size = size_of(numbers.type);
  const auto* const at = static_cast<const std::byte*>(numbers.data) + i * size;
  return {at, at + size};
}

struct Rounded {
  std::vector<std::byte> bytes;
  RoundingReport report;
  NumberView view;
};

Rounded rounded(const NumberView& numbers, const RoundingSpec& spec) {
  Rounded made;
  made.bytes.resize(numbers.count * size_of(numbers.type));
  Rounder rounder = Rounder::create(spec, numbers.type).value();
  EXPECT_OK(rounder.round(numbers, {numbers.type, made.bytes.data(), numbers.count}));
  made.report = rounder.report();
  made.view = {numbers.type, made.bytes.data(), numbers.count};
  return made;
}

// What holds of every rounding; `bound_of` gives the largest error of a value.
template <class BoundOf>
void expect_sound(const NumberView& numbers, const Rounded& made, const BoundOf& bound_of,
                  bool keeps_signs = false) {
  long double worst = 0;
  std::uint64_t changed = 0;
  for (std::size_t i = 0; i < numbers.count; ++i) {
    const long double before = value_at(numbers, i);
    const long double after = value_at(made.view, i);
    const bool is_same = bytes_at(numbers, i) == bytes_at(made.view, i);
    changed += !is_same;
    if (std::isnan(before) || std::isinf(before) || before == 0) {
      ASSERT_TRUE(is_same) << i;
      continue;
    }
    const long double error = std::abs(after - before);
    ASSERT_LE(error, bound_of(before)) << i << ": " << before << " to " << after;
    worst = std::max(worst, error);
    EXPECT_TRUE(keeps_signs || after != 0 || !std::signbit(after)) << "0.0 has one form";
  }
  EXPECT_EQ(made.report.count, numbers.count);
  EXPECT_EQ(made.report.changed, changed);
  EXPECT_EQ(made.report.max_error, static_cast<double>(worst));
}

TEST(Rounding, IsNeverBeyondTheBound) {
  Random random(801);
  for (const std::string_view name : distribution_names()) {
    for (const NumberType type : kNumberTypes) {
      const Numbers numbers = make_numbers(name, type, 700, random);
      for (const double bound : {0.0, 1e-300, 0.004, 0.1, 1.0, 7.3, 1e18, 1e300}) {
        SCOPED_TRACE(std::string(name) + " " + std::string(name_of(type)) + " " +
                     std::to_string(bound));
        const Rounded made = rounded(numbers.view(), RoundingSpec::max_error(bound));
        expect_sound(numbers.view(), made, [&](long double) { return bound; });
        EXPECT_TRUE(bound > 0 || made.report.changed == 0);
      }
    }
  }
}

TEST(Rounding, DecimalsAreWithinHalfAUnit) {
  Random random(802);
  for (const std::string_view name : distribution_names()) {
    for (const NumberType type : kNumberTypes) {
      const Numbers numbers = make_numbers(name, type, 1000, random);
      for (const int digits : {-22, -19, -18, -3, -1, 0, 1, 2, 7, 22}) {
        SCOPED_TRACE(std::string(name) + " " + std::string(name_of(type)) + " " +
                     std::to_string(digits));
        const Rounded made = rounded(numbers.view(), RoundingSpec::decimals(digits));
        const bool is_float = kind_of(type) == NumberKind::kFloat;
        const long double epsilon =
            is_float ? std::ldexp(1.0L, -int(internal::mantissa_bits(internal::latent_bits(type))))
                     : 0;
        expect_sound(numbers.view(), made, [&](long double value) {
          return std::pow(10.0L, -digits) / 2 * (1 + 1e-15L) + std::abs(value) * epsilon;
        });
      }
    }
  }
}

TEST(Rounding, DecimalsAreTheFloatsThatTheyPrintAs) {
  const std::vector<double> numbers = {1.005, 2.675, 0.1 + 0.2, -7.0049999, 1e15 + 0.3, 123456.789};
  const Rounded made = rounded(numbers, RoundingSpec::decimals(2));
  const auto* const out = reinterpret_cast<const double*>(made.bytes.data());
  EXPECT_EQ(out[2], 0.3);
  EXPECT_EQ(out[3], -7.0);
  EXPECT_EQ(out[5], 123456.79);
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_NEAR(out[i], numbers[i], 0.00501);
}

TEST(Rounding, KeepsBitsOfTheMantissa) {
  Random random(803);
  for (const NumberType type : kFloats) {
    const unsigned mantissa = internal::mantissa_bits(internal::latent_bits(type));
    for (const std::string_view name : distribution_names()) {
      const Numbers numbers = make_numbers(name, type, 1000, random);
      for (const unsigned bits : {0u, 1u, 5u, mantissa}) {
        SCOPED_TRACE(std::string(name) + " " + std::string(name_of(type)) + " " +
                     std::to_string(bits));
        const Rounded made = rounded(numbers.view(), RoundingSpec::keep_bits(bits));
        EXPECT_TRUE(bits < mantissa || made.report.changed == 0);
        // Half of the last bit that is kept; of subnormals the largest has fewer.
        const int smallest = type == NumberType::kF16   ? -14
                             : type == NumberType::kF32 ? -126
                                                        : -1022;
        const auto bound = [&](long double value) {
          const long double floor = std::ldexp(1.0L, smallest);
          return std::max(std::abs(value), floor) * std::ldexp(1.0L, -1 - static_cast<int>(bits));
        };
        expect_sound(numbers.view(), made, bound, true);
      }
    }
  }
}

TEST(Rounding, KeepsWhatIsNoNumberAndTheFillValue) {
  const double fill = -999.0;
  const double nan = std::bit_cast<double>(0x7ff8000000001234u);
  const std::vector<double> numbers = {fill, -998.9998, -0.0,       0.0,
                                       nan,  kInfinity, -kInfinity, 1.2345};
  for (const RoundingSpec& spec : {RoundingSpec::decimals(2), RoundingSpec::keep_bits(9)}) {
    const Rounded made = rounded(numbers, spec.with_fill(fill));
    const auto* const out = reinterpret_cast<const std::uint64_t*>(made.bytes.data());
    for (const std::size_t i : {0, 1, 2, 3, 4, 5, 6}) {
      EXPECT_EQ(out[i], std::bit_cast<std::uint64_t>(numbers[i])) << i;
    }
    EXPECT_NE(std::bit_cast<double>(out[7]), 1.2345);
    EXPECT_EQ(made.report.kept, 1u);
  }
  // The largest number does not become infinite.
  const std::vector<float> large = {std::numeric_limits<float>::max(), 1.3F};
  const Rounded made = rounded(large, RoundingSpec::keep_bits(1));
  EXPECT_EQ(reinterpret_cast<const float*>(made.bytes.data())[0], large[0]);
  EXPECT_EQ(made.report.kept, 1u);
}

TEST(Rounding, OfIntegersStaysInTheType) {
  std::vector<std::int8_t> bytes;
  for (int i = -128; i < 128; ++i) bytes.push_back(static_cast<std::int8_t>(i));
  for (const int digits : {-1, -2}) {
    const Rounded made = rounded(bytes, RoundingSpec::decimals(digits));
    const int unit = digits == -1 ? 10 : 100;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const auto out = static_cast<int>(value_at(made.view, i));
      EXPECT_LE(std::abs(out - bytes[i]), unit / 2);
      EXPECT_TRUE(out % unit == 0 || out == bytes[i]);
    }
  }
  const std::vector<std::int64_t> ends = {std::numeric_limits<std::int64_t>::min(),
                                          std::numeric_limits<std::int64_t>::max(), -1, 1};
  const Rounded made = rounded(ends, RoundingSpec::decimals(-18));
  EXPECT_EQ(made.report.kept, 0u);  // 9 * 10^18 is near both
  EXPECT_EQ(value_at(made.view, 0), -9e18L);
}

// A random walk, whose deltas have many bits.
std::vector<double> walk(std::size_t n, double unit = 1) {
  Random random(804);
  std::vector<double> numbers(n);
  double at = 20;
  for (double& number : numbers) {
    at += (static_cast<double>(random.between(0, 1'000'000)) / 5e5 - 1) * unit;
    number = at;
  }
  return numbers;
}

TEST(Rounding, ChoosesWhatCompressesBest) {
  // Decimals: a power of two would put them all on other fractions.
  std::vector<double> prices = walk(20'000);
  for (double& price : prices) price = std::round(price * 100) / 100;
  const std::size_t lossless = compress(prices).value().size();
  for (const double bound : {0.0015, 0.003}) {
    const Rounded made = rounded(prices, RoundingSpec::max_error(bound));
    EXPECT_LE(compress(made.view).value().size(), lossless);
    EXPECT_LE(made.report.max_error, 1e-12) << "nothing more was to be gained";
  }
  // Any step: the largest has the fewest bits.
  const std::vector<double> noise = walk(20'000);
  const Rounded made = rounded(noise, RoundingSpec::max_error(0.003));
  EXPECT_GE(made.report.step, 0.005);
  EXPECT_LT(compress(made.view).value().size() * 3, compress(noise).value().size());
}

TEST(Rounding, OfPartsChoosesOnceThereAreNumbers) {
  std::vector<double> numbers(30'000, 17.25);
  const std::vector<double> noise = walk(60'000);
  numbers.insert(numbers.end(), noise.begin(), noise.end());
  Rounder rounder = Rounder::create(RoundingSpec::max_error(0.01), NumberType::kF64).value();
  std::vector<double> out = numbers;
  for (std::size_t at = 0; at < numbers.size(); at += 10'000) {
    const NumberView block(NumberType::kF64, &numbers[at], 10'000);
    ASSERT_OK(rounder.round(block, {NumberType::kF64, &out[at], 10'000}));
    EXPECT_EQ(rounder.report().step > 0, at >= 30'000) << at;
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    ASSERT_LE(std::abs(out[i] - numbers[i]), 0.01);
  }
  EXPECT_EQ(rounder.report().count, numbers.size());
}

TEST(Rounding, InPlaceAndUnaligned) {
  const std::vector<double> numbers = walk(5000);
  const Rounded apart = rounded(numbers, RoundingSpec::max_error(0.01));
  std::vector<std::byte> space(numbers.size() * 8 + 1);
  std::memcpy(space.data() + 1, numbers.data(), numbers.size() * 8);
  Rounder rounder = Rounder::create(RoundingSpec::max_error(0.01), NumberType::kF64).value();
  const MutableNumberView place(NumberType::kF64, space.data() + 1, numbers.size());
  ASSERT_OK(rounder.round({place.type, place.data, place.count}, place));
  EXPECT_EQ(std::memcmp(space.data() + 1, apart.bytes.data(), apart.bytes.size()), 0);
}

TEST(Rounding, RefusesWhatItCannotDo) {
  const auto kind_of_error = [](const RoundingSpec& spec, NumberType type) {
    return Rounder::create(spec, type).status().kind();
  };
  for (const double bound : {-1.0, kInfinity, std::nan("")}) {
    EXPECT_EQ(kind_of_error(RoundingSpec::max_error(bound), NumberType::kF64),
              ErrorKind::kInvalidArgument);
  }
  EXPECT_EQ(kind_of_error(RoundingSpec::keep_bits(11), NumberType::kF16),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(kind_of_error(RoundingSpec::keep_bits(4), NumberType::kI32), ErrorKind::kTypeMismatch);
  EXPECT_EQ(kind_of_error(RoundingSpec::decimals(23), NumberType::kF64),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(kind_of_error(RoundingSpec::decimals(2).with_fill(1.0), NumberType::kF32),
            ErrorKind::kTypeMismatch);
  EXPECT_EQ(kind_of_error(RoundingSpec::decimals(2), NumberType{0}), ErrorKind::kInvalidArgument);
  Rounder rounder = Rounder::create(RoundingSpec::decimals(1), NumberType::kF64).value();
  std::vector<double> out(2);
  const std::vector<float> floats(2);
  EXPECT_KIND(rounder.round(floats, out), kTypeMismatch);
  const std::vector<double> three(3);
  EXPECT_KIND(rounder.round(three, out), kOutputTooSmall);
  EXPECT_KIND(rounder.round({NumberType::kF64, nullptr, 2}, out), kInvalidArgument);
}

}  // namespace
}  // namespace numpact::testing
