// SPDX-License-Identifier: Apache-2.0
// Constant blocks within runs of equal latents, and counting with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/internal.hpp"
#include "pco/stats/constant_blocks.hpp"
#include "pco/stats/histogram.hpp"
#include "pco/stats/known_values.hpp"
#include "support/random.hpp"
#include "targets.hpp"

namespace numpact::testing {
namespace {

template <class T>
class ConstantBlocksOf : public ::testing::Test {
 protected:
  // Runs of few values, which differ in one bit.
  static std::vector<T> random_runs(Random& random, std::size_t max_n) {
    const std::size_t n = random.below(max_n + 1);
    const std::uint64_t longest = random.pick(std::vector<std::uint64_t>{1, 10, 40, 1500});
    std::vector<T> latents;
    while (latents.size() < n) {
      const std::size_t run =
          std::min(n - latents.size(), static_cast<std::size_t>(random.between(1, longest)));
      const T bit = static_cast<T>(T{1} << random.below(kBits<T>));
      latents.insert(latents.end(), run, random.one_in(2) ? bit : static_cast<T>(0));
    }
    return latents;
  }

  static bool is_constant(const std::vector<T>& latents, std::size_t block) {
    const T* const at = latents.data() + block * kConstantBlockN;
    return block > 0 &&
           std::all_of(at, at + kConstantBlockN, [at](T latent) { return latent == at[-1]; });
  }
};
using Widths = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(ConstantBlocksOf, Widths);

TYPED_TEST(ConstantBlocksOf, BlocksAreFoundOnEveryTarget) {
  using L = TypeParam;
  Random random(91);
  Arena arena(std::pmr::new_delete_resource());
  for (int round = 0; round < 200; ++round) {
    const std::vector<L> latents = this->random_runs(random, random.one_in(2) ? 5000 : 40);
    std::size_t expected_n = 0;
    for (std::size_t block = 0; block < latents.size() / kConstantBlockN; ++block) {
      expected_n += this->is_constant(latents, block) ? kConstantBlockN : 0;
    }
    for_each_target([&] {
      arena.reset();
      const ConstantBlocks blocks(std::span<const L>(latents), arena);
      ASSERT_EQ(blocks.constant_n(), expected_n);
      std::size_t done = 0;
      std::size_t constant_n = 0;
      const auto pass = [&](std::size_t begin, std::size_t end) {
        ASSERT_EQ(begin, done);
        ASSERT_LT(begin, end);
        done = end;
      };
      blocks.each(1, pass, [&](std::size_t begin, std::size_t end) {
        pass(begin, end);
        for (std::size_t i = begin; i < end; ++i) ASSERT_EQ(latents[i], latents[begin - 1]);
        constant_n += end - begin;
      });
      ASSERT_EQ(done, latents.size());
      ASSERT_EQ(constant_n, expected_n);
    });
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(ConstantBlocksOf, BlocksFollowTheRequestedCountOfEqualLatents) {
  using L = TypeParam;
  Random random(92);
  Arena arena(std::pmr::new_delete_resource());
  std::size_t constant_n = 0;
  for (int round = 0; round < 200; ++round) {
    arena.reset();
    const std::vector<L> latents = this->random_runs(random, 3000);
    const std::size_t equal_before_n = random.between(1, 40);
    std::size_t done = 0;
    ConstantBlocks(std::span<const L>(latents), arena)
        .each(
            equal_before_n,
            [&](std::size_t begin, std::size_t end) {
              ASSERT_EQ(begin, done);
              done = end;
            },
            [&](std::size_t begin, std::size_t end) {
              ASSERT_EQ(begin, done);
              ASSERT_GE(begin, equal_before_n);
              for (std::size_t i = begin - equal_before_n; i < end; ++i) {
                ASSERT_EQ(latents[i], latents[begin]);
              }
              done = end;
              constant_n += end - begin;
            });
    ASSERT_EQ(done, latents.size());
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(constant_n, 10000u);
}

TYPED_TEST(ConstantBlocksOf, RunsAreCountedAsTheirLatents) {
  using L = TypeParam;
  Random random(93);
  Arena arena(std::pmr::new_delete_resource());
  for (int round = 0; round < 100; ++round) {
    arena.reset();
    std::vector<L> latents = this->random_runs(random, 3000);
    latents.push_back(1);
    std::map<L, std::uint32_t> all;
    for (const L latent : latents) ++all[latent];
    std::vector<L> values;
    std::vector<std::uint32_t> expected_counts;
    for (const auto& [value, count] : all) {
      if (value != 1 && !random.one_in(2)) continue;
      values.push_back(value);
      expected_counts.push_back(count);
    }
    std::vector<std::uint16_t> expected_indices;
    std::vector<L> expected_rest;
    for (const L latent : latents) {
      const auto at = std::find(values.begin(), values.end(), latent);
      const bool is_known = at != values.end();
      expected_indices.push_back(is_known ? static_cast<std::uint16_t>(at - values.begin())
                                          : kUnmatched);
      if (!is_known) expected_rest.push_back(latent);
    }
    std::vector<std::uint32_t> counts(values.size());
    std::vector<std::uint16_t> indices(latents.size());
    std::vector<L> rest(latents.size());
    rest.resize(
        count_known<L>(latents, values, values.size(), counts, indices.data(), rest.data(), arena));
    ASSERT_EQ(counts, expected_counts);
    ASSERT_EQ(indices, expected_indices);
    ASSERT_EQ(rest, expected_rest);

    const auto histogram = make_histogram(std::span<const L>(latents), {100, 8}, arena);
    std::uint64_t counted = 0;
    for (std::size_t i = 0; i < histogram.size(); ++i) {
      std::uint32_t expected = 0;
      for (const auto& [value, count] : all) {
        if (histogram.lowers[i] <= value && value <= histogram.uppers[i]) expected += count;
      }
      ASSERT_EQ(histogram.counts[i], expected);
      counted += expected;
    }
    ASSERT_EQ(counted, latents.size());
    ASSERT_GE(histogram.size(), std::min<std::size_t>(all.size(), 2));
  }
}

}  // namespace
}  // namespace numpact::testing
