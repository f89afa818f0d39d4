// SPDX-License-Identifier: Apache-2.0
// Pages of every length around whole batches, and pages of almost no bits, on every instruction set
// and by every entry point.
#include <gtest/gtest.h>

#include "support/distributions.hpp"
#include "support/small_files.hpp"
#include "targets.hpp"

namespace numpact::testing {
namespace {

// Under the active target. Memory behind the numbers must not change.
void expect_decodes(const Fixture& fixture, GuardedBuffer& buffer, DecodeContext& context) {
  const ByteSpan file = buffer.copy(fixture.file);
  const std::size_t n = fixture.numbers.count();
  Numbers out = zeros(fixture.numbers.type(), n + 1);
  set_bits(out, n, 99);
  std::size_t count = 0;
  ASSERT_OK(count_into(decompress_into(file, {out.type(), out.storage().data(), n}, {}, &context),
                       count));
  ASSERT_EQ(count, n);
  ASSERT_EQ(bits_at(out, n), 99u);
  out.storage().resize(n * size_of(out.type()));
  ASSERT_TRUE(same_numbers(out, fixture.numbers));
}

void expect_decodes_on_every_target(const Fixture& fixture) {
  SCOPED_TRACE(text(fixture.name, ", seed ", seed()));
  GuardedBuffer buffer(fixture.file.size());
  DecodeContext context;
  for_each_target([&] { expect_decodes(fixture, buffer, context); });
}

Fixture make_file(NumberType type, const std::vector<std::size_t>& pages, EncodeConfig config,
                  std::string_view distribution, Random& random) {
  Fixture file;
  std::size_t n = 0;
  for (const std::size_t page : pages) n += page;
  config.paging = PagingSpec::exact(std::vector<std::size_t>(pages));
  file.numbers = make_numbers(distribution, type, n, random);
  file.name = text(name_of(type), " x ", n, " ", distribution, ", ", describe(config));
  file.file = compressed(file.numbers, config);
  return file;
}

class Pages : public ::testing::TestWithParam<NumberType> {};

TEST_P(Pages, AroundWholeBatches) {
  const NumberType type = GetParam();
  Random random(500 + static_cast<std::uint64_t>(type));
  for (const ModeSpec& mode : mode_specs(type)) {
    for (const DeltaSpec& delta : delta_specs(type)) {
      EncodeConfig config;
      config.level = static_cast<unsigned>(random.between(1, 8));
      config.mode = mode;
      config.delta = delta;
      expect_decodes_on_every_target(make_file(type, {1, 255, 256, 257, 511, 512, 513, 1000},
                                               config, random.pick(distribution_names()), random));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Pages, Long) {
  const NumberType type = GetParam();
  Random random(600 + static_cast<std::uint64_t>(type));
  for (const std::size_t page : {5000u, 70000u}) {
    for (int round = 0; round < (page < 10000 ? 20 : 4); ++round) {
      EncodeConfig config;
      config.level = static_cast<unsigned>(random.between(1, 6));
      config.mode = random.pick(mode_specs(type));
      config.delta = random.pick(delta_specs(type));
      expect_decodes_on_every_target(
          make_file(type, {page}, config, random.pick(distribution_names()), random));
      if (HasFatalFailure()) return;
    }
  }
}

std::string test_name(const ::testing::TestParamInfo<NumberType>& info) {
  return std::string(name_of(info.param));
}
INSTANTIATE_TEST_SUITE_P(Types, Pages, ::testing::ValuesIn(kNumberTypes), test_name);

// A hundred thousand numbers in a few hundred bytes.
std::vector<Fixture> tiny_files() {
  constexpr std::size_t kN = 100000;
  Random random(42);
  std::vector<Fixture> files;
  const auto add = [&](const char* name, NumberType type, const EncodeConfig& config,
                       const auto& number) {
    Numbers numbers = zeros(type, kN);
    for (std::size_t i = 0; i < kN; ++i) set_bits(numbers, i, number(i));
    Fixture file;
    file.file = compressed(numbers, config);
    file.name =
        text(name, " of ", name_of(type), ", ", describe(config), ", ", file.file.size(), " bytes");
    file.numbers = std::move(numbers);
    files.push_back(std::move(file));
  };
  EncodeConfig classic;
  classic.mode = ModeSpec::classic();
  classic.delta = DeltaSpec::none();
  EncodeConfig ones = classic;
  ones.delta = DeltaSpec::try_consecutive(1);
  EncodeConfig twos = classic;
  twos.delta = DeltaSpec::try_consecutive(2);
  EncodeConfig lookback = classic;
  lookback.delta = DeltaSpec::try_lookback();
  EncodeConfig dict;
  dict.mode = ModeSpec::try_dict();
  for (const NumberType type :
       {NumberType::kU8, NumberType::kI16, NumberType::kF32, NumberType::kU64, NumberType::kF64}) {
    const auto constant = [](std::size_t) { return std::uint64_t{7}; };
    const auto counting = [](std::size_t i) { return std::uint64_t{3 * i + 1}; };
    const auto rare = [&](std::size_t) { return std::uint64_t{random.one_in(3000) ? 9u : 2u}; };
    const auto steps = [](std::size_t i) { return std::uint64_t{i / 1500}; };
    add("constant", type, classic, constant);
    add("constant", type, {}, constant);
    add("counting", type, ones, counting);
    add("counting", type, twos, counting);
    add("rare", type, classic, rare);
    add("rare", type, dict, rare);
    add("steps", type, ones, steps);
    add("period", type, lookback, [](std::size_t i) { return std::uint64_t{i % 90}; });
  }
  return files;
}

TEST(TinyFiles, OnEveryTarget) {
  for (const Fixture& file : tiny_files()) {
    EXPECT_LT(file.file.size(), 4000u) << file.name;
    expect_decodes_on_every_target(file);
    if (HasFatalFailure()) return;
  }
}

// The status of decoding a truncated file. `out` and `count` receive what was decoded.
Status truncated_status(const Fixture& file, std::size_t size, GuardedBuffer& buffer,
                        DecodeContext& context, Numbers& out, std::size_t& count) {
  const ByteSpan truncated = buffer.copy(ByteSpan(file.file).first(size));
  return count_into(decompress_into(truncated, writable(out), {}, &context), count);
}

TEST(TinyFiles, EveryTruncationIsReportedTheSame) {
  for (const Fixture& file : tiny_files()) {
    SCOPED_TRACE(file.name);
    GuardedBuffer buffer(file.file.size());
    DecodeContext context;
    Numbers out = zeros(file.numbers.type(), file.numbers.count());
    // Only some sizes of larger files.
    const std::size_t stride = 1 + file.file.size() / 50;
    for (std::size_t size = 0; size < file.file.size(); size += stride) {
      std::size_t expected_count = 0;
      Status expected;
      {
        const TargetScope scope(all_targets().back());
        expected = truncated_status(file, size, buffer, context, out, expected_count);
      }
      ASSERT_FALSE(expected.ok());
      for_each_target([&] {
        std::size_t count = 0;
        const Status status = truncated_status(file, size, buffer, context, out, count);
        ASSERT_STREQ(to_string(status.kind()), to_string(expected.kind())) << size;
        ASSERT_EQ(status.offset(), expected.offset()) << size;
        ASSERT_EQ(count, expected_count) << size;
      });
      if (HasFatalFailure()) return;
    }
  }
}

void expect_streams(const Fixture& file, std::size_t block_bytes) {
  SCOPED_TRACE(text(file.name, ", pieces of ", block_bytes));
  for_each_target([&] {
    MemorySource source(file.file, block_bytes);
    StreamReader reader(source);
    Numbers out = zeros(file.numbers.type(), file.numbers.count() + 1);
    std::size_t count = 0;
    ASSERT_OK(count_into(reader.read(writable(out)), count));
    out.storage().resize(count * size_of(out.type()));
    ASSERT_TRUE(same_numbers(out, file.numbers));
  });
}

constexpr std::size_t kBlockBytes[] = {1, 7, 64, 4096};

TEST(TinyFiles, StreamInBlocks) {
  for (const Fixture& file : tiny_files()) {
    for (const std::size_t block_bytes : kBlockBytes) {
      expect_streams(file, block_bytes);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Streams, InBlocksOnEveryTarget) {
  Random random(43);
  for (const NumberType type : kNumberTypes) {
    for (int round = 0; round < 6; ++round) {
      EncodeConfig config;
      config.mode = random.pick(mode_specs(type));
      config.delta = random.pick(delta_specs(type));
      const Fixture file =
          make_file(type, {3000, 1, 256, 700}, config, random.pick(distribution_names()), random);
      for (const std::size_t block_bytes : kBlockBytes) {
        expect_streams(file, block_bytes);
        if (HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace numpact::testing
