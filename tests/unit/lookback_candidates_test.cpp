// SPDX-License-Identifier: Apache-2.0
// Where the same was seen before.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "pco/encode/lookback/match/candidates.hpp"
#include "pco/encode/lookback/optimize/search.hpp"
#include "support/random.hpp"

namespace numpact::testing {
namespace {

template <Latent L>
using Find = void (*)(std::span<const L>, const FlatBlocks&, std::span<std::uint32_t>, Arena&);

using Kind = std::span<std::uint32_t> LookbackCandidates::*;

// One kind of what is found in one pass.
template <Latent L>
void find_kind(std::span<const L> latents, const FlatBlocks& blocks, Kind kind,
               unsigned unused_bits, std::size_t alike_n, std::span<std::uint32_t> lookbacks,
               Arena& arena) {
  const ArenaScope scratch(arena);
  const std::size_t n = latents.size();
  const LookbackCandidates found{arena.make<std::uint32_t>(n), arena.make<std::uint32_t>(n),
                                 arena.make<std::uint32_t>(n)};
  find_candidates(latents, blocks, unused_bits, alike_n, found, arena);
  std::copy_n((found.*kind).begin(), n, lookbacks.begin());
}

template <Latent L>
void find_alike(std::span<const L> latents, const FlatBlocks& blocks, unsigned unused_bits,
                std::size_t alike_n, std::span<std::uint32_t> lookbacks, Arena& arena) {
  find_kind(latents, blocks, &LookbackCandidates::same, unused_bits, alike_n, lookbacks, arena);
}

template <Latent L, std::size_t kAlikeN, Kind kKind>
void find_one(std::span<const L> latents, const FlatBlocks& blocks,
              std::span<std::uint32_t> lookbacks, Arena& arena) {
  find_kind(latents, blocks, kKind, 0, kAlikeN, lookbacks, arena);
}

template <class T>
class CandidatesFound : public ::testing::Test {
 protected:
  static constexpr std::array<Find<T>, 7> kAll = {
      find_same<T>,
      find_near<T>,
      find_one<T, 0, &LookbackCandidates::same>,
      find_one<T, 1, &LookbackCandidates::same>,
      find_one<T, kMostAlike, &LookbackCandidates::same>,
      find_one<T, 0, &LookbackCandidates::strings>,
      find_one<T, kMostAlike, &LookbackCandidates::near>,
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
    find(span, FlatBlocks(span, arena), lookbacks, arena);
    // Until whole strings have come again, what is found may be anything within the page.
    for (std::size_t i = 1; i < latents.size(); ++i) {
      ASSERT_GE(lookbacks[i], 1u);
      ASSERT_LE(lookbacks[i], i);
    }
    // Hashes may clash.
    EXPECT_GT(std::count(lookbacks.begin() + 70, lookbacks.end(), kPeriod), 800);
  }
}

// Identifiers handed out in many places by turns: the same one again, else one handed out there.
TYPED_TEST(CandidatesFound, AlikeWhereNoneIsTheSame) {
  using L = TypeParam;
  constexpr std::size_t kN = 20'000;
  constexpr std::uint64_t kClose = 200;
  Random random(74);
  Arena arena(std::pmr::new_delete_resource());
  std::vector<L> places(400);
  for (L& place : places) place = static_cast<L>(random.bits(kBits<L>) & ~L{0xfff});
  std::vector<L> latents(kN);
  for (std::size_t i = 0; i < kN; ++i) {
    const bool comes_again = i > 100 && random.one_in(4);
    latents[i] = comes_again ? latents[i - random.between(1, 100)]
                             : static_cast<L>(random.pick(places) + random.below(kClose));
  }
  const std::span<const L> span(latents);
  const std::span<std::uint32_t> lookbacks = arena.make<std::uint32_t>(kN);
  find_alike(span, FlatBlocks(span, arena), 0, kMostAlike, lookbacks, arena);
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
  // Hashes may clash.
  EXPECT_LT(missed, kN / 100);
  EXPECT_LT(far, kN / 50);
}

// Where nothing alike is asked for, nothing but the same is found: not what shares upper bits.
TYPED_TEST(CandidatesFound, NothingAlikeIfNotAsked) {
  using L = TypeParam;
  constexpr unsigned kShift = kBits<L> - 8;
  Arena arena(std::pmr::new_delete_resource());
  // Each place comes by twice, with other last bits.
  std::vector<L> latents(200);
  for (std::size_t i = 0; i < latents.size(); ++i) {
    latents[i] = static_cast<L>(static_cast<L>(i % 100) << kShift | i);
  }
  const std::span<const L> span(latents);
  std::vector<std::uint32_t> lookbacks(latents.size());
  find_alike(span, FlatBlocks(span, arena), 0, kMostAlike, lookbacks, arena);
  // Hashes may clash.
  EXPECT_GT(std::count(lookbacks.begin() + 100, lookbacks.end(), 100), 70);
  find_alike(span, FlatBlocks(span, arena), 0, 0, lookbacks, arena);
  EXPECT_LT(std::count(lookbacks.begin() + 100, lookbacks.end(), 100), 20);
}

TEST(LookbackEffort, OfManyLatentsWhatIsAlikeIsForLevelsOfSize) {
  constexpr std::size_t kMany = std::size_t{1} << 16;
  EXPECT_EQ(LookbackEffort::of_level(8, kMany - 1).alike_n, kMostAlike);
  EXPECT_EQ(LookbackEffort::of_level(8, kMany).alike_n, 0u);
  EXPECT_EQ(LookbackEffort::of_level(9, kMany).alike_n, 1u);
}

// A longer page never has a smaller sample, but where what is alike is no longer looked for and
// more than rare latents count.
TEST(LookbackEffort, SamplesGrowWithPages) {
  EXPECT_EQ(LookbackEffort::of_level(8, 20'000).sample_n, 1250u);
  EXPECT_EQ(LookbackEffort::of_level(8, 50'000).sample_n, 2048u);
  EXPECT_EQ(LookbackEffort::of_level(8, std::size_t{1} << 16).sample_n, 1024u);
  EXPECT_EQ(LookbackEffort::of_level(8, std::size_t{1} << 16, 0.5f).sample_n, 2048u);
  EXPECT_EQ(LookbackEffort::of_level(8, std::size_t{1} << 17).sample_n, 2048u);
  EXPECT_EQ(LookbackEffort::of_level(8, std::size_t{1} << 24).sample_n, std::size_t{1} << 15);
}

// Bits that no latent uses tell nothing apart: what is seen first is alike to nothing.
TYPED_TEST(CandidatesFound, AlikeInFewBitsIsTheSame) {
  using L = TypeParam;
  constexpr unsigned kUnused = kBits<L> - 8;
  Random random(75);
  Arena arena(std::pmr::new_delete_resource());
  std::vector<L> latents(5000);
  for (std::size_t i = 0; i < latents.size(); ++i) {
    latents[i] = static_cast<L>(std::min<std::uint64_t>(random.below(i + 1), 255)) << kUnused;
  }
  const std::span<const L> span(latents);
  std::vector<std::uint32_t> same(latents.size());
  std::vector<std::uint32_t> alike(latents.size());
  find_same(span, FlatBlocks(span, arena), same, arena);
  find_alike(span, FlatBlocks(span, arena), kUnused, kMostAlike, alike, arena);
  for (std::size_t i = 1; i < latents.size(); ++i) ASSERT_EQ(alike[i], same[i]) << i;
}

// In one pass as by themselves.
TYPED_TEST(CandidatesFound, AreThoseOfEachKind) {
  using L = TypeParam;
  Random random(76);
  for (int round = 0; round < 50; ++round) {
    Arena arena(std::pmr::new_delete_resource());
    std::vector<L> latents(random.between(1, 5000));
    const unsigned bits = static_cast<unsigned>(random.between(1, kBits<L>));
    for (L& latent : latents) latent = static_cast<L>(random.bits(bits));
    latents[random.below(latents.size())] = 0;  // the least
    const std::span<const L> span(latents);
    const FlatBlocks blocks(span, arena);
    std::vector<std::uint32_t> expected(latents.size());
    std::vector<std::uint32_t> found(latents.size());
    find_same(span, blocks, expected, arena);
    find_alike(span, blocks, 0, 0, found, arena);
    ASSERT_EQ(found, expected);
    find_near(span, blocks, expected, arena);
    find_kind(span, blocks, &LookbackCandidates::near, 0, 0, found, arena);
    ASSERT_EQ(found, expected);
  }
}

// The last place where the same eight latents ended, by comparing them.
TYPED_TEST(CandidatesFound, StringsAreTheSameEightLatents) {
  using L = TypeParam;
  constexpr std::size_t kStringN = 8;
  constexpr std::size_t kN = 3000;
  Random random(78);
  Arena arena(std::pmr::new_delete_resource());
  std::vector<L> latents(kN);
  for (std::size_t i = 0; i < kN; ++i) {
    // Copies from not far back, of thirty at a time.
    const bool is_copy = i >= 400 && i / 30 % 2 == 0;
    latents[i] = is_copy ? latents[i - 370] : static_cast<L>(random.bits());
  }
  const std::span<const L> span(latents);
  std::vector<std::uint32_t> found(kN);
  find_kind(span, FlatBlocks(span, arena), &LookbackCandidates::strings, 0, kMostAlike, found,
            arena);
  std::size_t same = 0;
  std::size_t told = 0;
  for (std::size_t i = 370 + kStringN; i < kN; ++i) {
    const auto string = span.subspan(i + 1 - kStringN, kStringN);
    const auto before = span.subspan(i + 1 - kStringN - 370, kStringN);
    if (!std::equal(string.begin(), string.end(), before.begin())) continue;
    ++same;
    told += found[i] == 370 ? 1 : 0;
  }
  EXPECT_GT(same, 700u);
  // Hashes may clash.
  EXPECT_GT(10 * told, 9 * same);
}

// That runs are passed at once changes nothing.
TYPED_TEST(CandidatesFound, OfRunsAreThoseOfEachByItself) {
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
    const FlatBlocks none(std::span<const L>(rising).first(n), arena);
    ASSERT_EQ(none.flat_n(), 0u);
    for (const Find<L> find : this->kAll) {
      std::vector<std::uint32_t> expected(n);
      std::vector<std::uint32_t> found(n);
      find(span, none, expected, arena);
      find(span, FlatBlocks(span, arena), found, arena);
      ASSERT_EQ(found, expected);
    }
  }
}

}  // namespace
}  // namespace numpact::testing
