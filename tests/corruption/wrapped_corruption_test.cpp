// SPDX-License-Identifier: Apache-2.0
// Damaged chunk metadata and pages, wrong counts, types and versions: errors or some numbers.
#include <gtest/gtest.h>

#include "numpact/wrapped.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

using wrapped::ChunkDecoder;
using wrapped::FormatVersion;

constexpr std::size_t kCapacity = 5000;

struct Chunk {
  std::string name;
  NumberType type = NumberType::kU8;
  FormatVersion version;
  std::size_t n = 0;
  Bytes meta;
  Bytes page;
};

// The first chunks of files.
std::vector<Chunk> chunks() {
  std::vector<Fixture> files = small_files();
  for (Fixture& file : good_fixtures()) files.push_back(std::move(file));
  std::vector<Chunk> result;
  for (const Fixture& fixture : files) {
    const FileInfo info = inspect(fixture.file).value();
    if (info.chunks.empty() || fixture.file.size() >= 1500) continue;
    const ChunkInfo& first = info.chunks[0];
    const ByteSpan rest = ByteSpan(fixture.file).subspan(first.offset + 4);
    result.push_back({fixture.name, first.type,
                      FormatVersion{info.header.format_major, info.header.format_minor},
                      first.count, prefix(rest, first.meta_bytes),
                      prefix(rest.subspan(first.meta_bytes), first.page_bytes)});
  }
  return result;
}

// Both parts in memory of exactly their size. True if numbers came out.
bool decodes(const Chunk& chunk, std::size_t page_n, std::size_t capacity, Numbers& buffer) {
  const ExactCopy meta(chunk.meta);
  const ExactCopy page(chunk.page);
  const DecodeLimits limits{.max_memory = std::uint64_t{64} << 20};
  auto decoder = ChunkDecoder::create(meta.span(), chunk.type, chunk.version, limits);
  if (!decoder.ok()) return false;
  EXPECT_LE(decoder->meta_size(), chunk.meta.size());
  EXPECT_EQ(decoder->info().value().type, chunk.type);
  const MutableNumberView out(chunk.type, buffer.storage().data(), std::min(capacity, kCapacity));
  std::size_t consumed = 0;
  const Status status = decoder->decode_page(page.span(), page_n, out).into(consumed);
  EXPECT_LE(consumed, chunk.page.size());
  return status.ok();
}

TEST(WrappedCorruption, MetaBytesChanged) {
  for (const Chunk& chunk : chunks()) {
    SCOPED_TRACE(chunk.name);
    Numbers buffer = zeros(chunk.type, kCapacity);
    ASSERT_TRUE(decodes(chunk, chunk.n, kCapacity, buffer));
    int refused = 0;
    for (std::size_t at = 0; at < chunk.meta.size(); ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        Chunk damaged = chunk;
        damaged.meta[at] ^= static_cast<std::byte>(1 << bit);
        if (!decodes(damaged, chunk.n, kCapacity, buffer)) ++refused;
      }
    }
    EXPECT_GT(refused, 0);
    if (HasFailure()) return;
  }
}

TEST(WrappedCorruption, PageBytesChangedOrCut) {
  Random random(111);
  int refused = 0;
  for (const Chunk& chunk : chunks()) {
    SCOPED_TRACE(text(chunk.name, ", seed ", seed()));
    Numbers buffer = zeros(chunk.type, kCapacity);
    for (int i = 0; i < 200 && !chunk.page.empty(); ++i) {
      Chunk damaged = chunk;
      if (random.one_in(2)) {
        damaged.page.resize(random.below(damaged.page.size()));
        EXPECT_FALSE(decodes(damaged, chunk.n, kCapacity, buffer))
            << damaged.page.size() << " bytes";
        continue;
      }
      damaged.page[random.below(damaged.page.size())] = static_cast<std::byte>(random.bits(8));
      if (!decodes(damaged, chunk.n, kCapacity, buffer)) ++refused;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(refused, 10);  // padding that is not zero, lookbacks and indices out of range
}

TEST(WrappedCorruption, WrongCounts) {
  Random random(112);
  int refused = 0;
  for (const Chunk& chunk : chunks()) {
    SCOPED_TRACE(text(chunk.name, ", seed ", seed()));
    Numbers buffer = zeros(chunk.type, kCapacity);
    for (int i = 0; i < 60; ++i) {
      const std::size_t page_n =
          random.one_in(5) ? std::size_t{1} << 24 : random.between(1, 3 * chunk.n);
      if (!decodes(chunk, page_n, random.below(kCapacity), buffer)) ++refused;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(refused, 100);
}

TEST(WrappedCorruption, WrongTypesAndVersions) {
  int refused = 0;
  for (const Chunk& chunk : chunks()) {
    SCOPED_TRACE(chunk.name);
    for (const NumberType type : kNumberTypes) {
      Numbers buffer = zeros(type, kCapacity);
      for (unsigned major = 0; major <= 4; ++major) {
        Chunk other = chunk;
        other.type = type;
        other.version = {major, 1};
        if (!decodes(other, chunk.n, kCapacity, buffer)) ++refused;
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(refused, 1000);
}

TEST(WrappedCorruption, Noise) {
  Random random(113);
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    Chunk chunk;
    chunk.type = random.pick(kNumberTypes);
    chunk.version = {static_cast<unsigned>(random.below(5)), 1};
    chunk.meta.resize(random.below(60));
    chunk.page.resize(random.below(60));
    for (std::byte& byte : chunk.meta) byte = static_cast<std::byte>(random.bits(8));
    for (std::byte& byte : chunk.page) byte = static_cast<std::byte>(random.bits(8));
    // A known mode and delta, so that the noise gets further.
    if (!chunk.meta.empty() && random.one_in(2)) {
      chunk.meta[0] = static_cast<std::byte>(random.below(5) | random.below(4) << 4);
    }
    Numbers buffer = zeros(chunk.type, kCapacity);
    if (!decodes(chunk, random.between(1, 2000), kCapacity, buffer)) ++refused;
  }
  EXPECT_GT(refused, 15000);
}

}  // namespace
}  // namespace numpact::testing
