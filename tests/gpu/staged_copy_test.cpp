// SPDX-License-Identifier: Apache-2.0
// What the host does before a device decodes: copies with checksums, in segments, by threads.
#include "gpu/plan/staged_copy.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "base/crc.hpp"
#include "base/internal.hpp"
#include "gpu/checksum/chunk_sums.hpp"
#include "gpu/pco_files.hpp"
#include "gpu/plan/copy_crc_kernel.hpp"
#include "gpu/plan/stage_files.hpp"
#include "support/distributions.hpp"
#include "support/fixtures.hpp"
#include "unit/targets.hpp"

namespace numpact::testing {
namespace {

Bytes noise(std::size_t n, Random& random) {
  Bytes bytes(n);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
  return bytes;
}

TEST(CopyCrc, IsTheCrcAndTheBytesWithEveryTarget) {
  Random random(67);
  const Bytes bytes = noise(40'000, random);
  for_each_target([&] {
    for (int round = 0; round < 400; ++round) {
      const std::size_t at = random.below(200);
      const std::size_t n = random.one_in(3) ? random.below(300) : random.below(39'800);
      const std::size_t to = random.below(130);
      const std::uint32_t before = random.one_in(2) ? 0 : static_cast<std::uint32_t>(random.bits());
      Bytes copy(n + 300, std::byte{0xa5});
      const ByteSpan from = ByteSpan(bytes).subspan(at, n);
      ASSERT_EQ(copy_crc32(from, copy.data() + to, before), crc32(from, before)) << n;
      ASSERT_TRUE(n == 0 || std::memcmp(copy.data() + to, from.data(), n) == 0) << n;
      for (std::size_t i = 0; i < copy.size(); ++i) {
        if (i < to || i >= to + n) {
          ASSERT_EQ(copy[i], std::byte{0xa5}) << i;
        }
      }
    }
  });
}

// The blocks of a device add up to the checksum, for chunks of any length and alignment.
TEST(ChunkSums, AreTheCrcOfTheHost) {
  static constexpr gpu::SumTables kTables = gpu::make_sum_tables();
  Random random(69);
  const Bytes bytes = noise(400'000, random);
  for (int round = 0; round < 60; ++round) {
    DevicePlan plan;
    std::uint64_t at = random.below(9);
    for (std::uint32_t chunk = 0; chunk < 5; ++chunk) {
      const std::uint64_t most = round == 0 ? 3 : random.one_in(3) ? 200'000 : 400;
      const std::uint64_t n = std::min<std::uint64_t>(random.below(most), bytes.size() - at);
      plan.checks.push_back({at, n, crc32(ByteSpan(bytes).subspan(at, n))});
      plan.tasks.resize(plan.tasks.size() + 1 + random.below(3), {});
      for (PlannedTask& task : plan.tasks) {
        if (task.padding++ == 0) task.chunk = chunk;
      }
      at += n;
    }
    const std::uint32_t wrong = static_cast<std::uint32_t>(random.below(5));
    plan.checks[wrong].crc ^= 0x100;
    gpu::PlannedSums planned(plan);
    for (const gpu::SumBlock& block : planned.blocks) {
      for (std::uint32_t lane = 0; lane < gpu::kSumLanes; ++lane) {
        planned.sums[block.sum].left ^= gpu::sum_of_lane(kTables, bytes.data(), block, lane);
      }
    }
    for (std::uint32_t chunk = 0; chunk < 5; ++chunk) {
      ASSERT_EQ(planned.sums[chunk].left != 0, chunk == wrong) << plan.checks[chunk].bytes;
      const std::uint32_t task = planned.sums[chunk].task;
      ASSERT_EQ(plan.tasks[task].chunk, chunk);
      ASSERT_TRUE(task == 0 || plan.tasks[task - 1].chunk + 1 == chunk);
    }
    const Status status = plan.status_of(planned.sums[wrong].task, PlannedFailure::kChecksum);
    ASSERT_EQ(status.kind(), ErrorKind::kChecksum);
    ASSERT_EQ(status.chunk(), wrong);
  }
}

// A block in memory, and the segments that it was made of.
class Block : public SegmentSink {
 public:
  Status buffer(std::size_t bytes, std::size_t to, std::byte*& at) override {
    segment_.assign(bytes, std::byte{0});
    at = segment_.data();
    at_ = to;
    return {};
  }
  Status send(const std::byte* at, std::size_t bytes, std::size_t to) override {
    EXPECT_EQ(at, segment_.data());
    EXPECT_EQ(to, at_);
    EXPECT_EQ(bytes, segment_.size());
    if (all.size() < to + bytes) all.resize(to + bytes);
    std::memcpy(all.data() + to, at, bytes);
    ++segments;
    return {};
  }

  Status send_locked(const std::byte* from, std::size_t bytes, std::size_t to) override {
    all.resize(std::max(all.size(), to + bytes));
    std::memcpy(all.data() + to, from, bytes);
    locked += bytes;
    return {};
  }

  Bytes all;
  std::size_t segments = 0;
  std::size_t locked = 0;

 private:
  Bytes segment_;
  std::size_t at_ = 0;
};

TEST(StagedCopy, SegmentsOfAnySizeMakeTheBlock) {
  Random random(68);
  const Bytes file = noise(300'000, random);
  for (const std::size_t segment_bytes : {1, 100, 4'096, 100'000, 1 << 20}) {
    for (const unsigned threads : {1, 3}) {
      DevicePlan plan;
      plan.first_chunk = 7;
      plan.input_begin = 123;
      std::uint64_t at = 0;
      while (at < (segment_bytes < 100 ? 2'000 : 250'000)) {
        const std::uint64_t n = 1 + random.below(random.one_in(9) ? 90'000 : 300);
        if (at + n > 299'000) break;
        const ByteSpan chunk = ByteSpan(file).subspan(123 + at, n);
        plan.checks.push_back({at, n, crc32(chunk)});
        at += n;
      }
      plan.input_bytes = at;
      const Bytes table = noise(5'000, random);
      const std::size_t table_at = at + 700;
      StagedCopy copy(segment_bytes);
      const bool is_locked = random.one_in(2);
      is_locked ? copy.add_locked_input(plan, file, 0) : copy.add_input(plan, file, 0);
      copy.add(table, table_at);
      Block block;
      int calls = 0;
      ASSERT_OK(copy.send(TaskPool(threads, nullptr), block, [&] { ++calls; }));
      EXPECT_EQ(calls, 1);
      EXPECT_EQ(block.locked, is_locked ? at : 0u);
      EXPECT_OK(copy.compare(plan));
      ASSERT_EQ(block.all.size(), table_at + table.size());
      EXPECT_LE(block.segments, block.all.size() / segment_bytes + 1);
      EXPECT_EQ(std::memcmp(block.all.data(), file.data() + 123, at), 0);
      EXPECT_EQ(std::memcmp(block.all.data() + table_at, table.data(), table.size()), 0);
      // The first wrong checksum is reported.
      const std::size_t wrong = random.below(plan.checks.size());
      plan.checks[wrong].crc ^= 1;
      plan.checks.back().crc ^= 2;
      const Status status = copy.compare(plan);
      if (is_locked) {  // the device compares
        EXPECT_OK(status);
        continue;
      }
      EXPECT_KIND(status, kChecksum);
      EXPECT_EQ(status.chunk(), 7 + wrong);
    }
  }
}

TEST(StagedCopy, NothingIsStillBesideWork) {
  Block block;
  StagedCopy copy(1'000);
  int calls = 0;
  ASSERT_OK(copy.send(TaskPool(1, nullptr), block, [&] { ++calls; }));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(block.segments, 0u);
  EXPECT_OK(copy.compare({}));
}

// Keeps the numbers and tasks of parts; can fail.
class Parts final : public PartSink {
 public:
  Status begin(const StagedPart& part, std::span<const std::byte> file, StagedCopy& copy) override {
    copy.add_input(part.plan, file, 0);
    return {};
  }
  Status buffer(std::size_t bytes, std::size_t, std::byte*& at) override {
    segment_.resize(bytes);
    at = segment_.data();
    return {};
  }
  Status send(const std::byte*, std::size_t, std::size_t) override {
    return sent_++ == fails_at ? Status(ErrorKind::kDevice, "a test") : Status();
  }
  Status end(const StagedPart& part) override {
    if (counts.size() <= part.file) {
      counts.resize(part.file + 1);
      tasks.resize(part.file + 1);
    }
    EXPECT_EQ(part.first_task, tasks[part.file]);
    counts[part.file] += part.plan.count;
    tasks[part.file] += part.plan.tasks.size();
    ++parts;
    return {};
  }

  std::vector<std::uint64_t> counts;  // by file
  std::vector<std::uint64_t> tasks;
  std::size_t parts = 0;
  std::size_t fails_at = ~std::size_t{0};

 private:
  Bytes segment_;
  std::size_t sent_ = 0;
};

struct Column {
  explicit Column(std::size_t n, std::uint64_t seed) {
    Random random(seed);
    EncodeConfig config;
    config.paging = PagingSpec::equal_pages_up_to(900);
    config.trailer = TrailerSpec::restarts(8);
    file = compressed(make_numbers("walk", NumberType::kI32, n, random), config);
    index = ChunkIndex::build(file).value();
  }
  Bytes file;
  ChunkIndex index;
};

Status stage(std::span<StagedFile> files, Parts& parts, std::uint64_t part_bytes = 4'096,
             const DecodeConfig& config = {}) {
  StagedPlans plans;
  return stage_files(files, {part_bytes, 4'096}, config, TaskPool(2, nullptr), plans, parts);
}

TEST(StageFiles, DamagedFilesDoNotStopTheOthers) {
  std::vector<Column> columns;
  for (const std::size_t n : {5'000, 1, 9'000, 4'000, 6'000}) columns.emplace_back(n, n);
  // A checksum late in the file, and metadata at its start.
  columns[2].file[columns[2].file.size() * 2 / 3] ^= std::byte{4};
  columns[3].file[columns[3].index.chunks()[0].offset] ^= std::byte{0xff};
  for (const std::uint64_t part_bytes : {1, 4'096, 1 << 20}) {
    std::vector<StagedFile> files;
    for (const Column& column : columns) files.push_back({column.file, &column.index, {}});
    Parts parts;
    ASSERT_OK(stage(files, parts, part_bytes));
    for (const std::size_t i : {0, 1, 4}) {
      EXPECT_OK(files[i].status);
      EXPECT_EQ(parts.counts[i], columns[i].index.count());
    }
    for (const std::size_t i : {2, 3}) {
      // As without staging.
      DevicePlanner planner(columns[i].file, columns[i].index);
      Status expected;
      while (expected.ok() && !planner.is_at_end()) expected = planner.next(part_bytes).status();
      EXPECT_KIND(files[i].status, kChecksum);
      EXPECT_EQ(files[i].status.chunk(), expected.chunk());
      EXPECT_STREQ(files[i].status.what(), expected.what());
      EXPECT_LT(parts.counts[i], columns[i].index.count());
    }
  }
}

TEST(StageFiles, ChecksumsAreNotComparedIfTheTrailerIsIgnored) {
  Column column(5'000, 1);
  column.file[column.file.size() / 2] ^= std::byte{4};
  DecodeConfig config;
  config.trailer = TrailerPolicy::kIgnore;
  StagedFile file{column.file, &column.index, {}};
  Parts parts;
  ASSERT_OK(stage({&file, 1}, parts, 4'096, config));
  EXPECT_FALSE(file.status.kind() == ErrorKind::kChecksum);
}

TEST(StageFiles, AnErrorOfTheSinkEndsAll) {
  std::vector<Column> columns;
  for (const std::size_t n : {5'000, 9'000}) columns.emplace_back(n, n);
  std::vector<StagedFile> files;
  for (const Column& column : columns) files.push_back({column.file, &column.index, {}});
  Parts parts;
  parts.fails_at = 3;
  EXPECT_KIND(stage(files, parts), kDevice);
  EXPECT_LE(parts.parts, 3u);
}

}  // namespace
}  // namespace numpact::testing
