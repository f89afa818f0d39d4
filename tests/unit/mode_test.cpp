// SPDX-License-Identifier: Apache-2.0
// Modes: every number splits and joins to itself, and joins match the definition of the format.
// Splits take ordered latents, joins return the bits of numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "base/internal.hpp"
#include "pco/mode/split.hpp"
#include "support/distributions.hpp"
#include "support/half.hpp"
#include "targets.hpp"

namespace numpact::testing {
namespace {

template <Latent L>
std::vector<L> ordered_numbers(NumberType type, Random& random) {
  std::vector<L> ordered;
  for (const std::string_view name : distribution_names()) {
    const Numbers numbers = make_numbers(name, type, random.between(1, 300), random);
    for (std::size_t i = 0; i < numbers.count(); ++i) {
      ordered.push_back(to_ordered(static_cast<L>(bits_at(numbers, i)), kind_of(type)));
    }
  }
  return ordered;
}

template <Latent L>
std::vector<L> numbers_of(std::vector<L> ordered, NumberKind kind) {
  for (L& latent : ordered) latent = from_ordered(latent, kind);
  return ordered;
}

constexpr NumberKind kIntKinds[] = {NumberKind::kUnsigned, NumberKind::kSigned};

template <class T>
class IntModes : public ::testing::Test {};
using IntWidths = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(IntModes, IntWidths);

TYPED_TEST(IntModes, IntMultSplitsAndJoins) {
  using L = TypeParam;
  Random random(25);
  constexpr std::uint64_t kBases[] = {1,    2,     3,       7,          10,    77,           255,
                                      1000, 86400, 1000000, 4294967295, ~0ull, ~0ull / 2 + 1};
  std::vector<L> ordered = ordered_numbers<L>(kNumberTypeOf<L>, random);
  // Around changes of the quotient, up to the largest one.
  for (const std::uint64_t wide : kBases) {
    const auto base = static_cast<L>(std::max<std::uint64_t>(1, static_cast<L>(wide)));
    const L max_quotient = static_cast<L>(static_cast<L>(~L{0}) / base);
    for (const L quotient : {L{1}, static_cast<L>(max_quotient / 2), max_quotient}) {
      const L multiple = static_cast<L>(quotient * base);
      ordered.insert(ordered.end(), {static_cast<L>(multiple - 1), multiple,
                                     static_cast<L>(multiple + 1), static_cast<L>(~L{0})});
    }
  }
  for_each_target([&] {
    for (const std::uint64_t wide : kBases) {
      const auto base = static_cast<L>(std::max<std::uint64_t>(1, static_cast<L>(wide)));
      std::vector<L> primary(ordered.size());
      std::vector<L> secondary(ordered.size());
      split_int_mult(base, ordered.data(), ordered.size(), primary.data(), secondary.data());
      for (std::size_t i = 0; i < ordered.size(); ++i) {
        ASSERT_EQ(primary[i], ordered[i] / base);
        ASSERT_EQ(secondary[i], ordered[i] % base);
      }
      for (const NumberKind kind : kIntKinds) {
        std::vector<L> joined = primary;
        join_int_mult(base, kind, joined.data(), secondary.data(), joined.size());
        ASSERT_EQ(joined, numbers_of(ordered, kind));
      }
    }
  });
}

TYPED_TEST(IntModes, IntMultWraps) {
  using L = TypeParam;
  Random random(26);
  std::vector<L> primary(1000);
  std::vector<L> secondary(1000);
  std::vector<L> expected(1000);
  const auto base = static_cast<L>(random.bits() | 1);
  for (std::size_t i = 0; i < primary.size(); ++i) {
    primary[i] = static_cast<L>(random.bits());
    secondary[i] = static_cast<L>(random.bits());
    expected[i] = static_cast<L>(std::uint64_t{primary[i]} * base + secondary[i]);
  }
  for_each_target([&] {
    for (const NumberKind kind : kIntKinds) {
      for (const std::size_t n : {1u, 3u, 15u, 16u, 17u, 63u, 65u, 255u, 256u, 1000u}) {
        std::vector<L> joined = primary;
        join_int_mult(base, kind, joined.data() + 1, secondary.data() + 1, n - 1);
        ASSERT_EQ(joined[0], primary[0]);
        for (std::size_t i = 1; i < n; ++i) ASSERT_EQ(joined[i], from_ordered(expected[i], kind));
        ASSERT_TRUE(std::equal(joined.begin() + n, joined.end(), primary.begin() + n));
      }
    }
  });
}

TYPED_TEST(IntModes, DictSplitsAndJoins) {
  using L = TypeParam;
  Random random(27);
  Arena arena(std::pmr::new_delete_resource());
  std::vector<L> ordered = ordered_numbers<L>(kNumberTypeOf<L>, random);
  Dict dict;
  const LatentArray array{std::span<L>(ordered)};
  ASSERT_TRUE(make_dict(array, ordered.size(), arena, dict));
  const std::span<const L> entries = dict.as<L>();
  for (std::size_t i = 1; i < entries.size(); ++i) ASSERT_LT(entries[i - 1], entries[i]);
  const SplitLatents latents = split(AnyMode(dict), array, arena);
  EXPECT_FALSE(latents.secondary.exists());
  const std::span<std::uint32_t> indices = latents.primary.as<std::uint32_t>();
  ASSERT_EQ(indices.size(), ordered.size());
  std::vector<L> joined(ordered.size());
  EXPECT_TRUE(join_dict(entries, indices.data(), indices.size(), joined.data()));
  EXPECT_EQ(joined, ordered);
  if constexpr (std::is_same_v<L, std::uint32_t>) {  // as pages of such numbers do it
    std::vector<L> in_place(indices.begin(), indices.end());
    EXPECT_TRUE(join_dict(entries, in_place.data(), in_place.size(), in_place.data()));
    EXPECT_EQ(in_place, ordered);
    in_place.assign(300, static_cast<L>(entries.size()));
    EXPECT_FALSE(join_dict(entries, in_place.data(), in_place.size(), in_place.data()));
  }
  Dict too_small;
  EXPECT_FALSE(make_dict(array, entries.size() - 1, arena, too_small));
  indices[indices.size() / 2] = static_cast<std::uint32_t>(entries.size());
  EXPECT_FALSE(join_dict(entries, indices.data(), indices.size(), joined.data()));
  indices[indices.size() / 2] = ~0u;
  EXPECT_FALSE(join_dict(entries, indices.data(), indices.size(), joined.data()));
  EXPECT_FALSE(join_dict(std::span<const L>(), indices.data(), 1, joined.data()));
}

template <class L>
constexpr NumberType kFloatType = sizeof(L) == 2   ? NumberType::kF16
                                  : sizeof(L) == 4 ? NumberType::kF32
                                                   : NumberType::kF64;

template <class T>
class FloatModes : public ::testing::Test {};
using FloatWidths = ::testing::Types<std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(FloatModes, FloatWidths);

template <class L>
L bits_of(double value) {
  if constexpr (sizeof(L) == 2) return half_bits(value);
  if constexpr (sizeof(L) == 4) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if constexpr (sizeof(L) == 8) return std::bit_cast<std::uint64_t>(value);
}

// The definition: the bits of int_float(l) * base, converted to an ordered latent and corrected.
template <class L>
L naive_float_mult(L l0, L l1, L base_bits) {
  constexpr unsigned kDigits = sizeof(L) == 2 ? 11 : sizeof(L) == 4 ? 24 : 53;
  const L mid = kMid<L>;
  const L a = static_cast<L>(l0 >= mid ? l0 - mid : mid - 1 - l0);
  const L g = static_cast<L>(L{1} << kDigits);
  L bits = a < g ? bits_of<L>(static_cast<double>(a))
                 : static_cast<L>(bits_of<L>(static_cast<double>(g)) + (a - g));
  if (l0 < mid) bits |= mid;
  L product;
  if (is_nan_bits(bits)) {
    product = static_cast<L>(bits | (L{1} << (kDigits - 2)));
  } else if constexpr (sizeof(L) == 2) {  // NOLINT(bugprone-branch-clone): empty for other widths
    // In float, rounded once to float and once to half.
    product = half_bits(static_cast<double>(static_cast<float>(half_value(bits)) *
                                            static_cast<float>(half_value(base_bits))));
  } else if constexpr (sizeof(L) == 4) {
    product = bits_of<L>(
        static_cast<double>(std::bit_cast<float>(bits) * std::bit_cast<float>(base_bits)));
  } else {
    product = bits_of<L>(std::bit_cast<double>(bits) * std::bit_cast<double>(base_bits));
  }
  const L ordered = (product & mid) != 0 ? static_cast<L>(~product) : static_cast<L>(product ^ mid);
  return from_ordered(static_cast<L>(ordered + l1 + mid), NumberKind::kFloat);
}

const std::vector<double>& bases() {
  static const std::vector<double> all = {0.01, 1.0, -0.1, 3.0, 1e-4, 0.5, 300.0, 6.1e-5};
  return all;
}

TYPED_TEST(FloatModes, FloatMultJoinsAsDefined) {
  using L = TypeParam;
  Random random(28);
  std::vector<L> primary;
  for (int i = 0; i < 20000; ++i) {
    const auto near = static_cast<L>(random.bits(static_cast<unsigned>(random.below(65))));
    primary.push_back(static_cast<L>(random.one_in(2) ? kMid<L> + near : kMid<L> - near));
  }
  if constexpr (sizeof(L) == 2) {
    primary.clear();
    for (std::uint32_t i = 0; i < 65536; ++i) primary.push_back(static_cast<L>(i));
  }
  std::vector<L> secondary(primary.size());
  for (L& latent : secondary) latent = static_cast<L>(kMid<L> + random.below(5) - 2);
  for_each_target([&] {
    for (const double base : bases()) {
      const L base_bits = bits_of<L>(base);
      std::vector<L> joined = primary;
      join_float_mult(base_bits, joined.data(), secondary.data(), joined.size());
      for (std::size_t i = 0; i < joined.size(); ++i) {
        ASSERT_EQ(joined[i], naive_float_mult(primary[i], secondary[i], base_bits))
            << "base " << base << ", latent " << std::uint64_t{primary[i]};
      }
    }
  });
}

// Batches of integers that convert in one step, and batches with one or more that do not, at any
// position; values around the limit; counts that are not a multiple of a vector.
TYPED_TEST(FloatModes, FloatMultOfSmallAndHugeBatches) {
  using L = TypeParam;
  Random random(40);
  std::vector<std::size_t> counts = {100, 255, 256, 300};
  for (std::size_t n = 0; n <= 70; ++n) counts.push_back(n);
  for (const std::size_t n : counts) {
    for (int round = 0; round < 12; ++round) {
      const auto small_bits = static_cast<unsigned>(random.below(kBits<L> == 16 ? 11 : 25));
      std::vector<L> primary(n);
      std::vector<L> secondary(n);
      for (std::size_t i = 0; i < n; ++i) {
        const auto near = static_cast<L>(random.bits(small_bits));
        primary[i] = static_cast<L>(random.one_in(2) ? kMid<L> + near : kMid<L> - near);
        secondary[i] = random.one_in(4) ? static_cast<L>(random.bits())
                                        : static_cast<L>(kMid<L> + random.below(5) - 2);
      }
      const bool is_edge = round % 3 == 1;
      for (std::size_t huge = round % 3 == 0 ? 0 : random.between(1, 3); n > 0 && huge > 0;
           --huge) {
        // Powers of two and their neighbours, or anything.
        const L power = static_cast<L>(L{1} << random.below(kBits<L>));
        const L at =
            is_edge ? static_cast<L>(power + random.below(5) - 2) : static_cast<L>(random.bits());
        primary[random.below(n)] = static_cast<L>(random.one_in(2) ? kMid<L> + at : kMid<L> - at);
      }
      const L base_bits = bits_of<L>(random.pick(bases()));
      const std::size_t shift = random.below(16);
      for_each_target([&] {
        std::vector<L> buffer(shift + n + 1, L{99});
        L* const joined = buffer.data() + shift;
        std::copy(primary.begin(), primary.end(), joined);
        join_float_mult(base_bits, joined, secondary.data(), n);
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_EQ(joined[i], naive_float_mult(primary[i], secondary[i], base_bits))
              << "latent " << std::uint64_t{primary[i]} << " at " << i << " of " << n;
        }
        ASSERT_EQ(joined[n], L{99});
      });
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(FloatModes, FloatMultSplitsEveryNumber) {
  using L = TypeParam;
  Random random(29);
  std::vector<L> ordered = ordered_numbers<L>(kFloatType<L>, random);
  if constexpr (sizeof(L) == 2) {
    for (std::uint32_t i = 0; i < 65536; ++i) ordered.push_back(static_cast<L>(i));
  }
  // Whole numbers up to where floats cannot represent all of them.
  for (int exponent = 0; sizeof(L) > 2 && exponent < 64; ++exponent) {
    for (const double difference : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
      const double whole = std::ldexp(1.0, exponent) + difference;
      for (const double number : {whole, -whole}) {
        ordered.push_back(to_ordered(bits_of<L>(number), NumberKind::kFloat));
      }
    }
  }
  std::vector<double> all = bases();
  if (sizeof(L) > 2) all.insert(all.end(), {1e-38, 1e38});
  if (sizeof(L) > 4) all.insert(all.end(), {5e-324, 1.7e308});
  std::map<double, std::vector<L>> multiples;  // as the first target finds them
  for_each_target([&] {
    for (const double base : all) {
      std::vector<L> primary(ordered.size());
      std::vector<L> secondary(ordered.size());
      split_float_mult(bits_of<L>(base), ordered.data(), ordered.size(), primary.data(),
                       secondary.data());
      ASSERT_EQ(primary, multiples.try_emplace(base, primary).first->second) << base;
      join_float_mult(bits_of<L>(base), primary.data(), secondary.data(), primary.size());
      ASSERT_EQ(primary, numbers_of(ordered, NumberKind::kFloat)) << base;
    }
  });
}

TYPED_TEST(FloatModes, MultiplesNeedNoCorrection) {
  using L = TypeParam;
  std::vector<L> ordered;
  for (int i = -1000; i <= 1000; ++i) {
    ordered.push_back(to_ordered(bits_of<L>(i * 0.25), NumberKind::kFloat));
  }
  std::vector<L> primary(ordered.size());
  std::vector<L> secondary(ordered.size());
  split_float_mult(bits_of<L>(0.25), ordered.data(), ordered.size(), primary.data(),
                   secondary.data());
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    EXPECT_EQ(secondary[i], kMid<L>);
    const int integer = static_cast<int>(i) - 1000;
    if (integer >= 0) {
      EXPECT_EQ(primary[i], static_cast<L>(kMid<L> + static_cast<L>(integer)));
    }
  }
}

// A NaN is its own multiple, so a column of decimals with NaN has no corrections; one that signals
// becomes quiet by the product, and needs one.
TYPED_TEST(FloatModes, QuietNaNsNeedNoCorrection) {
  using L = TypeParam;
  const L quiet = static_cast<L>(bits_of<L>(std::numeric_limits<double>::quiet_NaN()));
  const L payload = static_cast<L>(quiet | 5);
  const L signalling = static_cast<L>(kInfinityBits<L> | 1);
  std::vector<L> ordered(64, to_ordered(bits_of<L>(0.5), NumberKind::kFloat));
  ordered[3] = to_ordered(quiet, NumberKind::kFloat);
  ordered[40] = to_ordered(static_cast<L>(payload | kMid<L>), NumberKind::kFloat);
  ordered[63] = to_ordered(signalling, NumberKind::kFloat);
  std::vector<L> primary(ordered.size());
  std::vector<L> secondary(ordered.size());
  split_float_mult(bits_of<L>(0.25), ordered.data(), ordered.size(), primary.data(),
                   secondary.data());
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    EXPECT_EQ(secondary[i] == kMid<L>, i != 63) << i;
    EXPECT_EQ(is_exact_multiple(primary[i]), i != 3 && i != 40 && i != 63) << i;
  }
  const FloatMult mult{bits_of<L>(0.25), kMid<L> + 1};  // a NaN takes the latent of 1
  mult.split(ordered.data(), ordered.size(), primary.data(), secondary.data());
  EXPECT_EQ(primary[3], static_cast<L>(kMid<L> + 1));
  EXPECT_NE(secondary[3], kMid<L>);
  std::vector<L> joined = primary;
  join_float_mult(bits_of<L>(0.25), joined.data(), secondary.data(), joined.size());
  EXPECT_EQ(joined, numbers_of(ordered, NumberKind::kFloat));
}

TYPED_TEST(FloatModes, FloatQuantSplitsAndJoins) {
  using L = TypeParam;
  Random random(30);
  const std::vector<L> ordered = ordered_numbers<L>(kFloatType<L>, random);
  for_each_target([&] {
    for (unsigned k = 1; k <= FloatTraits<L>::kMantissaBits; ++k) {
      std::vector<L> primary(ordered.size());
      std::vector<L> secondary(ordered.size());
      split_float_quant(k, ordered.data(), ordered.size(), primary.data(), secondary.data());
      for (std::size_t i = 0; i < ordered.size(); ++i) {
        const L low = static_cast<L>((L{1} << k) - 1);
        ASSERT_EQ(primary[i], static_cast<L>(ordered[i] >> k));
        ASSERT_LE(secondary[i], low);
        const L high = static_cast<L>(primary[i] << k);
        const L rest = primary[i] >= (kMid<L> >> k) ? secondary[i] : L(low - secondary[i]);
        ASSERT_EQ(ordered[i], static_cast<L>(high + rest));
      }
      join_float_quant(k, primary.data(), secondary.data(), primary.size());
      ASSERT_EQ(primary, numbers_of(ordered, NumberKind::kFloat)) << k;
    }
  });
}

}  // namespace
}  // namespace numpact::testing
