// SPDX-License-Identifier: Apache-2.0
// DecodeLimits stop decoding before the forbidden cost arises.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "support/distributions.hpp"
#include "support/fixtures.hpp"

namespace numpact::testing {
namespace {

Status one_shot(ByteSpan file, const Numbers& numbers, const DecodeLimits& limits) {
  DecodeConfig config;
  config.limits = limits;
  Numbers out;
  const Status any = decompress_any(file, config).into(out);
  Numbers fixed = zeros(numbers.type(), numbers.count());
  std::size_t count = 0;
  const Status into = count_into(decompress_into(file, writable(fixed), config), count);
  EXPECT_EQ(any.kind(), into.kind());
  EXPECT_TRUE(is_prefix(out, numbers) || out.count() == 0);
  return any;
}

Status stream(ByteSpan file, const Numbers& numbers, const DecodeLimits& limits) {
  DecodeConfig config;
  config.limits = limits;
  MemorySource source(file, 100);
  StreamReader reader(source, config);
  Numbers out = zeros(numbers.type(), numbers.count() + 1);
  std::size_t count = 0;
  return count_into(reader.read(writable(out)), count);
}

// Counting and inspecting decode no numbers but obey the same limits.
Status walk(ByteSpan file, const DecodeLimits& limits) {
  DecodeConfig config;
  config.limits = limits;
  std::uint64_t count = 0;
  FileInfo info;
  const Status counted = count_numbers(file, config).into(count);
  EXPECT_EQ(counted.kind(), inspect_into(file, info, config).kind());
  if (counted.ok()) {
    EXPECT_EQ(info.count, count);
  }
  return counted;
}

class Limits : public ::testing::Test {
 protected:
  void SetUp() override {
    Random random(71);
    EncodeConfig config;
    config.paging = PagingSpec::equal_pages_up_to(300);
    numbers_ = make_numbers("walk", NumberType::kI64, 900, random);
    file_ = compressed(numbers_, config);
  }
  Numbers numbers_;
  Bytes file_;
};

TEST_F(Limits, Numbers) {
  for (const std::uint64_t limit : {0u, 1u, 300u, 599u, 899u}) {
    DecodeLimits limits;
    limits.max_numbers = limit;
    EXPECT_KIND(one_shot(file_, numbers_, limits), kLimitExceeded) << limit;
    EXPECT_KIND(stream(file_, numbers_, limits), kLimitExceeded) << limit;
    EXPECT_KIND(walk(file_, limits), kLimitExceeded) << limit;
  }
  DecodeLimits limits;
  limits.max_numbers = 900;
  EXPECT_OK(one_shot(file_, numbers_, limits));
  EXPECT_OK(stream(file_, numbers_, limits));
  EXPECT_OK(walk(file_, limits));
}

TEST_F(Limits, WalkingKeepsToBytesAndMemory) {
  DecodeLimits bytes;
  bytes.max_output_bytes = 900 * 8 - 1;
  EXPECT_KIND(walk(file_, bytes), kLimitExceeded);
  DecodeLimits memory;
  memory.max_memory = 64;
  EXPECT_KIND(walk(file_, memory), kLimitExceeded);
}

TEST_F(Limits, WalkingReportsAndStops) {
  DecodeConfig config;
  std::vector<std::uint64_t> seen;
  config.progress = [&](const Progress& progress) {
    seen.push_back(progress.numbers);
    return seen.size() < 2;
  };
  std::uint64_t count = 0;
  EXPECT_KIND(count_numbers(file_, config).into(count), kCancelled);
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{300, 600}));
  seen.clear();
  FileInfo info;
  EXPECT_KIND(inspect_into(file_, info, config), kCancelled);
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{300, 600}));
}

TEST_F(Limits, OutputBytes) {
  for (const std::uint64_t limit : {0u, 7u, 2400u, 7199u}) {
    DecodeLimits limits;
    limits.max_output_bytes = limit;
    EXPECT_KIND(one_shot(file_, numbers_, limits), kLimitExceeded) << limit;
    EXPECT_KIND(stream(file_, numbers_, limits), kLimitExceeded) << limit;
  }
  DecodeLimits limits;
  limits.max_output_bytes = 7200;
  EXPECT_OK(one_shot(file_, numbers_, limits));
  EXPECT_OK(stream(file_, numbers_, limits));
}

TEST_F(Limits, MemoryFromNothingToEnough) {
  bool enough = false;
  for (std::uint64_t limit = 0; limit < (1u << 20); limit = limit * 2 + 1) {
    DecodeLimits limits;
    limits.max_memory = limit;
    const Status status = one_shot(file_, numbers_, limits);
    if (status.ok()) {
      enough = true;
      EXPECT_OK(stream(file_, numbers_, limits));
    } else {
      EXPECT_FALSE(enough) << "more memory does not hurt";
      EXPECT_KIND(status, kLimitExceeded) << limit;
    }
  }
  EXPECT_TRUE(enough);
  EXPECT_KIND(stream(file_, numbers_, {.max_memory = 0}), kLimitExceeded);
}

TEST_F(Limits, ContextKeepsNoLimit) {
  DecodeContext context;
  DecodeConfig config;
  Numbers out;
  for (const std::uint64_t limit :
       {std::uint64_t{100}, DecodeLimits::kUnlimited, std::uint64_t{0}, DecodeLimits::kUnlimited}) {
    config.limits.max_memory = limit;
    const Status status = decompress_any(file_, config, &context).into(out);
    if (limit == DecodeLimits::kUnlimited) {
      EXPECT_OK(status);
      EXPECT_TRUE(same_numbers(out, numbers_));
    } else {
      EXPECT_KIND(status, kLimitExceeded);
    }
  }
}

// A few bytes that represent 12 * 2^24 numbers.
Bytes make_bomb() {
  constexpr std::size_t kN = std::size_t{1} << 24;
  EncodeConfig config;
  config.level = 0;
  config.mode = ModeSpec::classic();
  config.delta = DeltaSpec::none();
  config.paging = PagingSpec::equal_pages_up_to(kN);
  const Bytes one = compressed(zeros(NumberType::kU64, kN), config);
  const std::size_t header = static_cast<std::size_t>(read_header(one).value().size_bytes);
  Bytes bomb = prefix(one, header);
  for (int i = 0; i < 12; ++i) {
    bomb.insert(bomb.end(), one.begin() + static_cast<std::ptrdiff_t>(header), one.end() - 1);
  }
  bomb.push_back(std::byte{0});
  return bomb;
}

// Processor time, which other programs on the machine do not stretch.
template <class Work>
std::clock_t processor_time(const Work& work) {
  const std::clock_t begin = std::clock();
  work();
  return std::clock() - begin;
}

TEST(Bomb, IsRefusedAtOnce) {
  const Bytes bomb = make_bomb();
  EXPECT_LT(bomb.size(), 320u);
  const Numbers nothing = zeros(NumberType::kU64, 1);
  const std::clock_t whole = processor_time([&] { EXPECT_OK(verify(bomb).status()); });
  // 400 calls take less than it takes to decode all once.
  const std::clock_t begin = std::clock();
  for (int i = 0; i < 100; ++i) {
    EXPECT_KIND(one_shot(bomb, nothing, {.max_numbers = 1000000}), kLimitExceeded);
    EXPECT_KIND(one_shot(bomb, nothing, {.max_output_bytes = 8000000}), kLimitExceeded);
    EXPECT_KIND(stream(bomb, nothing, {.max_output_bytes = 8000000}), kLimitExceeded);
    std::size_t count = 9;
    Numbers out = zeros(NumberType::kU64, 1000);
    EXPECT_KIND(count_into(decompress_into(bomb, writable(out)), count), kOutputTooSmall);
    EXPECT_EQ(count, 0u);
  }
  EXPECT_LT(std::clock() - begin, std::max<std::clock_t>(whole, 2 * CLOCKS_PER_SEC));
}

TEST(Bomb, ReservesLittle) {
  const Bytes bomb = make_bomb();
  DecodeConfig config;
  int calls = 0;
  config.progress = [&](const Progress&) { return ++calls < 2; };
  Numbers out;
  EXPECT_KIND(decompress_any(bomb, config).into(out), kCancelled);
  EXPECT_LE(out.storage().capacity(), std::size_t{8} << 20);
}

// A file of a few bytes that claims a dictionary of 2^25 entries.
TEST(Claims, SizeNothing) {
  const Bytes file = read_file(fixture_path("made/refused/dict_longer_than_file.pco"));
  const Numbers numbers = zeros(*read_header(file).value().number_type, 1);
  const DecodeLimits little{.max_memory = 100000};
  EXPECT_KIND(one_shot(file, numbers, little), kTruncated);
  EXPECT_KIND(stream(file, numbers, little), kTruncated);
}

TEST(Hint, SizesNothing) {
  const Bytes file = read_file(fixture_path("made/n_hint_64_bits_wrong.pco"));
  const Numbers out = decompressed(file);
  EXPECT_EQ(out.count(), 300u);
  EXPECT_LE(decompress<std::uint32_t>(file).value().capacity(), std::size_t{1} << 18);
  EXPECT_KIND(one_shot(file, out, {.max_numbers = 299}), kLimitExceeded);
}

}  // namespace
}  // namespace numpact::testing
