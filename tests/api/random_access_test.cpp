// SPDX-License-Identifier: Apache-2.0
// Ranges of numbers through valid and invalid indexes.
#include "numpact/random_access.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <thread>

#include "support/distributions.hpp"
#include "support/executors.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();

struct Column {
  Numbers numbers;
  Bytes file;
};

Column column_of(NumberType type, std::string_view distribution, std::vector<std::size_t> sizes,
                 Random& random, EncodeConfig config = {}) {
  Column column;
  std::size_t n = 0;
  for (const std::size_t size : sizes) n += size;
  column.numbers = make_numbers(distribution, type, n, random);
  config.level = 1;
  config.paging = PagingSpec::exact(std::move(sizes));
  column.file = compressed(column.numbers, config);
  return column;
}

void expect_range(const FileReader& reader, const Numbers& all, std::uint64_t first, std::size_t n,
                  const DecodeConfig& config = {}, DecodeContext* context = nullptr) {
  Numbers out = zeros(all.type(), n + 4);
  const Bytes guard(4 * size_of(all.type()), std::byte{0x5a});
  std::copy(guard.begin(), guard.end(),
            out.storage().begin() + static_cast<long>(n * size_of(all.type())));
  const MutableNumberView view(all.type(), out.storage().data(), n);
  ASSERT_OK(reader.read(first, view, config, context));
  const std::size_t bytes = n * size_of(all.type());
  EXPECT_TRUE(
      same_bytes(raw(out).first(bytes),
                 raw(all).subspan(static_cast<std::size_t>(first) * size_of(all.type()), bytes)));
  EXPECT_TRUE(same_bytes(raw(out).subspan(bytes), guard));
}

TEST(ChunkIndex, LocatesChunks) {
  Random random(401);
  const Column column = column_of(NumberType::kF32, "walk", {1000, 1, 5000, 300, 300}, random);
  const ChunkIndex index = ChunkIndex::build(column.file).value();
  const FileInfo info = inspect(column.file).value();
  EXPECT_EQ(index.type(), NumberType::kF32);
  EXPECT_EQ(index.count(), 6601u);
  ASSERT_EQ(index.chunks().size(), info.chunks.size());
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < info.chunks.size(); ++i) {
    const IndexedChunk& chunk = index.chunks()[i];
    EXPECT_EQ(chunk.offset, info.chunks[i].offset);
    EXPECT_EQ(chunk.page_offset, chunk.offset + 4 + info.chunks[i].meta_bytes);
    EXPECT_EQ(chunk.first, first);
    EXPECT_EQ(chunk.count, info.chunks[i].count);
    EXPECT_EQ(index.chunk_of(first), i);
    first += chunk.count;
    EXPECT_EQ(index.chunk_of(first - 1), i);
  }
  const ChunkIndex copy = index;  // NOLINT(performance-unnecessary-copy-initialization): tested
  EXPECT_EQ(copy.chunks().data(), index.chunks().data());
}

TEST(ChunkIndex, OfEmptyAndBadFiles) {
  const Bytes empty = compressed(zeros(NumberType::kI16, 0));
  const ChunkIndex index = ChunkIndex::build(empty).value();
  EXPECT_EQ(index.count(), 0u);
  EXPECT_EQ(index.type(), NumberType::kI16);
  FileReader reader = FileReader::create(empty, index).value();
  EXPECT_TRUE(reader.read<std::int16_t>(0, 0).value().empty());
  EXPECT_THROW(reader.read<std::int16_t>(0, 1).value(), Error);

  EXPECT_KIND(ChunkIndex::build(prefix(empty, empty.size() - 1)).status(), kTruncated);
  EXPECT_KIND(ChunkIndex::build({}).status(), kTruncated);
  EXPECT_KIND(FileReader::create(ByteSpan(), ChunkIndex()).status(), kTruncated);
}

TEST(FileReader, RandomRanges) {
  Random random(402);
  ThreadExecutor pool(3);
  OneByOne backwards(4, true);
  for (const NumberType type : kNumberTypes) {
    EncodeConfig config;
    config.mode = random.pick(mode_specs(type));
    config.delta = random.pick(delta_specs(type));
    std::vector<std::size_t> sizes;
    for (std::size_t i = random.between(1, 9); i > 0; --i) sizes.push_back(random.between(1, 9000));
    const Column column =
        column_of(type, random.pick(distribution_names()), std::move(sizes), random, config);
    SCOPED_TRACE(text(name_of(type), " ", describe(config), ", seed ", seed()));
    const FileReader reader = FileReader::create(column.file).value();
    const std::size_t all = column.numbers.count();
    ASSERT_EQ(reader.count(), all);
    DecodeContext context;
    for (int i = 0; i < 30; ++i) {
      const std::size_t first = random.below(all + 1);
      const std::size_t n =
          random.below(i % 2 == 0 ? all - first + 1 : std::min<std::size_t>(all - first, 300) + 1);
      DecodeConfig how;
      if (i % 3 == 1) how.executor = &pool;
      if (i % 3 == 2) how.executor = &backwards;
      expect_range(reader, column.numbers, first, n, how, i % 2 == 0 ? &context : nullptr);
    }
    expect_range(reader, column.numbers, 0, all);
    expect_range(reader, column.numbers, all, 0);
  }
}

TEST(FileReader, TypedReads) {
  Random random(403);
  const Column column = column_of(NumberType::kI64, "walk", {700, 700}, random);
  const FileReader reader = FileReader::create(column.file).value();
  const std::vector<std::int64_t> some = reader.read<std::int64_t>(600, 200).value();
  const auto expected = column.numbers.as<std::int64_t>().value().subspan(600, 200);
  EXPECT_TRUE(std::ranges::equal(some, expected));
  std::array<std::int64_t, 5> few{};
  ASSERT_OK(reader.read(100, few));
  EXPECT_EQ(few[4], column.numbers.as<std::int64_t>().value()[104]);
}

TEST(FileReader, RangesOutOfBounds) {
  Random random(404);
  const Column column = column_of(NumberType::kU32, "walk", {700, 700}, random);
  const FileReader reader = FileReader::create(column.file).value();
  Numbers out = zeros(NumberType::kU32, 10);
  for (const std::uint64_t first : {std::uint64_t{1391}, std::uint64_t{1400}, std::uint64_t{1401},
                                    kHuge - 9, kHuge - 1, kHuge}) {
    EXPECT_KIND(reader.read(first, writable(out)), kInvalidArgument) << first;
  }
  EXPECT_KIND(reader.read(0, MutableNumberView(NumberType::kU32, out.storage().data(),
                                               std::numeric_limits<std::size_t>::max())),
              kInvalidArgument);
  EXPECT_OK(reader.read(1390, writable(out)));
  EXPECT_THROW(reader.read<std::uint32_t>(1, kHuge).value(), Error);
  EXPECT_KIND(reader.read(0, MutableNumberView(NumberType::kI32, out.storage().data(), 1)),
              kTypeMismatch);
}

TEST(FileReader, LimitsAndProgress) {
  Random random(405);
  const Column column =
      column_of(NumberType::kU32, "walk", std::vector<std::size_t>(6, 20000), random);
  const FileReader reader = FileReader::create(column.file).value();
  Numbers out = zeros(NumberType::kU32, 90000);
  ThreadExecutor pool(2);
  for (Executor* const executor :
       {static_cast<Executor*>(nullptr), static_cast<Executor*>(&pool)}) {
    DecodeConfig config;
    config.executor = executor;
    config.limits.max_numbers = 89999;
    EXPECT_KIND(reader.read(5000, writable(out), config), kLimitExceeded);
    config.limits.max_numbers = 90000;
    config.limits.max_output_bytes = 359999;
    EXPECT_KIND(reader.read(5000, writable(out), config), kLimitExceeded);
    config.limits.max_output_bytes = 360000;
    config.limits.max_memory = 100;
    EXPECT_KIND(reader.read(5000, writable(out), config), kLimitExceeded);
    config.limits.max_memory = 1 << 20;
    std::uint64_t last = 0;
    config.progress = [&](const Progress& progress) {
      EXPECT_GT(progress.numbers, last);
      last = progress.numbers;
      return true;
    };
    EXPECT_OK(reader.read(5000, writable(out), config));
    EXPECT_EQ(last, 90000u);
    config.progress = [](const Progress&) { return false; };
    EXPECT_KIND(reader.read(5000, writable(out), config), kCancelled);
  }
}

TEST(FileReader, DamageIsFoundWhenRead) {
  Random random(406);
  const Column column =
      column_of(NumberType::kU32, "walk", std::vector<std::size_t>(6, 3000), random);
  const ChunkIndex index = ChunkIndex::build(column.file).value();
  Bytes damaged = column.file;
  // The third chunk's mode.
  damaged[index.chunks()[2].offset + 4] = std::byte{0xff};
  const FileReader reader = FileReader::create(damaged, index).value();
  expect_range(reader, column.numbers, 0, 6000);
  expect_range(reader, column.numbers, 9000, 9000);
  ThreadExecutor pool(3);
  OneByOne backwards(3, true);
  Numbers out = zeros(NumberType::kU32, 18000);
  for (Executor* const executor : {static_cast<Executor*>(nullptr), static_cast<Executor*>(&pool),
                                   static_cast<Executor*>(&backwards)}) {
    DecodeConfig config;
    config.executor = executor;
    const Status status = reader.read(0, writable(out), config);
    EXPECT_KIND(status, kCorrupt);
    EXPECT_EQ(status.chunk(), 2u);
  }
}

TEST(FileReader, IndexesAreNotTrusted) {
  Random random(407);
  const Column column =
      column_of(NumberType::kU32, "walk", std::vector<std::size_t>(6, 3000), random);
  const ChunkIndex good = ChunkIndex::build(column.file).value();
  const std::vector<IndexedChunk> chunks(good.chunks().begin(), good.chunks().end());
  const auto made = [](std::vector<IndexedChunk> all) {
    return ChunkIndex::from_chunks(NumberType::kU32, std::move(all));
  };
  EXPECT_TRUE(made(chunks).ok());
  const FileReader again = FileReader::create(column.file, made(chunks).value()).value();
  expect_range(again, column.numbers, 1234, 9999);

  EXPECT_KIND(ChunkIndex::from_chunks(std::nullopt, chunks).status(), kInvalidArgument);
  EXPECT_KIND(ChunkIndex::from_chunks(static_cast<NumberType>(77), {}).status(), kInvalidArgument);
  EXPECT_TRUE(ChunkIndex::from_chunks(std::nullopt, {}).ok());
  std::vector<IndexedChunk> bad = chunks;
  bad[2].count = 0;
  EXPECT_KIND(made(bad).status(), kInvalidArgument);
  bad[2].count = (1 << 24) + 1;
  EXPECT_KIND(made(bad).status(), kInvalidArgument);
  bad = chunks;
  ++bad[2].first;
  EXPECT_KIND(made(bad).status(), kInvalidArgument);
  bad = chunks;
  std::swap(bad[1].offset, bad[2].offset);
  EXPECT_KIND(made(bad).status(), kInvalidArgument);
  EXPECT_KIND(
      FileReader::create(column.file, ChunkIndex::from_chunks(NumberType::kF32, chunks).value())
          .status(),
      kInvalidArgument);

  // Plausible but of another file.
  Numbers out = zeros(NumberType::kU32, 18000);
  ThreadExecutor pool(2);
  for (int i = 0; i < 500; ++i) {
    bad = chunks;
    std::uint64_t last = 0;
    for (IndexedChunk& chunk : bad) {
      if (!random.one_in(3)) continue;
      chunk.offset =
          random.one_in(9) ? kHuge - random.below(99) : random.below(column.file.size() + 9);
      chunk.page_offset = chunk.offset + random.between(1, 40);
    }
    if (random.one_in(4)) bad.resize(random.between(1, 6));
    if (random.one_in(4)) bad.push_back({kHuge - 9, kHuge - 2, bad.back().first + 3000, 1u << 24});
    for (IndexedChunk& chunk : bad) {
      if (random.one_in(8)) chunk.count = random.between(1, 1 << 24);
      chunk.first = last;
      last += chunk.count;
    }
    const Result<ChunkIndex> index = made(bad);
    if (!index.ok()) continue;
    Result<ChunkIndex> copy = index;
    const Result<FileReader> created = FileReader::create(column.file, copy.value());
    if (!created.ok()) continue;
    Result<FileReader> reader = created;
    DecodeConfig config;
    if (i % 2 == 0) config.executor = &pool;
    const std::uint64_t first = random.below(last);
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(18000, last - first));
    const Status status = reader.value().read(
        first, MutableNumberView(NumberType::kU32, out.storage().data(), n), config);
    if (!status.ok()) {
      EXPECT_TRUE(status.kind() == ErrorKind::kInvalidArgument ||
                  status.kind() == ErrorKind::kCorrupt || status.kind() == ErrorKind::kTruncated)
          << status.message();
    }
  }
}

TEST(FileReader, ServesSeveralThreads) {
  Random random(408);
  const Column column =
      column_of(NumberType::kF64, "walk", std::vector<std::size_t>(12, 3000), random);
  const FileReader reader = FileReader::create(column.file).value();
  ThreadExecutor pool(2);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      DecodeContext context;
      DecodeConfig config;
      if (t % 2 == 0) config.executor = &pool;
      Random own(500 + t);
      for (int i = 0; i < 30; ++i) {
        const std::size_t first = own.below(36000);
        expect_range(reader, column.numbers, first, own.below(36000 - first), config, &context);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// For any counts, and any number of chunks.
TEST(ChunkIndex, PositionsOfManyChunks) {
  Random random(8);
  std::vector<IndexedChunk> chunks;
  std::uint64_t offset = 13;
  std::uint64_t first = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t count = i % 3 == 0 ? std::uint64_t{1} << 24 : 1 + random.below(50);
    const std::uint64_t page_at = 1 + random.below(std::uint64_t{1} << 32) % 0xffffffff;
    chunks.push_back({offset, offset + page_at, first, count});
    offset += page_at + random.below(std::uint64_t{1} << 40);
    first += count;
  }
  const ChunkIndex index = ChunkIndex::from_chunks(NumberType::kU8, chunks).value();
  ASSERT_EQ(index.chunk_count(), chunks.size());
  EXPECT_EQ(index.count(), first);
  EXPECT_TRUE(std::ranges::equal(index.chunks(), chunks));
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    EXPECT_EQ(index.chunk(i), chunks[i]);
    EXPECT_EQ(index.chunk_of(chunks[i].first), i);
    EXPECT_EQ(index.chunk_of(chunks[i].first + chunks[i].count - 1), i);
  }
  // No chunk's metadata is that large.
  chunks[500].page_offset = chunks[500].offset + (std::uint64_t{1} << 32);
  chunks.resize(501);
  EXPECT_KIND(ChunkIndex::from_chunks(NumberType::kU8, chunks).status(), kInvalidArgument);
}

}  // namespace
}  // namespace numpact::testing
