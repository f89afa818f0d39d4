// SPDX-License-Identifier: Apache-2.0
// Counting numbers in a range gives what counting the decoded numbers gives, with and without a
// trailer, and what dictionaries and bins decide is right.
#include <gtest/gtest.h>

#include <cmath>

#include "numpact/trailer.hpp"
#include "numpact/wrapped.hpp"
#include "support/distributions.hpp"
#include "support/half.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

using wrapped::ChunkDecoder;
using wrapped::ChunkEncoder;

// Comparison by value; of binary16 without the library.
template <class T>
bool is_within(T number, T min, T max) {
  if constexpr (std::is_same_v<T, Float16>) {
    const auto is_nan = [](Float16 half) { return (half.bits & 0x7fff) > 0x7c00; };
    if (is_nan(number) || is_nan(min) || is_nan(max)) return false;
    const double value = half_value(number.bits);
    return value >= half_value(min.bits) && value <= half_value(max.bits);
  } else {
    return number >= min && number <= max;
  }
}

template <class T>
std::uint64_t brute_force(const Numbers& numbers, T min, T max) {
  std::uint64_t count = 0;
  const std::span<const T> all = numbers.as<T>().value();
  for (const T number : all) count += is_within(number, min, max) ? 1 : 0;
  return count;
}

// One of the numbers, or any bits, or zeros and other special values.
template <class T>
T bound(const Numbers& numbers, Random& random) {
  const std::span<const T> all = numbers.as<T>().value();
  if (random.one_in(5)) {
    const std::uint64_t bits = random.bits(64);
    return from_bits(numbers.type(), {bits}).as<T>().value()[0];
  }
  if (random.one_in(10)) {
    // 0 or -0.0, or the smallest signed integer.
    const std::uint64_t bits = random.one_in(2) ? 0 : std::uint64_t{1} << (8 * sizeof(T) - 1);
    return from_bits(numbers.type(), {bits}).as<T>().value()[0];
  }
  return all[random.below(all.size())];
}

template <class T>
void expect_counts(const Numbers& numbers, const std::vector<Bytes>& files,
                   const ChunkDecoder& decoder, Random& random, std::array<int, 3>& matches) {
  for (int i = 0; i < 8; ++i) {
    T min = bound<T>(numbers, random);
    T max = bound<T>(numbers, random);
    if (latent_of_number(min) > latent_of_number(max) && !random.one_in(8)) std::swap(min, max);
    const std::uint64_t expected = brute_force(numbers, min, max);
    const ValueRange range = ValueRange::of(min, max);
    SCOPED_TRACE(text("latents ", range.min_latent, " to ", range.max_latent));
    for (const Bytes& file : files) {
      std::uint64_t count = 0;
      bool found = false;
      ASSERT_OK(count_where(file, range).into(count));
      ASSERT_EQ(count, expected);
      ASSERT_OK(exists(file, range).into(found));
      ASSERT_EQ(found, expected > 0);
    }
    const RangeMatch match = decoder.match(range);
    ++matches.at(static_cast<std::size_t>(match));
    if (match == RangeMatch::kNone) {
      ASSERT_EQ(expected, 0u);
    }
    if (match == RangeMatch::kAll) {
      ASSERT_EQ(expected, numbers.count());
    }
  }
}

TEST(CountWhere, EveryTypeModeAndDelta) {
  Random random(961);
  std::array<int, 3> matches{};
  for (const NumberType type : kNumberTypes) {
    for (const ModeSpec& mode : mode_specs(type)) {
      for (const DeltaSpec& delta : delta_specs(type)) {
        EncodeConfig config;
        config.mode = mode;
        config.delta = delta;
        const std::size_t chunk_n = random.between(1, 600);
        config.paging = PagingSpec::equal_pages_up_to(chunk_n);
        const std::string_view distribution = random.pick(distribution_names());
        const std::size_t n = random.between(1, 1500);
        SCOPED_TRACE(text(name_of(type), " x ", n, " ", distribution, ", ", describe(config),
                          ", chunks of ", chunk_n, ", seed ", seed()));
        const Numbers numbers = make_numbers(distribution, type, n, random);
        std::vector<Bytes> files;
        for (const TrailerSpec& trailer :
             {TrailerSpec::none(), TrailerSpec::index(), TrailerSpec::restarts(8)}) {
          config.trailer = trailer;
          files.push_back(compressed(numbers, config));
        }
        const ChunkEncoder encoder = ChunkEncoder::create(numbers.view(), config).value();
        const Bytes meta = encoder.meta().value();
        const ChunkDecoder decoder = ChunkDecoder::create(meta, type, {}).value();
        visit_type(type, [&](auto number) {
          expect_counts<decltype(number)>(numbers, files, decoder, random, matches);
        });
        if (HasFailure()) return;
      }
    }
  }
  for (const int count : matches) EXPECT_GT(count, 100);
}

TEST(CountWhere, ReferenceFiles) {
  Random random(962);
  for (const Fixture& fixture : good_fixtures()) {
    if (fixture.numbers.count() == 0) continue;
    SCOPED_TRACE(fixture.name);
    visit_type(fixture.numbers.type(), [&](auto number) {
      using T = decltype(number);
      for (int i = 0; i < 10; ++i) {
        const T min = bound<T>(fixture.numbers, random);
        const T max = bound<T>(fixture.numbers, random);
        EXPECT_EQ(count_where(fixture.file, ValueRange::of(min, max)).value(),
                  brute_force(fixture.numbers, min, max));
      }
    });
    if (HasFailure()) return;
  }
}

TEST(CountWhere, NansAndZeros) {
  const double nan = std::nan("");
  const double infinity = HUGE_VAL;
  const Numbers numbers =
      from_values<double>({-0.0, 0.0, nan, -nan, 1, -1, infinity, -infinity, 5e-324, -5e-324});
  for (const TrailerSpec& trailer : {TrailerSpec::none(), TrailerSpec::index()}) {
    EncodeConfig config;
    config.trailer = trailer;
    const Bytes file = compressed(numbers, config);
    const auto count = [&](double min, double max) {
      return count_where(file, ValueRange::of(min, max)).value();
    };
    EXPECT_EQ(count(-infinity, infinity), 8u);
    EXPECT_EQ(count(0.0, 0.0), 2u);
    EXPECT_EQ(count(-0.0, -0.0), 2u);
    EXPECT_EQ(count(0.0, -0.0), 2u);
    EXPECT_EQ(count(0.0, 1), 4u);
    EXPECT_EQ(count(-1, -0.0), 4u);
    EXPECT_EQ(count(1, -1), 0u);
    EXPECT_EQ(count(nan, infinity), 0u);
    EXPECT_EQ(count(-infinity, nan), 0u);
    EXPECT_EQ(count(-nan, infinity), 0u);
    EXPECT_EQ(count(infinity, infinity), 1u);
    EXPECT_FALSE(exists(file, ValueRange::of(2.0, 3.0)).value());
    EXPECT_TRUE(exists(file, ValueRange::of(1.0, 3.0)).value());
  }
  const Numbers nans = from_values<double>({nan, nan});
  EncodeConfig config;
  config.trailer = TrailerSpec::index();
  EXPECT_EQ(count_where(compressed(nans, config), ValueRange::of(-infinity, infinity)).value(), 0u);
}

Numbers counted(std::uint32_t n) {
  std::vector<std::uint32_t> values(n);
  for (std::uint32_t i = 0; i < n; ++i) values[i] = 10 * i;
  return from_values(values);
}

// Chunks 0 to 9 hold 0 to 9990, 10000 to 19990, ...; the bytes of chunk 5 are destroyed.
TEST(CountWhere, ChunksThatTheTrailerDecidesAreNotRead) {
  EncodeConfig config;
  config.paging = PagingSpec::equal_pages_up_to(1000);
  config.trailer = TrailerSpec::index();
  Bytes file = compressed(counted(10'000), config);
  const Trailer trailer = *Trailer::read(file).value();
  const ChunkSummary& chunk = trailer.chunks()[5];
  for (std::uint64_t i = 0; i < chunk.bytes; ++i) file[chunk.place.offset + i] = std::byte{0xa5};
  const auto range = [](std::uint32_t min, std::uint32_t max) { return ValueRange::of(min, max); };
  EXPECT_EQ(count_where(file, range(0, 49'990)).value(), 5000u);
  EXPECT_EQ(count_where(file, range(20'005, 70'010)).value(), 5001u);  // 5 is inside
  const Status status = count_where(file, range(20'000, 50'010)).status();
  EXPECT_KIND(status, kChecksum);
  EXPECT_EQ(status.chunk(), 5u);
  EXPECT_TRUE(exists(file, range(20'000, 50'010)).value());  // found before
  EXPECT_KIND(exists(file, range(50'001, 50'005)).status(), kChecksum);
  DecodeConfig verifying;
  verifying.trailer = TrailerPolicy::kVerify;
  EXPECT_FALSE(count_where(file, range(0, 100), verifying).ok());
  DecodeConfig ignoring;
  ignoring.trailer = TrailerPolicy::kIgnore;
  EXPECT_FALSE(count_where(file, range(0, 100), ignoring).ok());
}

ChunkDecoder chunk_of(const Numbers& numbers, const ModeSpec& mode, const DeltaSpec& delta) {
  EncodeConfig config;
  config.mode = mode;
  config.delta = delta;
  const Bytes meta = ChunkEncoder::create(numbers.view(), config)->meta().value();
  return ChunkDecoder::create(meta, numbers.type(), {}).value();
}

TEST(CountWhere, MetadataDecide) {
  Random random(963);
  std::vector<std::int32_t> values(5000);
  for (std::int32_t& value : values) value = static_cast<std::int32_t>(random.below(200)) * 100 - 7;
  const Numbers numbers = from_values(values);
  const auto range = [](std::int32_t min, std::int32_t max) { return ValueRange::of(min, max); };
  const ModeSpec modes[] = {ModeSpec::classic(), ModeSpec::try_int_mult(100), ModeSpec::try_dict()};
  for (const ModeSpec& mode : modes) {
    SCOPED_TRACE(to_string(mode));
    const ChunkDecoder chunk = chunk_of(numbers, mode, DeltaSpec::none());
    EXPECT_EQ(chunk.info()->mode_text(), to_string(mode));
    EXPECT_EQ(chunk.match(range(-1'000'000, -40'000)), RangeMatch::kNone);
    EXPECT_EQ(chunk.match(range(1'000'000, 2'000'000'000)), RangeMatch::kNone);
    EXPECT_EQ(chunk.match(range(-1'000'000, 1'000'000)), RangeMatch::kAll);
    EXPECT_EQ(chunk.match(range(0, 10'000)), RangeMatch::kSome);
    EXPECT_EQ(chunk.match(range(1'000'000, -1'000'000)), RangeMatch::kNone);
    EXPECT_EQ(chunk.match(ValueRange::of(std::uint32_t{0}, std::uint32_t{1})), RangeMatch::kSome);
  }
  // Dictionaries know the gaps too.
  const ChunkDecoder dict = chunk_of(numbers, ModeSpec::try_dict(), DeltaSpec::none());
  EXPECT_EQ(dict.match(range(94, 192)), RangeMatch::kNone);
  EXPECT_EQ(dict.match(range(93, 192)), RangeMatch::kSome);
  const ChunkDecoder deltas = chunk_of(numbers, ModeSpec::classic(), DeltaSpec::try_consecutive(1));
  EXPECT_EQ(deltas.match(range(-1'000'000, -40'000)), RangeMatch::kSome);
}

TEST(CountWhere, TypesLimitsAndProgress) {
  EncodeConfig config;
  config.paging = PagingSpec::equal_pages_up_to(1000);
  const Bytes file = compressed(counted(5000), config);
  EXPECT_KIND(count_where(file, ValueRange::of(1, 2)), kTypeMismatch);  // int
  EXPECT_KIND(count_where(file, {NumberType{0}, 0, 1}), kInvalidArgument);
  EXPECT_KIND(count_where(file, {NumberType{77}, 0, 1}), kInvalidArgument);
  const ValueRange all{NumberType::kU32, 0, ~std::uint64_t{0}};
  EXPECT_EQ(count_where(file, all).value(), 5000u);
  DecodeConfig limited;
  limited.limits.max_numbers = 4999;
  EXPECT_KIND(count_where(file, all, limited), kLimitExceeded);
  limited = {};
  limited.limits.max_memory = 1000;
  EXPECT_KIND(count_where(file, all, limited), kLimitExceeded);
  DecodeConfig reporting;
  std::uint64_t last = 0;
  reporting.progress = [&](const Progress& progress) {
    EXPECT_GT(progress.numbers, last);
    last = progress.numbers;
    return true;
  };
  DecodeContext context;
  EXPECT_EQ(count_where(file, ValueRange::of(15u, 25u), reporting, &context).value(), 1u);
  EXPECT_EQ(last, 5000u);
  reporting.progress = [](const Progress&) { return false; };
  EXPECT_KIND(count_where(file, all, reporting), kCancelled);
  // Empty files, with and without a type.
  EXPECT_EQ(count_where(compressed(zeros(NumberType::kU32, 0)), all).value(), 0u);
  EXPECT_KIND(count_where(compressed(zeros(NumberType::kF32, 0)), all), kTypeMismatch);
  EXPECT_EQ(count_where(read_file(fixture_path(text(kTypelessEmpty, ".pco"))), all).value(), 0u);
}

TEST(CountWhere, DamagedFilesAreRefused) {
  EncodeConfig config;
  config.paging = PagingSpec::equal_pages_up_to(100);
  const Bytes file = compressed(counted(300), config);
  const ValueRange range = ValueRange::of(15u, 2500u);
  for (std::size_t n = 0; n < file.size(); ++n) {
    const ExactCopy cut(ByteSpan(file).first(n));
    EXPECT_KIND(count_where(cut.span(), range), kTruncated) << n;
  }
  Bytes tail = file;
  tail.push_back(std::byte{9});  // bytes after the file are ignored
  EXPECT_EQ(count_where(tail, range).value(), count_where(file, range).value());
  DecodeConfig requiring;
  requiring.trailer = TrailerPolicy::kRequire;
  EXPECT_KIND(count_where(file, range, requiring), kCorrupt);
}

}  // namespace
}  // namespace numpact::testing
