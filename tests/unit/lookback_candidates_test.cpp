// SPDX-License-Identifier: Apache-2.0
// Candidates for lookbacks: the latest equal and similar latents and strings.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/internal.hpp"
#include "pco/encode/lookback/match/candidates.hpp"
#include "pco/encode/lookback/optimize/search.hpp"
#include "support/random.hpp"

namespace numpact::testing {
namespace {

template <Latent L>
using Find = void (*)(std::span<const L>, const ConstantBlocks&, std::span<std::uint32_t>, Arena&);

using Kind = std::span<std::uint32_t> LookbackCandidates::*;

// One of the kinds that find_candidates() finds in one pass.
template <Latent L>
void find_kind(std::span<const L> latents, const ConstantBlocks& blocks, Kind kind,
               unsigned unused_bits, std::size_t prefix_n, std::span<std::uint32_t> lookbacks,
               Arena& arena) {
  const ArenaScope scratch(arena);
  const std::size_t n = latents.size();
  const LookbackCandidates found{arena.make<std::uint32_t>(n), arena.make<std::uint32_t>(n),
                                 arena.make<std::uint32_t>(n)};
  find_candidates(latents, blocks, unused_bits, prefix_n, found, arena);
  std::copy_n((found.*kind).begin(), n, lookbacks.begin());
}

template <Latent L>
void find_similar(std::span<const L> latents, const ConstantBlocks& blocks, unsigned unused_bits,
                  std::size_t prefix_n, std::span<std::uint32_t> lookbacks, Arena& arena) {
  find_kind(latents, blocks, &LookbackCandidates::equal, unused_bits, prefix_n, lookbacks, arena);
}

template <Latent L, std::size_t kPrefixN, Kind kKind>
void find_one(std::span<const L> latents, const ConstantBlocks& blocks,
              std::span<std::uint32_t> lookbacks, Arena& arena) {
  find_kind(latents, blocks, kKind, 0, kPrefixN, lookbacks, arena);
}

template <class T>
class CandidatesFound : public ::testing::Test {
 protected:
  static constexpr std::array<Find<T>, 7> kAll = {
      find_equal<T>,
      find_near<T>,
      find_one<T, 0, &LookbackCandidates::equal>,
      find_one<T, 1, &LookbackCandidates::equal>,
      find_one<T, kMaxSimilarPrefixes, &LookbackCandidates::equal>,
      find_one<T, 0, &LookbackCandidates::strings>,
      find_one<T, kMaxSimilarPrefixes, &LookbackCandidates::near>,
  };
};
using Words = ::testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(CandidatesFound, Words);

TYPED_TEST(CandidatesFound, OfAPeriod) {
  using L = TypeParam;
  constexpr std::size_t kPeriod = 50;
  Arena arena(std::pmr::new_delete_resource());
  std::vector<L> latents(1000);
  for (std::size_t i = 0; i < latents.size(); ++i) latents[i] = static_cast<L>(7 + i % kPeriod);
  const std::span<const L> span(latents);
  const std::span<std::uint32_t> lookbacks = arena.make<std::uint32_t>(latents.size());
  for (const Find<L> find : this->kAll) {
    find(span, ConstantBlocks(span, arena), lookbacks, arena);
    // Before a whole string has recurred, any latent within the page may be found.
    for (std::size_t i = 1; i < latents.size(); ++i) {
      ASSERT_GE(lookbacks[i], 1u);
      ASSERT_LE(lookbacks[i], i);
    }
    // Hashes may collide.
    EXPECT_GT(std::count(lookbacks.begin() + 70, lookbacks.end(), kPeriod), 800);
  }
}

// Identifiers are issued in many places by turns: finds the same one, else one of the same place.
TYPED_TEST(CandidatesFound, SimilarWhereNoneIsEqual) {
  using L = TypeParam;
  constexpr std::size_t kN = 20'000;
  constexpr std::uint64_t kClose = 200;
  Random random(74);
  Arena arena(std::pmr::new_delete_resource());
  std::vector<L> places(400);
  for (L& place : places) place = static_cast<L>(random.bits(kBits<L>) & ~L{0xfff});
  std::vector<L> latents(kN);
  for (std::size_t i = 0; i < kN; ++i) {
    const bool is_repeated = i > 100 && random.one_in(4);
    latents[i] = is_repeated ? latents[i - random.between(1, 100)]
                             : static_cast<L>(random.pick(places) + random.below(kClose));
  }
  const std::span<const L> span(latents);
  const std::span<std::uint32_t> lookbacks = arena.make<std::uint32_t>(kN);
  find_similar(span, ConstantBlocks(span, arena), 0, kMaxSimilarPrefixes, lookbacks, arena);
  std::size_t missed = 0;
  std::size_t far = 0;
  for (std::size_t i = kN / 2; i < kN; ++i) {
    ASSERT_GE(lookbacks[i], 1u);
    ASSERT_LE(lookbacks[i], i);
    const L before = latents[i - lookbacks[i]];
    const auto recent = span.subspan(i - 100, 100);
    const bool is_there = std::find(recent.begin(), recent.end(), latents[i]) != recent.end();
    missed += is_there && before != latents[i] ? 1 : 0;
    const L distance = std::max(before, latents[i]) - std::min(before, latents[i]);
    far += distance >= kClose ? 1 : 0;
  }
  // Hashes may collide.
  EXPECT_LT(missed, kN / 100);
  EXPECT_LT(far, kN / 50);
}

// Without prefixes only equal latents are found, not those that share upper bits.
TYPED_TEST(CandidatesFound, NoneSimilarWithoutPrefixes) {
  using L = TypeParam;
  constexpr unsigned kShift = kBits<L> - 8;
  Arena arena(std::pmr::new_delete_resource());
  // Each prefix occurs twice, with different lowest bits.
  std::vector<L> latents(200);
  for (std::size_t i = 0; i < latents.size(); ++i) {
    latents[i] = static_cast<L>(static_cast<L>(i % 100) << kShift | i);
  }
  const std::span<const L> span(latents);
  std::vector<std::uint32_t> lookbacks(latents.size());
  find_similar(span, ConstantBlocks(span, arena), 0, kMaxSimilarPrefixes, lookbacks, arena);
  // Hashes may collide.
  EXPECT_GT(std::count(lookbacks.begin() + 100, lookbacks.end(), 100), 70);
  find_similar(span, ConstantBlocks(span, arena), 0, 0, lookbacks, arena);
  EXPECT_LT(std::count(lookbacks.begin() + 100, lookbacks.end(), 100), 20);
}

TEST(LookbackEffort, SimilarLatentsOfLongPagesFromLevelNineOn) {
  constexpr std::size_t kMany = std::size_t{1} << 16;
  EXPECT_EQ(LookbackEffort::of(level_row(8).search, kMany - 1).prefix_n, kMaxSimilarPrefixes);
  EXPECT_EQ(LookbackEffort::of(level_row(8).search, kMany).prefix_n, 0u);
  EXPECT_EQ(LookbackEffort::of(level_row(9).search, kMany).prefix_n, 1u);
}

// A longer page has a larger sample, except where the search for similar latents ends and rare
// latents do not matter.
TEST(LookbackEffort, SamplesGrowWithPages) {
  EXPECT_EQ(LookbackEffort::of(level_row(8).search, 20'000).sample_n, 1250u);
  EXPECT_EQ(LookbackEffort::of(level_row(8).search, 50'000).sample_n, 2048u);
  EXPECT_EQ(LookbackEffort::of(level_row(8).search, std::size_t{1} << 16).sample_n, 2048u);
  EXPECT_EQ(LookbackEffort::of(level_row(8).search, std::size_t{1} << 17).sample_n, 2048u);
  EXPECT_EQ(LookbackEffort::of(level_row(8).search, std::size_t{1} << 24).sample_n,
            std::size_t{1} << 15);
}

// Unused bits do not distinguish latents: a new latent is similar to none.
TYPED_TEST(CandidatesFound, SimilarInFewBitsIsEqual) {
  using L = TypeParam;
  constexpr unsigned kUnused = kBits<L> - 8;
  Random random(75);
  Arena arena(std::pmr::new_delete_resource());
  std::vector<L> latents(5000);
  for (std::size_t i = 0; i < latents.size(); ++i) {
    latents[i] = static_cast<L>(std::min<std::uint64_t>(random.below(i + 1), 255)) << kUnused;
  }
  const std::span<const L> span(latents);
  std::vector<std::uint32_t> equal(latents.size());
  std::vector<std::uint32_t> similar(latents.size());
  find_equal(span, ConstantBlocks(span, arena), equal, arena);
  find_similar(span, ConstantBlocks(span, arena), kUnused, kMaxSimilarPrefixes, similar, arena);
  for (std::size_t i = 1; i < latents.size(); ++i) ASSERT_EQ(similar[i], equal[i]) << i;
}

// One pass finds the same as one pass for each kind.
TYPED_TEST(CandidatesFound, OnePassEqualsSeparatePasses) {
  using L = TypeParam;
  Random random(76);
  for (int round = 0; round < 50; ++round) {
    Arena arena(std::pmr::new_delete_resource());
    std::vector<L> latents(random.between(1, 5000));
    const unsigned bits = static_cast<unsigned>(random.between(1, kBits<L>));
    for (L& latent : latents) latent = static_cast<L>(random.bits(bits));
    latents[random.below(latents.size())] = 0;  // the minimum
    const std::span<const L> span(latents);
    const ConstantBlocks blocks(span, arena);
    std::vector<std::uint32_t> expected(latents.size());
    std::vector<std::uint32_t> found(latents.size());
    find_equal(span, blocks, expected, arena);
    find_similar(span, blocks, 0, 0, found, arena);
    ASSERT_EQ(found, expected);
    find_near(span, blocks, expected, arena);
    find_kind(span, blocks, &LookbackCandidates::near, 0, 0, found, arena);
    ASSERT_EQ(found, expected);
  }
}

// Compares strings of eight latents one by one.
TYPED_TEST(CandidatesFound, StringsHaveEightLatents) {
  using L = TypeParam;
  constexpr std::size_t kStringN = 8;
  constexpr std::size_t kN = 3000;
  Random random(78);
  Arena arena(std::pmr::new_delete_resource());
  std::vector<L> latents(kN);
  for (std::size_t i = 0; i < kN; ++i) {
    // Copies of thirty latents at a time.
    const bool is_copy = i >= 400 && i / 30 % 2 == 0;
    latents[i] = is_copy ? latents[i - 370] : static_cast<L>(random.bits());
  }
  const std::span<const L> span(latents);
  std::vector<std::uint32_t> found(kN);
  find_kind(span, ConstantBlocks(span, arena), &LookbackCandidates::strings, 0, kMaxSimilarPrefixes,
            found, arena);
  std::size_t same = 0;
  std::size_t found_n = 0;
  for (std::size_t i = 370 + kStringN; i < kN; ++i) {
    const auto string = span.subspan(i + 1 - kStringN, kStringN);
    const auto before = span.subspan(i + 1 - kStringN - 370, kStringN);
    if (!std::equal(string.begin(), string.end(), before.begin())) continue;
    ++same;
    found_n += found[i] == 370 ? 1 : 0;
  }
  EXPECT_GT(same, 700u);
  // Hashes may collide.
  EXPECT_GT(10 * found_n, 9 * same);
}

// Skipping runs of equal latents does not change the result.
TYPED_TEST(CandidatesFound, RunsEqualSingleLatents) {
  using L = TypeParam;
  Random random(73);
  Arena arena(std::pmr::new_delete_resource());
  std::vector<L> rising(3000);
  std::iota(rising.begin(), rising.end(), L{0});
  for (int round = 0; round < 200; ++round) {
    arena.reset();
    std::vector<L> latents;
    const std::size_t n = random.between(1, rising.size());
    const std::uint64_t longest = random.between(1, 100);
    while (latents.size() < n) {
      const std::size_t run = std::min(n - latents.size(), random.between(1, longest));
      latents.insert(latents.end(), run, static_cast<L>(random.below(20) << 20));
    }
    const std::span<const L> span(latents);
    const ConstantBlocks none(std::span<const L>(rising).first(n), arena);
    ASSERT_EQ(none.constant_n(), 0u);
    for (const Find<L> find : this->kAll) {
      std::vector<std::uint32_t> expected(n);
      std::vector<std::uint32_t> found(n);
      find(span, none, expected, arena);
      find(span, ConstantBlocks(span, arena), found, arena);
      ASSERT_EQ(found, expected);
    }
  }
}

}  // namespace
}  // namespace numpact::testing
