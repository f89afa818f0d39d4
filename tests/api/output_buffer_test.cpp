// SPDX-License-Identifier: Apache-2.0
// Outputs that are too small give an error, and nothing is written beyond them.
#include <gtest/gtest.h>

#include "support/distributions.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

constexpr std::byte kGuard{0xa5};

bool all_guard(ByteSpan bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == kGuard; });
}

TEST(OutputBuffer, CompressIntoEverySize) {
  Random random(61);
  for (const char* distribution : {"uniform", "walk", "constant"}) {
    for (const NumberType type : {NumberType::kU8, NumberType::kF32, NumberType::kI64}) {
      EncodeConfig config;
      config.paging = PagingSpec::equal_pages_up_to(13);
      const Numbers numbers = make_numbers(distribution, type, 31, random);
      const Bytes file = compressed(numbers, config);
      const std::size_t bound = compress_bound(type, numbers.count(), config);
      ASSERT_LE(file.size(), bound);
      for (std::size_t capacity = 0; capacity <= bound; ++capacity) {
        Bytes memory(capacity + 64, kGuard);
        std::size_t written = 99;
        const Status status =
            compress_into(numbers.view(), std::span(memory).first(capacity), config).into(written);
        EXPECT_TRUE(all_guard(ByteSpan(memory).subspan(capacity)));
        if (capacity < file.size()) {
          EXPECT_KIND(status, kOutputTooSmall) << capacity;
          continue;
        }
        ASSERT_OK(status);
        ASSERT_EQ(written, file.size());
        EXPECT_TRUE(same_bytes(ByteSpan(memory).first(written), file));
      }
    }
  }
}

// Whatever the bound is: a constant column has a bound of hundreds of times its size.
TEST(OutputBuffer, CompressKeepsNoMemoryOfTheBound) {
  Random random(63);
  for (const char* distribution : {"uniform", "walk", "constant", "segments"}) {
    for (const std::size_t n : {0, 1, 100, 5000, 300000}) {
      const Numbers numbers = make_numbers(distribution, NumberType::kI64, n, random);
      for (const unsigned threads : {1, 3}) {
        EncodeConfig config;
        config.threads = threads;
        config.level = 7;
        if (threads == 3) config.paging = PagingSpec::equal_pages_up_to(40000);
        config.trailer = threads == 3 ? TrailerSpec::index() : TrailerSpec::none();
        Bytes memory(compress_bound(NumberType::kI64, n, config));
        std::size_t written = 0;
        ASSERT_OK(compress_into(numbers.view(), memory, config).into(written));
        Bytes file;
        ASSERT_OK(compress(numbers.view(), config).into(file));
        EXPECT_TRUE(same_bytes(file, ByteSpan(memory).first(written)));
        EXPECT_LE(file.capacity(), file.size() + file.size() / 8 + 256)
            << distribution << " " << n << " " << threads;
      }
    }
  }
}

TEST(OutputBuffer, DecompressIntoEverySize) {
  Random random(62);
  for (const NumberType type : kNumberTypes) {
    EncodeConfig config;
    config.paging = PagingSpec::equal_pages_up_to(300);
    const Numbers numbers = make_numbers("walk", type, 700, random);
    const Bytes file = compressed(numbers, config);
    for (const std::size_t capacity : {0, 1, 233, 234, 255, 256, 467, 468, 699}) {
      const std::size_t bytes = capacity * size_of(type);
      Bytes memory(bytes + 64, kGuard);
      std::size_t count = 9999;
      const Status status = count_into(
          decompress_into(file, MutableNumberView(type, memory.data(), capacity)), count);
      EXPECT_KIND(status, kOutputTooSmall) << name_of(type) << " " << capacity;
      EXPECT_TRUE(all_guard(ByteSpan(memory).subspan(bytes)));
      // Only whole chunks.
      EXPECT_EQ(count, capacity < 234 ? 0u : capacity < 467 ? 234u : 467u);
      EXPECT_TRUE(same_bytes(ByteSpan(memory).first(count * size_of(type)),
                             raw(numbers).first(count * size_of(type))));
    }
    Bytes memory(700 * size_of(type) + 64, kGuard);
    std::size_t count = 0;
    EXPECT_OK(
        count_into(decompress_into(file, MutableNumberView(type, memory.data(), 700)), count));
    EXPECT_EQ(count, 700u);
    EXPECT_TRUE(all_guard(ByteSpan(memory).subspan(700 * size_of(type))));
  }
}

TEST(OutputBuffer, FrontOfAFile) {
  Random random(64);
  for (const NumberType type : kNumberTypes) {
    EncodeConfig config;
    config.paging = PagingSpec::equal_pages_up_to(300);
    const Numbers numbers = make_numbers("walk", type, 700, random);
    const Bytes file = compressed(numbers, config);
    for (const std::size_t capacity : {0, 1, 233, 234, 255, 256, 467, 468, 699, 700, 900}) {
      const std::size_t count_there = std::min<std::size_t>(capacity, 700);
      const std::size_t bytes = count_there * size_of(type);
      Bytes memory(capacity * size_of(type) + 64, kGuard);
      Front front{9999, capacity < 700};
      ASSERT_OK(decompress_front(file, {type, memory.data(), capacity}).into(front));
      EXPECT_EQ(front.count, count_there);
      EXPECT_EQ(front.is_finished, capacity >= 700);
      EXPECT_TRUE(same_bytes(ByteSpan(memory).first(bytes), raw(numbers).first(bytes)));
      EXPECT_TRUE(all_guard(ByteSpan(memory).subspan(bytes)));
    }
  }
}

TEST(OutputBuffer, FrontOfADamagedFile) {
  Random random(65);
  const Numbers numbers = make_numbers("uniform", NumberType::kU32, 1200, random);
  EncodeConfig config;
  config.paging = PagingSpec::equal_pages_up_to(600);
  const Bytes file = compressed(numbers, config);
  const FileInfo info = inspect(file).value();
  const std::size_t second_page = info.chunks[1].offset + 4 + info.chunks[1].meta_bytes;
  Numbers out = zeros(NumberType::kU32, 600 + 256);
  Front front{0, true};
  // Part of a chunk requires neither its later batches nor what follows.
  const ByteSpan cut = ByteSpan(file).first(file.size() - 100);
  ASSERT_OK(decompress_front(cut, writable(out)).into(front));
  EXPECT_EQ(front.count, 856u);
  EXPECT_FALSE(front.is_finished);
  EXPECT_TRUE(is_prefix(out, numbers));
  // A whole chunk requires the head of the next.
  Numbers one = zeros(NumberType::kU32, 600);
  ASSERT_OK(decompress_front(ByteSpan(file).first(second_page), writable(one)).into(front));
  EXPECT_EQ(front.count, 600u);
  EXPECT_FALSE(front.is_finished);
  const Status cut_head =
      decompress_front(ByteSpan(file).first(second_page - 1), writable(one)).status();
  EXPECT_KIND(cut_head, kTruncated);
  EXPECT_EQ(cut_head.good_numbers(), 600u);
  Numbers other = zeros(NumberType::kI32, 0);
  EXPECT_KIND(decompress_front(file, writable(other)), kTypeMismatch);
}

TEST(OutputBuffer, ExcessCapacityIsUntouched) {
  for (const Fixture& fixture : good_fixtures()) {
    const std::size_t bytes = raw(fixture.numbers).size();
    Bytes memory(bytes + 4096, kGuard);
    std::size_t count = 0;
    const NumberType type = fixture.numbers.type();
    ASSERT_OK(count_into(
        decompress_into(fixture.file,
                        MutableNumberView(type, memory.data(), memory.size() / size_of(type))),
        count));
    EXPECT_EQ(count, fixture.numbers.count());
    EXPECT_TRUE(same_bytes(ByteSpan(memory).first(bytes), raw(fixture.numbers)));
    EXPECT_TRUE(all_guard(ByteSpan(memory).subspan(bytes))) << fixture.name;
  }
}

TEST(OutputBuffer, IntactChunksBeforeAnError) {
  Random random(63);
  const Numbers numbers = make_numbers("uniform", NumberType::kU32, 400, random);
  EncodeConfig config;
  config.paging = PagingSpec::equal_pages_up_to(100);
  const Bytes file = compressed(numbers, config);
  const FileInfo info = inspect(file).value();
  ASSERT_EQ(info.chunks.size(), 4u);
  for (std::size_t n = info.header.size_bytes; n < file.size(); ++n) {
    Numbers out = zeros(NumberType::kU32, 400);
    std::size_t count = 9999;
    const Status status =
        count_into(decompress_into(ByteSpan(file).first(n), writable(out)), count);
    EXPECT_KIND(status, kTruncated);
    std::size_t whole = 0;
    for (const ChunkInfo& chunk : info.chunks) {
      if (chunk.offset + 4 + chunk.meta_bytes + chunk.page_bytes <= n) ++whole;
    }
    EXPECT_EQ(count, 100 * whole);
    EXPECT_EQ(status.chunk(), whole);
    out.storage().resize(count * 4);
    EXPECT_TRUE(is_prefix(out, numbers));
  }
}

}  // namespace
}  // namespace numpact::testing
