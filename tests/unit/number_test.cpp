// SPDX-License-Identifier: Apache-2.0
// Ordered latents and half precision.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/internal.hpp"
#include "base/round_to_even.hpp"
#include "number/float_traits.hpp"
#include "number/ordered.hpp"
#include "support/half.hpp"
#include "support/random.hpp"
#include "targets.hpp"

namespace numpact::testing {
namespace {

constexpr NumberKind kKinds[] = {NumberKind::kUnsigned, NumberKind::kSigned, NumberKind::kFloat};

// The definition of the format.
template <Latent L>
L naive_ordered(L bits, NumberKind kind) {
  const L sign = static_cast<L>(L{1} << (8 * sizeof(L) - 1));
  if (kind == NumberKind::kUnsigned) return bits;
  if (kind == NumberKind::kSigned) return static_cast<L>(bits ^ sign);
  return static_cast<L>((bits & sign) != 0 ? ~bits : bits ^ sign);
}

template <Latent L>
void expect_bijection(const std::vector<L>& all) {
  std::vector<L> latents(all.size());
  std::vector<L> back(all.size());
  for (const NumberKind kind : kKinds) {
    for (const L bits : all) {
      ASSERT_EQ(to_ordered(bits, kind), naive_ordered(bits, kind));
      ASSERT_EQ(from_ordered(to_ordered(bits, kind), kind), bits);
    }
    to_ordered(all.data(), all.size(), kind, latents.data());
    for (std::size_t i = 0; i < all.size(); ++i) {
      ASSERT_EQ(latents[i], naive_ordered(all[i], kind));
    }
    from_ordered(latents.data(), latents.size(), kind, back.data());
    ASSERT_EQ(back, all);
    from_ordered(latents.data(), latents.size(), kind, latents.data());
    ASSERT_EQ(latents, all) << "in place";
  }
}

template <Latent L>
std::vector<L> every_value() {
  std::vector<L> all;
  for (std::uint64_t i = 0; i <= L(~L{0}); ++i) all.push_back(static_cast<L>(i));
  return all;
}

template <Latent L>
std::vector<L> samples(Random& random) {
  std::vector<L> all = {0, 1, kMid<L>, kMid<L> - 1, kMid<L> + 1, static_cast<L>(~L{0})};
  for (int i = 0; i < 50001; ++i) {
    all.push_back(static_cast<L>(random.bits(static_cast<unsigned>(random.below(65)))));
  }
  return all;
}

TEST(Ordered, IsABijection) {
  Random random(6);
  const auto bytes = every_value<std::uint8_t>();
  const auto shorts = every_value<std::uint16_t>();
  const auto words = samples<std::uint32_t>(random);
  const auto longs = samples<std::uint64_t>(random);
  for_each_target([&] {
    expect_bijection(bytes);
    expect_bijection(shorts);
    expect_bijection(words);
    expect_bijection(longs);
  });
}

TEST(Ordered, KeepsTheOrderOfNumbers) {
  Random random(7);
  for (int i = 0; i < 100000; ++i) {
    const auto a = static_cast<std::int16_t>(random.bits(16));
    const auto b = static_cast<std::int16_t>(random.bits(16));
    const auto ordered = [](auto x, NumberKind kind) {
      using L = std::make_unsigned_t<decltype(x)>;
      return to_ordered(static_cast<L>(x), kind);
    };
    EXPECT_EQ(a < b, ordered(a, NumberKind::kSigned) < ordered(b, NumberKind::kSigned));
    const auto u = random.bits(64);
    const auto v = random.bits(64);
    const auto x = std::bit_cast<double>(u);
    const auto y = std::bit_cast<double>(v);
    if (std::isnan(x) || std::isnan(y) || (x == 0 && y == 0)) continue;
    EXPECT_EQ(x < y, to_ordered(u, NumberKind::kFloat) < to_ordered(v, NumberKind::kFloat));
  }
  EXPECT_LT(to_ordered(std::bit_cast<std::uint32_t>(-0.0f), NumberKind::kFloat),
            to_ordered(std::bit_cast<std::uint32_t>(0.0f), NumberKind::kFloat));
}

TEST(Half, EveryHalfToFloat) {
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const auto half = static_cast<std::uint16_t>(i);
    const float got = half_to_float(half);
    if ((half & 0x7fff) > 0x7c00) {
      ASSERT_TRUE(std::isnan(got));
      ASSERT_EQ(half_to_float_bits(half), (i & 0x8000) << 16 | 0x7f800000 | (i & 0x3ff) << 13);
      continue;
    }
    ASSERT_EQ(static_cast<double>(got), half_value(half)) << i;
    ASSERT_EQ(std::signbit(got), (half & 0x8000) != 0);
    ASSERT_EQ(float_to_half(got), half);
  }
}

// All signs, exponents and high mantissa bits, with low bits around the rounding boundary.
TEST(Half, FloatsToHalf) {
  const std::uint32_t lows[] = {0, 1, 0xfff, 0x1000, 0x1001, 0x1fff};
  for (std::uint32_t high = 0; high < (1u << 19); ++high) {
    for (const std::uint32_t low : lows) {
      const float value = std::bit_cast<float>(high << 13 | low);
      const std::uint16_t got = float_to_half(value);
      if (std::isnan(value)) {
        ASSERT_GT(got & 0x7fff, 0x7e00 - 1);
        ASSERT_EQ(got >> 15, static_cast<int>(high >> 18));
        ASSERT_EQ(got & 0x1ffu, high & 0x1ff);
      } else {
        ASSERT_EQ(got, half_bits(static_cast<double>(value))) << value;
      }
    }
  }
}

TEST(Half, RandomFloatsToHalf) {
  Random random(8);
  for (int i = 0; i < 1000000; ++i) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(random.bits(32)));
    if (std::isnan(value)) continue;
    ASSERT_EQ(float_to_half(value), half_bits(static_cast<double>(value))) << value;
  }
}

// std::nearbyint() rounds to even here, since tests run in the default environment.
template <class T, class Bits>
void check_rounding(Random& random) {
  std::vector<T> numbers = {0, T(-0.0), T(0.3), T(-0.3), T(0.5), T(-0.5), T(1.5), T(-2.5)};
  for (int exponent = 0; exponent < std::numeric_limits<T>::digits + 2; ++exponent) {
    for (const double difference : {-0.5, 0.0, 0.5}) {
      const T number = static_cast<T>(std::ldexp(1.0, exponent) + difference);
      numbers.insert(numbers.end(), {number, -number});
    }
  }
  for (int i = 0; i < 100'000; ++i) {
    numbers.push_back(std::bit_cast<T>(static_cast<Bits>(random.bits())));
    numbers.push_back(static_cast<T>(random.below(2'000'001)) / 8 - T(125'000));
  }
  for (const T number : numbers) {
    const T rounded = round_to_even(number);
    if (std::isnan(number)) {
      ASSERT_TRUE(std::isnan(rounded));
    } else {
      ASSERT_EQ(std::bit_cast<Bits>(rounded), std::bit_cast<Bits>(std::nearbyint(number)))
          << number;
    }
  }
}

TEST(RoundToEven, IsNearbyintInTheDefaultEnvironment) {
  Random random(41);
  check_rounding<float, std::uint32_t>(random);
  check_rounding<double, std::uint64_t>(random);
}

TEST(FloatTraits, NanBits) {
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const auto half = static_cast<std::uint16_t>(i);
    ASSERT_EQ(is_nan_bits(half), (half & 0x7fff) > 0x7c00);
  }
  EXPECT_EQ(kInfinityBits<std::uint32_t>, std::bit_cast<std::uint32_t>(HUGE_VALF));
  EXPECT_EQ(kInfinityBits<std::uint64_t>, std::bit_cast<std::uint64_t>(HUGE_VAL));
}

}  // namespace
}  // namespace numpact::testing
