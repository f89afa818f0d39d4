// SPDX-License-Identifier: Apache-2.0
// How files are split into chunks, under automatic and other paging.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "support/distributions.hpp"
#include "support/executors.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

std::vector<std::size_t> chunk_counts(ByteSpan file) {
  std::vector<std::size_t> counts;
  for (const ChunkInfo& chunk : inspect(file).value().chunks) {
    counts.push_back(static_cast<std::size_t>(chunk.count));
  }
  return counts;
}
std::size_t sum(const std::vector<std::size_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

Bytes streamed(const Numbers& numbers, const EncodeConfig& config, std::uint64_t n_hint,
               std::size_t max_n, Random& random) {
  Bytes file;
  VectorSink sink(file);
  StreamWriter writer(sink, numbers.type(), config, n_hint);
  std::size_t done = 0;
  while (done < numbers.count()) {
    const std::size_t n = std::min<std::size_t>(1 + random.below(max_n), numbers.count() - done);
    EXPECT_OK(writer.write(part(numbers, done, n)));
    done += n;
  }
  EXPECT_OK(writer.finish());
  return file;
}

// Changes its scale, values and smoothness periodically.
Numbers changing(NumberType type, std::size_t n, Random& random) {
  static constexpr std::string_view kNames[] = {"uniform", "small", "walk", "few-values", "sorted"};
  Numbers numbers = zeros(type, 0);
  while (numbers.count() < n) {
    const std::size_t block_n =
        std::min<std::size_t>(n - numbers.count(), random.between(8000, 60'000));
    const Numbers block = make_numbers(random.pick(kNames), type, block_n, random);
    numbers.storage().insert(numbers.storage().end(), raw(block).begin(), raw(block).end());
  }
  return numbers;
}

TEST(AutomaticPaging, IsTheDefault) {
  EXPECT_TRUE(EncodeConfig().paging.is_automatic());
  EXPECT_TRUE(PagingSpec::automatic().is_automatic());
  EXPECT_FALSE(PagingSpec::equal_pages_up_to(PagingSpec::kDefaultPageN).is_automatic());
  EXPECT_FALSE(PagingSpec::exact({}).is_automatic());
}

TEST(AutomaticPaging, SplitsWhereNumbersChange) {
  Random random(701);
  std::vector<std::int64_t> numbers(120'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double scale = i < 50'000 ? 10 : 1e9;
    numbers[i] = std::llround(scale * random.normal());
  }
  EncodeConfig uncut;
  uncut.level = 6;
  EXPECT_EQ(chunk_counts(compress(numbers, uncut).value()).size(), 1u);
  for (const unsigned level : {7u, 8u, 12u}) {
    EncodeConfig config;
    config.level = level;
    const Bytes file = compress(numbers, config).value();
    const std::vector<std::size_t> counts = chunk_counts(file);
    ASSERT_GE(counts.size(), 2u) << level;
    EXPECT_EQ(sum(counts), numbers.size());
    std::size_t at = 0;
    bool is_near = false;
    for (const std::size_t count : counts) {
      at += count;
      is_near = is_near || (at > 48'900 && at < 51'100);
    }
    EXPECT_TRUE(is_near) << ::testing::PrintToString(counts);
    config.paging = PagingSpec::equal_pages_up_to(numbers.size());
    EXPECT_LT(file.size(), compress(numbers, config).value().size());
  }
}

TEST(AutomaticPaging, OneChunkWhereNothingChanges) {
  Random random(702);
  for (const std::string_view name : {"uniform", "small", "walk", "decimals", "constant"}) {
    const Numbers numbers = make_numbers(name, NumberType::kF64, 100'000, random);
    EXPECT_EQ(chunk_counts(compressed(numbers)), (std::vector<std::size_t>{100'000})) << name;
  }
}

// At low levels runs are not segmented; automatic_chunk_n() bounds them.
TEST(AutomaticPaging, RunsAreEqualAndBounded) {
  for (const unsigned level : {0u, 3u, 5u, 6u, 9u, 10u}) {
    EncodeConfig config;
    config.level = level;
    const std::size_t max_n = automatic_chunk_n(level);
    EXPECT_EQ(max_n, config.max_chunk_n());
    EXPECT_EQ(chunk_counts(compressed(zeros(NumberType::kU8, max_n), config)),
              (std::vector<std::size_t>{max_n}));
    EXPECT_EQ(chunk_counts(compressed(zeros(NumberType::kU8, max_n + 1), config)),
              (std::vector<std::size_t>{max_n / 2 + 1, max_n / 2}));
  }
}

TEST(AutomaticPaging, SharesEndTogether) {
  EncodeConfig config;
  config.level = 0;
  const std::size_t max_n = automatic_chunk_n(config.level);
  const auto shares = [&](std::size_t n) {
    const Numbers numbers = zeros(NumberType::kU8, n);
    const Bytes file = compressed(numbers, config);
    Bytes streamed;
    VectorSink sink(streamed);
    StreamWriter writer(sink, numbers.type(), config, n);
    EXPECT_OK(writer.write(numbers.view()));
    EXPECT_OK(writer.finish());
    EXPECT_EQ(streamed, file);
    return chunk_counts(file);
  };
  using Counts = std::vector<std::size_t>;
  EXPECT_EQ(shares(max_n), Counts{max_n});
  EXPECT_EQ(shares(max_n + 1), (Counts{max_n / 2 + 1, max_n / 2}));
  EXPECT_EQ(shares(3 * max_n), Counts(4, 3 * max_n / 4)) << "four, not three";
  EXPECT_EQ(shares(4 * max_n), Counts(4, max_n));
  EXPECT_EQ(shares(5 * max_n), (Counts{max_n, max_n, max_n, max_n, max_n / 2, max_n / 2}));
  const Counts many = shares(8 * max_n - 3);
  EXPECT_EQ(many.size(), 9u);
  EXPECT_EQ(sum(many), 8 * max_n - 3);
  EXPECT_EQ((Counts{many[4], many[5]}), (Counts{max_n, max_n - 1})) << "equal to within one";
  EXPECT_EQ((Counts{many[7], many[8]}), (Counts{max_n / 2, max_n / 2 - 1})) << "the last is halved";
}

TEST(AutomaticPaging, StreamsGiveTheSameBytes) {
  Random random(703);
  const struct {
    NumberType type;
    unsigned level;
    std::size_t n;
  } cases[] = {{NumberType::kI16, 1, 600'000},   {NumberType::kF32, 4, 300'000},
               {NumberType::kU64, 5, 290'000},   {NumberType::kI32, 8, 150'000},
               {NumberType::kI16, 6, 1'100'000}, {NumberType::kF64, 8, 1},
               {NumberType::kU8, 8, 5000},       {NumberType::kI64, 11, 60'000},
               {NumberType::kF32, 12, 30'000}};
  for (const auto& one : cases) {
    const Numbers numbers = changing(one.type, one.n, random);
    EncodeConfig config;
    config.level = one.level;
    SCOPED_TRACE(text(name_of(one.type), " x ", one.n, ", level ", one.level, ", seed ", seed()));
    const Bytes file = compressed(numbers, config);
    EXPECT_TRUE(same_numbers(decompressed(file), numbers));
    for (const std::size_t max_n : {one.n, std::size_t{50'000}, std::size_t{777}}) {
      EXPECT_TRUE(same_bytes(streamed(numbers, config, one.n, max_n, random), file)) << max_n;
    }
  }
}

TEST(AutomaticPaging, ThreadsGiveTheSameBytes) {
  Random random(704);
  const Numbers numbers = changing(NumberType::kF32, 1'100'000, random);
  for (const unsigned level : {7u, 10u}) {
    EncodeConfig config;
    config.level = level;
    const Bytes file = compressed(numbers, config);
    EXPECT_GT(chunk_counts(file).size(), 3u);
    for (const unsigned threads : {2u, 3u, 4u}) {
      config.threads = threads;
      EXPECT_TRUE(same_bytes(compressed(numbers, config), file)) << threads;
      EXPECT_TRUE(same_bytes(streamed(numbers, config, numbers.count(), 200'000, random), file));
    }
  }
}

// Multiples of a changing base within the same range: shared bins show no difference, encoding
// does.
TEST(AutomaticPaging, HighLevelsFindSegmentsByEncoding) {
  Random random(711);
  std::vector<std::int64_t> numbers;
  for (const std::int64_t base : {1000, 60, 7, 86'400, 1, 250}) {
    for (std::size_t n = random.between(5000, 20'000); n > 0; --n) {
      const auto max_n = static_cast<std::uint64_t>(100'000'000 / base);
      numbers.push_back(base * static_cast<std::int64_t>(random.below(max_n)));
    }
  }
  EncodeConfig config;
  config.level = 12;
  config.paging = PagingSpec::equal_pages_up_to(numbers.size());
  const std::size_t uncut = compress(numbers, config).value().size();
  config.paging = PagingSpec::automatic();
  std::size_t last = uncut;
  for (const unsigned level : {10u, 11u, 12u}) {
    config.level = level;
    const Bytes file = compress(numbers, config).value();
    EXPECT_EQ(decompress<std::int64_t>(file).value(), numbers);
    EXPECT_LT(file.size(), uncut) << level;
    last = file.size();
    for (const std::size_t count : chunk_counts(file)) EXPECT_GE(count, 1024u);
  }
  EXPECT_LT(static_cast<double>(last), 0.8 * static_cast<double>(uncut));
}

// Each level is greedy in its own way, so no more can be required.
TEST(AutomaticPaging, HigherLevelsAreHardlyEverLarger) {
  Random random(712);
  for (const NumberType type : {NumberType::kU8, NumberType::kI32, NumberType::kF64}) {
    const Numbers numbers = changing(type, 120'000, random);
    double last = HUGE_VAL;
    for (const unsigned level : {10u, 11u, 12u}) {
      EncodeConfig config;
      config.level = level;
      const Bytes file = compressed(numbers, config);
      EXPECT_TRUE(same_numbers(decompressed(file), numbers));
      const auto size = static_cast<double>(file.size());
      EXPECT_LE(size, 1.01 * last) << name_of(type) << " " << level << ", seed " << seed();
      last = size;
    }
  }
}

// A hint of another count only changes where runs end.
TEST(AutomaticPaging, WrongHintsDoNoHarm) {
  Random random(705);
  const Numbers numbers = changing(NumberType::kU32, 300'000, random);
  EncodeConfig config;
  config.level = 4;
  for (const std::uint64_t hint : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{299'999},
                                   std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    const Bytes file = streamed(numbers, config, hint, 100'000, random);
    EXPECT_TRUE(same_numbers(decompressed(file), numbers)) << hint;
    for (const std::size_t count : chunk_counts(file)) EXPECT_LE(count, automatic_chunk_n(4));
  }
}

TEST(AutomaticPaging, BoundHolds) {
  Random random(706);
  for (const NumberType type : kNumberTypes) {
    for (const std::string_view name : {"uniform", "segments", "extremes", "nans", "outliers"}) {
      for (const std::size_t n : {0u, 1u, 1023u, 1024u, 1025u, 4095u, 4096u, 4097u}) {
        for (const unsigned level : {0u, 4u, 8u, 12u}) {
          EncodeConfig config;
          config.level = level;
          const Numbers numbers = make_numbers(name, type, n, random);
          const std::size_t bound = compress_bound(type, n, config);
          EXPECT_LE(bound, n * size_of(type) + 64);
          Bytes out(bound);
          std::size_t written = 0;
          ASSERT_OK(compress_into(numbers.view(), out, config).into(written));
          EXPECT_LE(written, bound) << name_of(type) << " " << name << " " << n;
        }
      }
    }
  }
}

TEST(AutomaticPaging, BoundHoldsForLongRuns) {
  Random random(707);
  constexpr std::size_t kN = (std::size_t{1} << 20) + 1;
  for (const NumberType type : {NumberType::kU8, NumberType::kU16, NumberType::kF32}) {
    const Numbers numbers = make_numbers("uniform", type, kN, random);
    Bytes out(compress_bound(type, kN));
    std::size_t written = 0;
    ASSERT_OK(compress_into(numbers.view(), out).into(written));
    EXPECT_TRUE(same_numbers(decompressed(ByteSpan(out).first(written)), numbers));
    EXPECT_EQ(chunk_counts(ByteSpan(out).first(written)).size(), 2u);
  }
}

// Chunks that pay relative to each other, with incompressible ones between: no segmentation may
// exceed the bound.
TEST(AutomaticPaging, BoundHoldsForAdversaries) {
  Random random(708);
  for (int round = 0; round < 8; ++round) {
    std::vector<std::uint32_t> numbers;
    while (numbers.size() < 40'000) {
      const std::size_t n = random.between(900, 2500);
      const unsigned bits = random.one_in(4) ? 28 : 32;
      for (std::size_t i = 0; i < n; ++i) {
        numbers.push_back(static_cast<std::uint32_t>(random.bits(bits)));
      }
    }
    EncodeConfig config;
    config.level = round % 2 == 0 ? 8 : 12;
    Bytes out(compress_bound(NumberType::kU32, numbers.size(), config));
    std::size_t written = 0;
    ASSERT_OK(compress_into(NumberView(std::span<const std::uint32_t>(numbers)), out, config)
                  .into(written));
    EXPECT_EQ(decompress<std::uint32_t>(ByteSpan(out).first(written)).value(), numbers);
  }
}

// The bytes do not depend on the capacity of the output; too little is reported.
TEST(AutomaticPaging, CapacityDoesNotChangeTheBytes) {
  Random random(709);
  const Numbers numbers = changing(NumberType::kI32, 120'000, random);
  const Bytes file = compressed(numbers);
  ASSERT_GT(chunk_counts(file).size(), 1u);
  for (const std::size_t capacity : {file.size(), file.size() + 1, file.size() + 1000}) {
    Bytes out(capacity);
    std::size_t written = 0;
    ASSERT_OK(compress_into(numbers.view(), out).into(written));
    EXPECT_TRUE(same_bytes(ByteSpan(out).first(written), file));
  }
  for (const std::size_t capacity : {file.size() - 1, file.size() / 2, std::size_t{30}}) {
    Bytes out(capacity);
    std::size_t written = 0;
    EXPECT_KIND(compress_into(numbers.view(), out).into(written), kOutputTooSmall);
  }
}

TEST(Paging, EqualPagesAreNotSplit) {
  Random random(710);
  const Numbers numbers = changing(NumberType::kI32, 100'001, random);
  for (const std::size_t max_n : {std::size_t{100'001}, std::size_t{30'000}, SIZE_MAX}) {
    EncodeConfig config;
    config.paging = PagingSpec::equal_pages_up_to(max_n);
    const std::vector<std::size_t> counts = chunk_counts(compressed(numbers, config));
    EXPECT_EQ(counts.size(), max_n == 30'000 ? 4u : 1u);
    EXPECT_EQ(sum(counts), numbers.count());
    const auto [smallest, largest] = std::minmax_element(counts.begin(), counts.end());
    EXPECT_LE(*largest - *smallest, 1u);
  }
}

TEST(Paging, ExactSizesAreExact) {
  Random random(711);
  const Numbers numbers = changing(NumberType::kF64, 100'000, random);
  EncodeConfig config;
  const std::vector<std::size_t> sizes = {1, 60'000, 39'998, 1};
  config.paging = PagingSpec::exact(sizes);
  EXPECT_EQ(chunk_counts(compressed(numbers, config)), sizes);
}

// This percentage of numbers occurred before; the others take all their bits.
std::vector<std::uint32_t> repeating(unsigned percent, Random& random) {
  std::vector<std::uint32_t> numbers(60'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool is_fresh = i < 500 || random.below(100) >= percent;
    numbers[i] = is_fresh ? static_cast<std::uint32_t>(random.bits()) : numbers[i - 500];
  }
  return numbers;
}

bool looks_back(const std::vector<std::uint32_t>& numbers, bool favor_decode_speed) {
  EncodeConfig config;
  config.favor_decode_speed = favor_decode_speed;
  const Bytes file = compress(numbers, config).value();
  EXPECT_EQ(decompress<std::uint32_t>(file).value(), numbers);
  const std::vector<ChunkInfo> chunks = inspect(file).value().chunks;
  return std::any_of(chunks.begin(), chunks.end(),
                     [](const ChunkInfo& chunk) { return chunk.delta() == Delta::kLookback; });
}

TEST(FavorDecodeSpeed, LooksBackOnlyForALargeSaving) {
  Random random(712);
  int left_out = 0;
  for (unsigned percent = 5; percent <= 25; percent += 2) {
    const std::vector<std::uint32_t> numbers = repeating(percent, random);
    const bool usually = looks_back(numbers, false);
    const bool favored = looks_back(numbers, true);
    EXPECT_LE(favored, usually) << percent;
    left_out += usually && !favored ? 1 : 0;
  }
  EXPECT_GT(left_out, 0);
  EXPECT_TRUE(looks_back(repeating(90, random), true));
}

TEST(FavorDecodeSpeed, NoHighOrders) {
  std::vector<std::int64_t> numbers(30'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    numbers[i] = at * at * at * at;
  }
  EncodeConfig config;
  const auto order = [&] {
    const ChunkInfo chunk = inspect(compress(numbers, config).value()).value().chunks[0];
    const auto* consecutive = std::get_if<ConsecutiveInfo>(&chunk.delta_info);
    return consecutive == nullptr ? 0 : consecutive->order;
  };
  EXPECT_GT(order(), 2u);
  config.decode_weight = kMaxDecodeWeight;
  EXPECT_EQ(order(), 0u);
}

// The time to decode a number of the chunks, by the prices of the encoder.
double priced_ns(const Bytes& file) {
  double sum = 0;
  double numbers = 0;
  for (const ChunkInfo& chunk : inspect(file).value().chunks) {
    double ns = 0;
    const auto* const consecutive = std::get_if<ConsecutiveInfo>(&chunk.delta_info);
    for (const LatentVariableInfo& variable : chunk.variables) {
      ns += variable.bins.size() > 1 ? 0.6 : 0;
      ns += consecutive != nullptr && variable.delta_encoded ? 0.2 * consecutive->order : 0;
    }
    if (const auto* conv = std::get_if<Conv1Info>(&chunk.delta_info)) {
      ns += 1.9 + 0.07 * static_cast<double>(conv->weights.size());
    }
    ns += chunk.delta() == Delta::kLookback ? 1.1 : 0;
    const Mode mode = chunk.mode();
    ns += mode == Mode::kDict ? 0.5 : mode == Mode::kClassic ? 0 : 0.7;
    sum += ns * static_cast<double>(chunk.count);
    numbers += static_cast<double>(chunk.count);
  }
  return sum / numbers;
}

TEST(DecodeWeight, LargerOnesDecodeFaster) {
  Random random(713);
  std::vector<std::vector<double>> columns(6, std::vector<double>(40'000));
  for (std::size_t i = 0; i < columns[0].size(); ++i) {
    columns[0][i] = random.normal();
    columns[1][i] = std::round(100 * random.normal()) / 100;
    columns[2][i] = static_cast<double>(random.below(50)) / 7;
    columns[3][i] = i < 700 || random.below(9) == 0 ? random.normal() : columns[3][i - 700];
    columns[4][i] = std::round(1000 * std::sin(static_cast<double>(i) / 50));
    columns[5][i] = static_cast<double>(i * i % 100'000'007);
  }
  for (const std::vector<double>& numbers : columns) {
    double last_ns = HUGE_VAL;
    std::size_t last_size = 0;
    for (const float weight : {0.0f, 0.5f, 2.0f, 8.0f, 32.0f, kMaxDecodeWeight}) {
      EncodeConfig config;
      config.decode_weight = weight;
      const Bytes file = compress(numbers, config).value();
      EXPECT_EQ(decompress<double>(file).value(), numbers);
      const double ns = priced_ns(file);
      EXPECT_LE(ns, last_ns + 1e-9) << weight;
      EXPECT_GE(file.size() + file.size() / 100, last_size) << weight;
      last_ns = ns;
      last_size = file.size();
    }
    EXPECT_EQ(last_ns, 0);
  }
  EncodeConfig config;
  for (const float wrong : {-1.0f, 129.0f, std::nanf("")}) {
    config.decode_weight = wrong;
    EXPECT_FALSE(compress(columns[0], config).ok());
  }
}

}  // namespace
}  // namespace numpact::testing
