// SPDX-License-Identifier: Apache-2.0
// Whatever is asked of the encoder, numbers come back bit for bit, from the second decoder too, and
// never take more room than Classic mode with one bin over the type's whole range.
#include <gtest/gtest.h>

#include <bit>

#include "second/compare.hpp"
#include "support/distributions.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

std::size_t classic_bytes(const Numbers& numbers, std::size_t chunks) {
  const std::size_t bits = 8 * size_of(numbers.type());
  const std::size_t hint_bits = std::max(1, static_cast<int>(std::bit_width(numbers.count())));
  const std::size_t header = 4 + 1 + 1 + (6 + hint_bits + 7) / 8 + 2;
  const std::size_t offset_width = static_cast<std::size_t>(std::bit_width(bits));
  const std::size_t meta = (4 + 4 + 4 + 15 + bits + offset_width + 7) / 8;
  return header + chunks * (4 + meta) + numbers.count() * bits / 8 + 1;
}

class Checker {
 public:
  void check(const Numbers& numbers, const EncodeConfig& config) {
    Bytes file(compress_bound(numbers.type(), numbers.count(), config));
    std::size_t written = 0;
    ASSERT_OK(compress_into(numbers.view(), file, config, &encode_).into(written));
    ASSERT_LE(written, file.size());
    file.resize(written);
    file.shrink_to_fit();
    ASSERT_EQ(compressed(numbers, config), file);

    FileInfo info;
    ASSERT_OK(inspect_into(file, info));
    ASSERT_EQ(info.count, numbers.count());
    ASSERT_EQ(info.file_bytes, file.size());
    ASSERT_LE(file.size(), classic_bytes(numbers, info.chunks.size()));
    std::uint64_t count = 0;
    ASSERT_OK(count_numbers(file, {}, &decode_).into(count));
    ASSERT_EQ(count, numbers.count());

    Numbers out = zeros(numbers.type(), numbers.count());
    std::size_t got = 0;
    ASSERT_OK(count_into(decompress_into(file, writable(out), {}, &decode_), got));
    ASSERT_EQ(got, numbers.count());
    ASSERT_TRUE(same_numbers(out, numbers));
    if (config.uniform_type || numbers.count() > 0) {
      ASSERT_TRUE(same_numbers(decompressed(file), numbers));
    }
    ASSERT_TRUE(same_as_plain(numbers, second::decode_pco(file)));
    visit_type(numbers.type(), [&](auto value) {
      ASSERT_TRUE(same_numbers(from_values(decompress<decltype(value)>(file).value()), numbers));
    });
  }

 private:
  EncodeContext encode_;
  DecodeContext decode_;
};

std::size_t random_count(Random& random) {
  static constexpr std::size_t kCounts[] = {0, 1, 2, 3, 255, 256, 257, 1000};
  return random.one_in(3) ? random.below(700) : random.pick(kCounts);
}

// Each round takes other data, levels and pages.
constexpr int kRounds = 4;

unsigned random_level(Random& random) {
  static constexpr unsigned kLevels[] = {0, 1, 8, 8, 12};
  return random.pick(kLevels);
}

class RoundTrip : public ::testing::TestWithParam<NumberType> {};

TEST_P(RoundTrip, EveryModeDeltaAndCount) {
  const NumberType type = GetParam();
  Random random(100 + static_cast<std::uint64_t>(type));
  Checker checker;
  for (const ModeSpec& mode : mode_specs(type)) {
    for (const DeltaSpec& delta : delta_specs(type)) {
      for (const std::size_t n : {0, 1, 2, 3, 33, 255, 256, 257, 511, 1000}) {
        EncodeConfig config;
        config.mode = mode;
        config.delta = delta;
        config.level = random_level(random);
        config.uniform_type = !random.one_in(4);
        const std::string_view distribution = random.pick(distribution_names());
        SCOPED_TRACE(text(describe(config), ", ", n, " ", distribution, ", seed ", seed()));
        checker.check(make_numbers(distribution, type, n, random), config);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(RoundTrip, EveryDistribution) {
  const NumberType type = GetParam();
  Random random(200 + static_cast<std::uint64_t>(type));
  Checker checker;
  for (const std::string_view distribution : distribution_names()) {
    const std::vector<ModeSpec> modes = mode_specs(type);
    for (std::size_t i = 0; i < kRounds * modes.size(); ++i) {
      EncodeConfig config;
      config.mode = modes[i % modes.size()];
      config.delta = random.pick(delta_specs(type));
      config.level = random_level(random);
      if (random.one_in(3)) config.paging = PagingSpec::equal_pages_up_to(random.between(1, 400));
      const std::size_t n = random_count(random);
      SCOPED_TRACE(text(describe(config), ", ", n, " ", distribution, ", seed ", seed()));
      checker.check(make_numbers(distribution, type, n, random), config);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(RoundTrip, Automatic) {
  const NumberType type = GetParam();
  Random random(300 + static_cast<std::uint64_t>(type));
  Checker checker;
  for (const std::string_view distribution : distribution_names()) {
    for (unsigned level = 0; level <= kMaxLevel; level += 4) {
      EncodeConfig config;
      config.level = level;
      const std::size_t n = random.between(1, 6000);
      SCOPED_TRACE(text(describe(config), ", ", n, " ", distribution, ", seed ", seed()));
      checker.check(make_numbers(distribution, type, n, random), config);
      if (HasFatalFailure()) return;
    }
  }
}

std::string test_name(const ::testing::TestParamInfo<NumberType>& info) {
  return std::string(name_of(info.param));
}

INSTANTIATE_TEST_SUITE_P(Types, RoundTrip, ::testing::ValuesIn(kNumberTypes), test_name);

struct Large {
  NumberType type;
  const char* distribution;
};

class LargeRoundTrip : public ::testing::TestWithParam<Large> {};

TEST_P(LargeRoundTrip, OnePastAPage) {
  Random random(400);
  constexpr std::size_t kN = (std::size_t{1} << 18) + 1;
  const Numbers numbers = make_numbers(GetParam().distribution, GetParam().type, kN, random);
  Checker checker;
  checker.check(numbers, {});
  EncodeConfig config;
  config.level = 2;
  config.delta = DeltaSpec::try_lookback();
  config.paging = PagingSpec::equal_pages_up_to(SIZE_MAX);
  checker.check(numbers, config);
}

std::string large_name(const ::testing::TestParamInfo<Large>& info) {
  return std::string(name_of(info.param.type));
}

INSTANTIATE_TEST_SUITE_P(Some, LargeRoundTrip,
                         ::testing::Values(Large{NumberType::kI64, "walk"},
                                           Large{NumberType::kF32, "decimals"},
                                           Large{NumberType::kU8, "few-values"},
                                           Large{NumberType::kU64, "uniform"},
                                           Large{NumberType::kF16, "specials"}),
                         large_name);

TEST(RoundTripShape, ExactPages) {
  Random random(500);
  Checker checker;
  const Numbers numbers = make_numbers("walk", NumberType::kI32, 1000, random);
  EncodeConfig config;
  config.paging = PagingSpec::exact({1, 256, 743});
  checker.check(numbers, config);
  const FileInfo info = inspect(compressed(numbers, config)).value();
  ASSERT_EQ(info.chunks.size(), 3u);
  EXPECT_EQ(info.chunks[0].count, 1u);
  EXPECT_EQ(info.chunks[1].count, 256u);
  EXPECT_EQ(info.chunks[2].count, 743u);
}

TEST(RoundTripShape, EqualPages) {
  Random random(600);
  EncodeConfig config;
  config.paging = PagingSpec::equal_pages_up_to(300);
  const Numbers numbers = make_numbers("walk", NumberType::kI32, 1000, random);
  const FileInfo info = inspect(compressed(numbers, config)).value();
  ASSERT_EQ(info.chunks.size(), 4u);
  for (const ChunkInfo& chunk : info.chunks) EXPECT_EQ(chunk.count, 250u);
}

TEST(RoundTripShape, HeaderSaysTypeAndCount) {
  EncodeConfig config;
  const Bytes typed = compressed(zeros(NumberType::kI16, 0), config);
  EXPECT_EQ(read_header(typed).value().uniform_type, NumberType::kI16);
  EXPECT_EQ(decompressed(typed).type(), NumberType::kI16);
  config.uniform_type = false;
  const FileHeader header = read_header(compressed(zeros(NumberType::kF64, 700), config)).value();
  EXPECT_FALSE(header.uniform_type.has_value());
  EXPECT_EQ(header.number_type, NumberType::kF64);
  EXPECT_EQ(header.n_hint, 700u);
  EXPECT_EQ(header.standalone_version, 3u);
  EXPECT_EQ(header.format_major, 4u);
}

TEST(RoundTripShape, ModesAndDeltasAreUsedWhereTheyPay) {
  Random random(700);
  EncodeConfig config;
  config.delta = DeltaSpec::none();
  config.mode = ModeSpec::try_int_mult(1000003);
  std::vector<std::int64_t> multiples(3000);
  for (auto& x : multiples) x = 1000003 * static_cast<std::int64_t>(random.below(5000));
  const FileInfo mult = inspect(compressed(from_values(multiples), config)).value();
  EXPECT_EQ(mult.chunks.at(0).mode_text(), "int-mult=1000003");

  config.mode = ModeSpec::classic();
  config.delta = DeltaSpec::try_consecutive(1);
  const Numbers walk = make_numbers("walk", NumberType::kI64, 3000, random);
  EXPECT_EQ(inspect(compressed(walk, config)).value().chunks.at(0).delta_text(), "consecutive=1");
  config.delta = DeltaSpec::try_lookback();
  const Numbers repeats = make_numbers("repeats", NumberType::kI64, 3000, random);
  EXPECT_EQ(inspect(compressed(repeats, config)).value().chunks.at(0).delta_text(), "lookback");
  config.delta = DeltaSpec::none();
  config.mode = ModeSpec::try_dict();
  const Numbers few = make_numbers("few-values", NumberType::kI64, 3000, random);
  EXPECT_EQ(inspect(compressed(few, config)).value().chunks.at(0).mode_text(), "dict");
}

}  // namespace
}  // namespace numpact::testing
