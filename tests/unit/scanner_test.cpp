// SPDX-License-Identifier: Apache-2.0
// Starts of chunks are found from their heads and metadata alone.
#include "base/internal.hpp"
#include "pco/standalone/chunk_scanner.hpp"

#include <gtest/gtest.h>

#include <memory_resource>

#include "support/distributions.hpp"
#include "support/small_files.hpp"
#include "targets.hpp"

namespace numpact::testing {
namespace {

using standalone::ChunkScanner;
using standalone::FileWindow;
using standalone::LikelyChunk;
using Outcome = ChunkScanner::Outcome;

struct Chunks {
  Bytes file;
  NumberType type = NumberType::kU8;
  FormatVersion format;
  std::vector<IndexedChunk> locations;

  explicit Chunks(const Bytes& bytes) : file(bytes) {
    const ChunkIndex index = ChunkIndex::build(file).value();
    type = *index.type();
    locations.assign(index.chunks().begin(), index.chunks().end());
    const FileHeader header = read_header(file).value();
    format = {header.format_major, header.format_minor};
  }
};

Chunks make_chunks(NumberType type, const std::vector<std::size_t>& sizes,
                   std::string_view distribution, EncodeConfig config, Random& random) {
  std::size_t n = 0;
  for (const std::size_t size : sizes) n += size;
  config.paging = PagingSpec::exact(sizes);
  return Chunks(compressed(make_numbers(distribution, type, n, random), config));
}

// With the whole file in memory: examines each chunk, searches for the next one, and checks the
// bounds of the page. Returns the count of missed chunks.
int expect_finds_all(const Chunks& chunks) {
  GuardedBuffer buffer(chunks.file.size());
  const FileWindow window{buffer.copy(chunks.file)};
  Arena arena(std::pmr::new_delete_resource());
  ChunkScanner scanner(chunks.type, chunks.format);
  int missed = 0;
  for (std::size_t i = 0; i < chunks.locations.size(); ++i) {
    SCOPED_TRACE(text("chunk ", i));
    const IndexedChunk& location = chunks.locations[i];
    LikelyChunk chunk;
    EXPECT_EQ(scanner.examine_at(window, location.offset, arena, chunk), Outcome::kFound);
    EXPECT_EQ(chunk.offset, location.offset);
    EXPECT_EQ(chunk.n, location.count);
    const bool is_last = i + 1 == chunks.locations.size();
    const std::uint64_t end = is_last ? chunks.file.size() - 1 : chunks.locations[i + 1].offset;
    EXPECT_LE(chunk.min_end, end);
    EXPECT_GE(chunk.max_end, end);
    LikelyChunk behind;
    const Outcome outcome = scanner.find_next(window, chunk, arena, behind);
    if (outcome != (is_last ? Outcome::kNone : Outcome::kFound) ||
        (!is_last && behind.offset != end)) {
      ++missed;
    }
  }
  return missed;
}

std::vector<std::size_t> random_sizes(std::size_t count, Random& random) {
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < count; ++i) sizes.push_back(random.between(256, 5000));
  return sizes;
}

class ScannerOfType : public ::testing::TestWithParam<NumberType> {};

// Pages of mostly zeros may occasionally look like a chunk.
TEST_P(ScannerOfType, FindsChunksOfAnySize) {
  const NumberType type = GetParam();
  Random random(900 + static_cast<std::uint64_t>(type));
  int files_missed = 0;
  for (const ModeSpec& mode : mode_specs(type)) {
    for (const DeltaSpec& delta : delta_specs(type)) {
      EncodeConfig config;
      config.level = static_cast<unsigned>(random.between(0, 8));
      config.mode = mode;
      config.delta = delta;
      const std::string_view distribution = random.pick(distribution_names());
      SCOPED_TRACE(
          text(name_of(type), " ", distribution, " ", describe(config), ", seed ", seed()));
      const Chunks chunks =
          make_chunks(type, random_sizes(6, random), distribution, config, random);
      int missed = 0;
      for_each_target([&] { missed = expect_finds_all(chunks); });
      if (missed > 0) ++files_missed;
    }
  }
  EXPECT_LE(files_missed, 1);
}

INSTANTIATE_TEST_SUITE_P(Types, ScannerOfType, ::testing::ValuesIn(kNumberTypes),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

// With growing windows the scanner finds the same chunks, and reports nothing too early.
TEST(Scanner, WaitsForBytes) {
  Random random(950);
  for (const NumberType type : {NumberType::kU8, NumberType::kI32, NumberType::kF64}) {
    for (const char* distribution : {"walk", "constant", "few-values"}) {
      const Chunks chunks = make_chunks(type, random_sizes(3, random), distribution, {}, random);
      SCOPED_TRACE(text(name_of(type), " ", distribution, ", seed ", seed()));
      for (const std::size_t step : {std::size_t{1}, std::size_t{3}, std::size_t{1000}}) {
        Arena arena(std::pmr::new_delete_resource());
        ChunkScanner scanner(chunks.type, chunks.format);
        LikelyChunk first;
        LikelyChunk second;
        bool has_first = false;
        std::size_t size = 0;
        Outcome outcome = Outcome::kMore;
        while (outcome == Outcome::kMore) {
          ASSERT_LT(size, chunks.file.size());
          size = std::min(size + step, chunks.file.size());
          const ExactCopy copy(ByteSpan(chunks.file).first(size));
          const FileWindow window{copy.span(), 0, size == chunks.file.size()};
          if (!has_first) {
            outcome = scanner.examine_at(window, chunks.locations[0].offset, arena, first);
            has_first = outcome == Outcome::kFound;
          }
          if (has_first) outcome = scanner.find_next(window, first, arena, second);
        }
        ASSERT_EQ(outcome, Outcome::kFound);
        EXPECT_EQ(second.offset, chunks.locations[1].offset);
        EXPECT_EQ(second.n, chunks.locations[1].count);
      }
    }
  }
}

// Chunks above the initial bound are searched for once one was found.
TEST(Scanner, LargeChunks) {
  constexpr std::size_t kN = std::size_t{3} << 20;
  EncodeConfig config;
  config.level = 1;
  config.paging = PagingSpec::exact({kN, 1000, kN, kN});
  const Chunks chunks(compressed(zeros(NumberType::kU16, 3 * kN + 1000), config));
  EXPECT_EQ(expect_finds_all(chunks), 0);
}

// The scan of a file full of heads with invalid metadata is given up.
TEST(Scanner, GivesUp) {
  Random random(951);
  const Chunks chunks = make_chunks(NumberType::kI32, {100000, 100000}, "uniform", {}, random);
  Bytes file = chunks.file;
  LikelyChunk chunk;
  Arena arena(std::pmr::new_delete_resource());
  ChunkScanner scanner(chunks.type, chunks.format);
  ASSERT_EQ(scanner.examine_at({file}, chunks.locations[0].offset, arena, chunk), Outcome::kFound);
  chunk.min_end = chunks.locations[0].page_offset;
  LikelyChunk behind;
  ASSERT_EQ(scanner.find_next({file}, chunk, arena, behind), Outcome::kFound);
  EXPECT_EQ(behind.offset, chunks.locations[1].offset);
  const std::byte head[8] = {static_cast<std::byte>(chunks.type),
                             std::byte{7},
                             std::byte{7},
                             std::byte{},
                             std::byte{0xff},
                             std::byte{},
                             std::byte{},
                             std::byte{}};
  for (std::size_t at = chunk.min_end; at + 8 <= chunks.locations[1].offset; at += 8) {
    std::copy(std::begin(head), std::end(head), file.begin() + static_cast<std::ptrdiff_t>(at));
  }
  ChunkScanner again(chunks.type, chunks.format);
  EXPECT_EQ(again.find_next({file}, chunk, arena, behind), Outcome::kNone);
}

}  // namespace
}  // namespace numpact::testing
