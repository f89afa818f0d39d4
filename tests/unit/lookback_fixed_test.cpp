// SPDX-License-Identifier: Apache-2.0
// One distance for all numbers: grids, channels, series side by side, sampled clocks.
#include <gtest/gtest.h>

#include <vector>

#include "base/internal.hpp"
#include "pco/encode/lookback/fixed.hpp"
#include "pco/encode/lookback/hits_kernel.hpp"
#include "pco/encode/race.hpp"
#include "pco/encode/session.hpp"
#include "support/random.hpp"

namespace numpact::testing {
namespace {

std::uint32_t distance_of(std::vector<std::uint32_t> latents, const AnyDelta& delta = NoDelta{}) {
  Arena arena(std::pmr::new_delete_resource());
  Estimate estimate{Classic{}, delta, 32, 0};
  const auto fixed = find_fixed_lookback(LatentArray(std::span<std::uint32_t>(latents)),
                                         {&estimate, 1}, true, arena);
  return fixed ? fixed->distance : 0;
}

// Rows of `width` numbers of 16 bits that differ by up to `noise` from the row above.
std::vector<std::uint32_t> grid(std::size_t width, std::size_t rows, unsigned noise) {
  Random random(83);
  std::vector<std::uint32_t> latents(width * rows);
  for (std::size_t i = 0; i < latents.size(); ++i) {
    latents[i] = static_cast<std::uint32_t>(
        i < width ? random.bits(16) : latents[i - width] + random.below(2 * noise + 1) - noise);
  }
  return latents;
}

TEST(FixedLookback, FindsTheWidthOfAGrid) {
  for (const std::size_t width : {2u, 3u, 17u, 100u, 333u, 640u, 2048u, 8192u, 10'000u}) {
    EXPECT_EQ(distance_of(grid(width, std::max<std::size_t>(20, 6000 / width), 5)), width);
  }
}

// A list of numbers over and over, under noise that is too small to change their order.
TEST(FixedLookback, FindsAPeriodUnderNoise) {
  Random random(73);
  for (const std::size_t n : {8000u, 60'000u}) {
    for (const std::size_t period : {90u, 200u, 700u}) {
      if (period > n / 32) continue;
      std::vector<std::uint32_t> base(period);
      for (std::uint32_t& latent : base) latent = static_cast<std::uint32_t>(random.bits(16));
      std::vector<std::uint32_t> latents(n);
      for (std::size_t i = 0; i < n; ++i) {
        latents[i] = base[i % period] + static_cast<std::uint32_t>(random.below(500));
      }
      EXPECT_EQ(distance_of(latents) % period, 0u) << n << " numbers, period " << period;
      EXPECT_NE(distance_of(latents), 0u) << n << " numbers, period " << period;
    }
  }
}

// Tables of every combination: codes stay for long, and come again after all others.
TEST(FixedLookback, FindsCombinations) {
  for (const std::size_t stays : {3u, 21u, 100u}) {
    std::vector<std::uint32_t> codes(100'000);
    for (std::size_t i = 0; i < codes.size(); ++i) {
      codes[i] = static_cast<std::uint32_t>(i / stays % 5);
    }
    EXPECT_EQ(distance_of(codes, Consecutive{1, false}) % (5 * stays), 0u) << stays;
    EXPECT_NE(distance_of(codes, Consecutive{1, false}), 0u) << stays;
  }
}

TEST(FixedLookback, FindsAConstantStep) {
  Random random(84);
  for (const std::size_t sensors : {4u, 25u, 250u}) {
    std::vector<std::uint32_t> clocks(400 * sensors);
    for (std::size_t i = 0; i < clocks.size(); ++i) {
      clocks[i] = i < sensors ? static_cast<std::uint32_t>(random.below(60'000))
                              : clocks[i - sensors] + 60'000;
    }
    EXPECT_EQ(distance_of(clocks, Consecutive{1, false}) % sensors, 0u) << sensors;
    EXPECT_NE(distance_of(clocks, Consecutive{1, false}), 0u) << sensors;
  }
}

TEST(FixedLookback, IgnoresNumbersWithoutADistance) {
  Random random(85);
  std::vector<std::uint32_t> latents(50'000);
  for (std::uint32_t& latent : latents) latent = static_cast<std::uint32_t>(random.bits(30));
  EXPECT_EQ(distance_of(latents), 0u);
  std::uint32_t at = 1u << 31;
  for (std::uint32_t& latent : latents) {
    latent = at += static_cast<std::uint32_t>(random.below(101)) - 50;
  }
  EXPECT_EQ(distance_of(latents, Consecutive{1, false}), 0u);
  EXPECT_EQ(distance_of(std::vector<std::uint32_t>(5000, 7)), 0u);
  EXPECT_EQ(distance_of({1, 2, 3}), 0u);
}

// All numbers look back equally far, so lookbacks take no bits.
TEST(FixedLookback, IsChosenForAGrid) {
  std::vector<std::uint32_t> numbers = grid(3000, 100, 5);
  Arena arena(std::pmr::new_delete_resource());
  const EncodeConfig config;
  const LatentArray ordered{std::span<std::uint32_t>(numbers)};
  ChoiceSession session({NumberType::kU32, ordered, numbers.size()}, config, arena);
  plan_run(session, {.segments = false});
  EXPECT_EQ(session.best().fixed_lookback, 3000u);
  // Eleven differences take log2(11) = 3.46 bits, the numbers of the first row 16.
  EXPECT_LT(session.best().bits, 1.03f * (0.99f * 3.46f + 0.01f * 16));
}

TEST(FixedLookback, CountsTheKeysNextToAnAnchors) {
  Random random(86);
  std::vector<std::uint16_t> keys(1000);
  for (std::uint16_t& key : keys) key = static_cast<std::uint16_t>(random.below(8) - 4);
  for (const std::size_t n : {0u, 1u, 63u, 64u, 200u}) {
    const Anchors before{&keys[0], &keys[1], &keys[300], &keys[700]};
    std::vector<std::uint16_t> hits(n, 5);
    add_hits(before, hits.data(), n);
    for (std::size_t j = 0; j < n; ++j) {
      unsigned expected = 5;
      for (const std::uint16_t* const from : before) {
        const auto difference = static_cast<std::uint16_t>(from[n] - from[j]);
        expected += difference <= 1 || difference == 0xffff ? 1 : 0;
      }
      EXPECT_EQ(hits[j], expected) << n << ' ' << j;
    }
  }
}

}  // namespace
}  // namespace numpact::testing
