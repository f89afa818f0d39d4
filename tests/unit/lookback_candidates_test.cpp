// SPDX-License-Identifier: Apache-2.0
// Where the same was seen before.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "pco/choose/lookback_candidates.hpp"
#include "support/random.hpp"

namespace numpact::testing {
namespace {

template <Latent L>
using Find = void (*)(std::span<const L>, const FlatBlocks&, std::span<std::uint32_t>, Arena&);

template <class T>
class LookbackCandidates : public ::testing::Test {
 protected:
  static constexpr Find<T> kAll[] = {find_same<T>, find_same_strings<T>, find_near<T>};
};
using Words = ::testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(LookbackCandidates, Words);

TYPED_TEST(LookbackCandidates, OfAPeriod) {
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

// That runs are passed at once changes nothing.
TYPED_TEST(LookbackCandidates, OfRunsAreThoseOfEachByItself) {
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
