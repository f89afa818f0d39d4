// SPDX-License-Identifier: Apache-2.0
// explain() describes exactly the file that compress() makes.
#include "numpact/inspect.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

template <class T>
NumberView view_of(const std::vector<T>& numbers) {
  return NumberView(std::span<const T>(numbers));
}

void expect_parts_add_up(const Explanation& explanation) {
  EXPECT_EQ(parts_of(explanation.file).total(), 8 * explanation.file.file_bytes);
  for (const ChunkInfo& chunk : explanation.file.chunks) {
    EXPECT_EQ(parts_of(chunk).total(), 8 * (4 + chunk.meta_bytes + chunk.page_bytes));
    EXPECT_LT(parts_of(chunk).padding, 16u);
  }
}

// Bins and codes cannot beat the frequencies of the latents, except by lucky tANS states.
void expect_latents_fit(const ChunkInfo& info, const ChunkExplanation& chunk) {
  ASSERT_EQ(chunk.latents.size(), info.variables.size());
  for (std::size_t i = 0; i < chunk.latents.size(); ++i) {
    const LatentVariableInfo& variable = info.variables[i];
    const EntropyBound& bound = chunk.latents[i];
    EXPECT_EQ(bound.count, variable.stored);
    EXPECT_LE(bound.distinct, bound.count);
    const double spent = static_cast<double>(variable.code_bits + variable.offset_bits) +
                         4.0 * variable.ans_size_log;
    EXPECT_LE(bound.bits * static_cast<double>(bound.count), 1.01 * spent + 64);
  }
}

TEST(Explain, FilesAddUp) {
  for (const std::vector<Fixture>& files : {good_fixtures(), small_files()}) {
    for (const Fixture& fixture : files) {
      SCOPED_TRACE(fixture.name);
      const Explanation explanation = explain_file(fixture.file).value();
      EXPECT_EQ(explanation.numbers.count, fixture.numbers.count());
      expect_parts_add_up(explanation);
      ASSERT_EQ(explanation.chunks.size(), explanation.file.chunks.size());
      for (std::size_t i = 0; i < explanation.chunks.size(); ++i) {
        expect_latents_fit(explanation.file.chunks[i], explanation.chunks[i]);
        EXPECT_TRUE(explanation.chunks[i].candidates.empty());
        EXPECT_EQ(explanation.chunks[i].chosen(), nullptr);
      }
    }
  }
}

std::vector<double> prices(std::size_t n) {
  std::vector<double> numbers(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t cents = (i * 7919) % 1009 + i / 64;
    numbers[i] = static_cast<double>(cents) / 100;
  }
  return numbers;
}

void expect_same_file(const Explanation& explanation, const FileInfo& info) {
  EXPECT_EQ(explanation.file.file_bytes, info.file_bytes);
  ASSERT_EQ(explanation.file.chunks.size(), info.chunks.size());
  for (std::size_t i = 0; i < info.chunks.size(); ++i) {
    const ChunkInfo& chunk = explanation.file.chunks[i];
    EXPECT_EQ(chunk.count, info.chunks[i].count);
    EXPECT_EQ(chunk.offset, info.chunks[i].offset);
    EXPECT_EQ(chunk.mode_text(), info.chunks[i].mode_text());
    EXPECT_EQ(chunk.delta_text(), info.chunks[i].delta_text());
    const CandidateInfo* const chosen = explanation.chunks[i].chosen();
    ASSERT_NE(chosen, nullptr);
    EXPECT_EQ(chosen->mode_text, chunk.mode_text());
    EXPECT_EQ(chosen->delta_text, chunk.delta_text());
    EXPECT_EQ(chosen->bytes, chunk.meta_bytes + chunk.page_bytes);
  }
}

TEST(Explain, MatchesTheFileOfCompress) {
  const std::vector<double> numbers = prices(20'000);
  for (const unsigned level : {0u, 8u, 12u}) {
    for (const std::size_t page : {std::size_t{3000}, PagingSpec::kDefaultPageN}) {
      EncodeConfig config;
      config.level = level;
      config.paging = PagingSpec::equal_pages_up_to(page);
      const std::vector<std::byte> file = compress(numbers, config).value();
      const Explanation explanation = explain(view_of(numbers), config).value();
      expect_same_file(explanation, inspect(file).value());
      expect_parts_add_up(explanation);
    }
  }
}

// Steps, then noise: each pays for its own chunk.
TEST(Explain, AutomaticPagingMatchesCompress) {
  Random random(8);
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < 40'000; ++i) {
    const auto noise = static_cast<std::int64_t>(random.bits(40));
    numbers.push_back(i < 20'000 ? 100 * i : noise);
  }
  for (const unsigned level : {8u, 11u}) {
    EncodeConfig config;
    config.level = level;
    const Explanation explanation = explain(view_of(numbers), config).value();
    expect_same_file(explanation, inspect(compress(numbers, config).value()).value());
    expect_parts_add_up(explanation);
    EXPECT_GT(explanation.chunks.size(), 1u);
    ASSERT_EQ(explanation.runs.size(), 1u);
    EXPECT_EQ(explanation.runs[0].chunk_count, explanation.chunks.size());
    EXPECT_EQ(explanation.runs[0].segments, CandidateOutcome::kTaken);
    EXPECT_LT(explanation.runs[0].segment_bits.value(), explanation.runs[0].single_bits.value());
    for (const ChunkExplanation& chunk : explanation.chunks) EXPECT_FALSE(chunk.is_fallback);
  }
}

TEST(Explain, ReportsTheCandidates) {
  const std::vector<double> numbers = prices(5000);
  EncodeConfig config;
  config.paging = PagingSpec::equal_pages_up_to(numbers.size());
  const Explanation explanation = explain(view_of(numbers), config).value();
  ASSERT_EQ(explanation.chunks.size(), 1u);
  const ChunkExplanation& chunk = explanation.chunks[0];
  std::size_t chosen = 0;
  bool has_classic = false;
  for (const CandidateInfo& candidate : chunk.candidates) {
    chosen += candidate.is_chosen ? 1 : 0;
    EXPECT_TRUE(candidate.estimated_bits || candidate.bytes);
    if (candidate.mode != Mode::kClassic) continue;
    has_classic = true;
    EXPECT_GT(candidate.estimated_bits.value_or(0), 0);
  }
  EXPECT_EQ(chosen, 1u);
  EXPECT_TRUE(has_classic);
  EXPECT_GT(chunk.candidates.size(), 1u);
  EXPECT_FALSE(chunk.is_fallback);
  for (std::size_t i = 0; i < chunk.candidates.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      EXPECT_FALSE(chunk.candidates[i].mode_text == chunk.candidates[k].mode_text &&
                   chunk.candidates[i].delta_text == chunk.candidates[k].delta_text);
    }
  }
}

// `period` random numbers that repeat.
std::vector<std::uint32_t> periodic(std::size_t n, std::size_t period) {
  Random random(31);
  std::vector<std::uint32_t> numbers(n);
  for (std::size_t i = 0; i < n; ++i) {
    numbers[i] = i < period ? static_cast<std::uint32_t>(random.bits(16)) : numbers[i - period];
  }
  return numbers;
}

// The only chunk of the numbers.
ChunkExplanation explain_chunk(const std::vector<std::uint32_t>& numbers) {
  EncodeConfig config;
  config.paging = PagingSpec::equal_pages_up_to(numbers.size());
  const Explanation explanation = explain(view_of(numbers), config).value();
  expect_same_file(explanation, inspect(compress(numbers, config).value()).value());
  EXPECT_EQ(explanation.chunks.size(), 1u);
  return explanation.chunks.at(0);
}

std::vector<CandidateInfo> lookbacks(const ChunkExplanation& chunk) {
  std::vector<CandidateInfo> found;
  for (const CandidateInfo& candidate : chunk.candidates) {
    if (candidate.delta == Delta::kLookback) found.push_back(candidate);
  }
  return found;
}

TEST(Explain, ReportsLookbackThatWins) {
  const ChunkExplanation chunk = explain_chunk(periodic(4000, 700));
  ASSERT_EQ(lookbacks(chunk).size(), 1u);
  const CandidateInfo lookback = lookbacks(chunk)[0];
  EXPECT_TRUE(lookback.is_chosen);
  ASSERT_TRUE(lookback.estimated_bits && lookback.bytes);
  EXPECT_NEAR(*lookback.estimated_bits, 8 * static_cast<double>(*lookback.bytes) / 4000, 0.2);
}

// A hundred values in random order: a bin for each is smaller, and the candidates show by how much.
TEST(Explain, ReportsLookbackThatLoses) {
  Random random(33);
  const std::vector<std::uint32_t> values = periodic(100, 100);
  std::vector<std::uint32_t> numbers(20'000);
  for (std::uint32_t& number : numbers) number = values[random.below(values.size())];
  const ChunkExplanation chunk = explain_chunk(numbers);
  ASSERT_NE(chunk.chosen(), nullptr);
  ASSERT_FALSE(lookbacks(chunk).empty());
  for (const CandidateInfo& lookback : lookbacks(chunk)) {
    EXPECT_FALSE(lookback.is_chosen);
    ASSERT_TRUE(lookback.estimated_bits);
    EXPECT_GT(*lookback.estimated_bits, chunk.chosen()->estimated_bits.value_or(0));
    EXPECT_LT(*lookback.estimated_bits, 16);
  }
}

// Cheap tests exclude it, and their lowest estimate says by how much.
TEST(Explain, ReportsLookbackThatWasNotSearched) {
  Random random(32);
  std::vector<std::uint32_t> numbers(20'000);
  for (std::uint32_t& number : numbers) number = static_cast<std::uint32_t>(random.bits(31));
  const ChunkExplanation chunk = explain_chunk(numbers);
  ASSERT_EQ(lookbacks(chunk).size(), 1u);
  const CandidateInfo lookback = lookbacks(chunk)[0];
  EXPECT_FALSE(lookback.is_chosen);
  EXPECT_EQ(lookback.outcome, CandidateOutcome::kNotRepetitive);
  EXPECT_FALSE(lookback.bytes);
  ASSERT_TRUE(lookback.estimated_bits);
  EXPECT_GT(*lookback.estimated_bits, 30);
}

TEST(Explain, KnownEntropies) {
  std::vector<std::uint16_t> numbers;
  for (std::uint16_t i = 0; i < 4096; ++i) numbers.push_back(i % 8);  // three bits
  EncodeConfig config;
  config.mode = ModeSpec::classic();
  config.delta = DeltaSpec::none();
  const Explanation flat = explain(view_of(numbers), config).value();
  EXPECT_EQ(flat.numbers.distinct, 8u);
  EXPECT_EQ(flat.numbers.bits, 3);
  ASSERT_EQ(flat.chunks.at(0).latents.size(), 1u);
  EXPECT_EQ(flat.chunks[0].latents[0].bits, 3);
  config.delta = DeltaSpec::try_consecutive(1);
  const Explanation deltas = explain(view_of(numbers), config).value();
  const EntropyBound& latents = deltas.chunks.at(0).latents.at(0);
  EXPECT_EQ(latents.distinct, 2u);  // +1, and -7 in one of eight
  EXPECT_EQ(latents.count, 4095u);
  EXPECT_NEAR(latents.bits, 0.5436, 1e-3);
  EXPECT_EQ(deltas.numbers.bits, 3);
}

TEST(Explain, FloatsCountByTheirBits) {
  const double nan = std::nan("");
  const std::vector<double> numbers = {0.0, -0.0, nan, nan};
  const Explanation explanation = explain(view_of(numbers)).value();
  EXPECT_EQ(explanation.numbers.distinct, 3u);
  EXPECT_EQ(explanation.numbers.bits, 1.5);
}

TEST(Explain, NumbersThatDoNotCompressFallBack) {
  EncodeConfig config;
  config.mode = ModeSpec::try_float_quant(1);
  config.delta = DeltaSpec::try_consecutive(7);
  Random random(3);
  std::vector<double> numbers(300);
  for (double& number : numbers) {
    const std::uint64_t bits = random.bits();
    std::memcpy(&number, &bits, sizeof(bits));
  }
  const Explanation explanation = explain(view_of(numbers), config).value();
  ASSERT_EQ(explanation.chunks.size(), 1u);
  EXPECT_TRUE(explanation.chunks[0].is_fallback);
  EXPECT_GE(explanation.chunks[0].candidates.size(), 2u);
  EXPECT_EQ(explanation.chunks[0].chosen()->mode, Mode::kClassic);
}

TEST(Explain, ExplainsEmptyInput) {
  const Explanation explanation = explain(NumberView(NumberType::kF32, nullptr, 0)).value();
  EXPECT_EQ(explanation.numbers.count, 0u);
  EXPECT_TRUE(explanation.chunks.empty());
  expect_parts_add_up(explanation);
  const Explanation empty =
      explain_file(read_file(fixture_path(text(kTypelessEmpty, ".pco")))).value();
  EXPECT_TRUE(empty.chunks.empty());
  EXPECT_EQ(parts_of(empty.file).framing, 64u);
}

// A chunk's type byte became the terminator: no chunks remain, and the trailer contradicts that.
TEST(Explain, ComparesAnEmptyFileWithItsTrailer) {
  EncodeConfig config;
  config.trailer = TrailerSpec::index();
  const std::vector<double> numbers = prices(1000);
  std::vector<std::byte> file = compress(std::span(numbers), config).value();
  const FileInfo intact = inspect(file).value();
  file.at(static_cast<std::size_t>(intact.chunks.at(0).offset)) = std::byte{0};
  Explanation explanation;
  EXPECT_KIND(explain_file(file).into(explanation), kCorrupt);
  DecodeConfig decode;
  decode.trailer = TrailerPolicy::kIgnore;
  EXPECT_TRUE(explain_file(file, decode).status().ok());
  EXPECT_TRUE(explanation.chunks.empty());
}

TEST(Explain, ErrorsHaveNoExplanation) {
  const std::vector<double> numbers = prices(1000);
  const NumberView view = view_of(numbers);
  EncodeConfig config;
  config.mode = ModeSpec::try_int_mult(3);
  EXPECT_KIND(explain(view, config).status(), kInvalidArgument);

  std::vector<std::byte> file = compress(numbers).value();
  ASSERT_TRUE(explain_file(file).ok());
  DecodeConfig decode;
  decode.limits.max_numbers = 999;
  EXPECT_KIND(explain_file(file, decode).status(), kLimitExceeded);
  decode.limits = {};
  decode.limits.max_memory = 4000;
  EXPECT_KIND(explain_file(file, decode).status(), kLimitExceeded);
  file.pop_back();
  EXPECT_KIND(explain_file(file).status(), kTruncated);
}

TEST(Explain, ProgressIsReportedByChunk) {
  const std::vector<double> numbers = prices(1000);
  std::vector<std::uint64_t> seen;
  EncodeConfig config;
  config.paging = PagingSpec::equal_pages_up_to(400);
  config.progress = [&](const Progress& progress) {
    seen.push_back(progress.numbers);
    return seen.size() < 2;
  };
  Explanation explanation;
  EXPECT_KIND(explain(view_of(numbers), config).into(explanation), kCancelled);
  const std::vector<std::uint64_t> expected = {334, 667};
  EXPECT_EQ(seen, expected);
}

}  // namespace
}  // namespace numpact::testing
