// SPDX-License-Identifier: Apache-2.0
// The ranges of numbers by forged and ordinary bins.
#include "pco/meta/latent_range.hpp"

#include <gtest/gtest.h>

#include "base/internal.hpp"

namespace numpact::testing {
namespace {

ChunkMeta chunk_with(NumberType type, const AnyMode& mode, std::span<const Bin> primary,
                     std::span<const Bin> secondary = {}) {
  ChunkMeta meta;
  meta.type = type;
  meta.mode = mode;
  meta.lay_out_variables();
  meta.variables[kPrimaryVariable].bins = primary;
  meta.variables[kSecondaryVariable].bins = secondary;
  return meta;
}

TEST(LatentRanges, BinsPastTheLargestLatent) {
  // 250 to 255, and 0 and 1 in decoding.
  const Bin bins[] = {{250, 1, 3}};
  const ChunkMeta meta = chunk_with(NumberType::kU8, Classic{}, bins);
  EXPECT_EQ(overlap_of(meta, {0, 255}), Overlap::kAll);
  EXPECT_EQ(overlap_of(meta, {250, 255}), Overlap::kSome);
  EXPECT_EQ(overlap_of(meta, {0, 1}), Overlap::kSome);
  EXPECT_EQ(overlap_of(meta, {2, 249}), Overlap::kNone);
  const Bin widest[] = {{5, 1, 64}};
  const ChunkMeta wide = chunk_with(NumberType::kU64, Classic{}, widest);
  EXPECT_EQ(overlap_of(wide, {0, ~std::uint64_t{0}}), Overlap::kAll);
  EXPECT_EQ(overlap_of(wide, {4, 4}), Overlap::kSome);
}

TEST(LatentRanges, GapsBetweenBins) {
  const Bin bins[] = {{10, 1, 2}, {100, 1, 0}};
  const ChunkMeta meta = chunk_with(NumberType::kU16, Classic{}, bins);
  EXPECT_EQ(overlap_of(meta, {14, 99}), Overlap::kNone);
  EXPECT_EQ(overlap_of(meta, {13, 99}), Overlap::kSome);
  EXPECT_EQ(overlap_of(meta, {10, 100}), Overlap::kAll);
  EXPECT_EQ(overlap_of(meta, LatentRange{}), Overlap::kNone);
}

TEST(LatentRanges, Multiples) {
  const Bin primary[] = {{2, 1, 0}, {5, 1, 1}};
  const Bin secondary[] = {{0, 1, 1}};
  // 20 and 21, and 50 to 61.
  const ChunkMeta meta = chunk_with(NumberType::kU8, IntMult{10}, primary, secondary);
  EXPECT_EQ(overlap_of(meta, {22, 49}), Overlap::kNone);
  EXPECT_EQ(overlap_of(meta, {20, 61}), Overlap::kAll);
  EXPECT_EQ(overlap_of(meta, {20, 60}), Overlap::kSome);
  // 6 * 50 + 1 passes 255: in decoding it wraps.
  const ChunkMeta wrapping = chunk_with(NumberType::kU8, IntMult{50}, primary, secondary);
  EXPECT_EQ(overlap_of(wrapping, {254, 255}), Overlap::kSome);
}

TEST(LatentRanges, NothingIsKnownWithoutBins) {
  EXPECT_EQ(overlap_of(chunk_with(NumberType::kI32, Classic{}, {}), {0, 5}), Overlap::kSome);
  EXPECT_EQ(overlap_of(chunk_with(NumberType::kI32, Dict{}, {}), {0, 5}), Overlap::kSome);
}

TEST(LatentRanges, ComparableNumbers) {
  const LatentRange numeric = numeric_range(NumberType::kF16);
  EXPECT_EQ(numeric.max - numeric.min, 2u * 0x7c00u + 1);
  EXPECT_TRUE(comparable_range(NumberType::kF16, 0, 0x8000).is_empty());  // 0 is a NaN
  const LatentRange zero = comparable_range(NumberType::kF16, 0x8000, 0x8000);
  EXPECT_EQ(zero.min, 0x7fffu);
  EXPECT_EQ(zero.max, 0x8000u);
  const LatentRange all = comparable_range(NumberType::kI8, 0, ~std::uint64_t{0});
  EXPECT_EQ(all.max, 255u);
}

}  // namespace
}  // namespace numpact::testing
