// SPDX-License-Identifier: Apache-2.0
// The filter before searches for lookbacks: windows of long pages, and the back-off for segments.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/internal.hpp"
#include "pco/encode/lookback/detect/repeats.hpp"
#include "pco/encode/lookback/estimate.hpp"
#include "pco/encode/lookback/prefilter.hpp"
#include "support/random.hpp"

namespace numpact::testing {
namespace {

constexpr std::size_t kLongN = 900000;

bool may_look_back(std::vector<std::uint64_t> latents, float bits = 40) {
  Arena arena(std::pmr::new_delete_resource());
  const LatentArray page{std::span<std::uint64_t>(latents)};
  const Sample sample = take_sample(page, default_sample_n(page.n, 4096), arena);
  const Choice choice{Classic{}, NoDelta{}, {}};
  const LookbackInput input{latents.size(), bits, true};
  return prefilter_lookback(sample, page, choice, input, arena).passes;
}

// Latents of 40 bits; from `first` on each is that of `period` before.
std::vector<std::uint64_t> repeating(std::size_t first, std::size_t period) {
  Random random(81);
  std::vector<std::uint64_t> latents(kLongN);
  for (std::size_t i = 0; i < latents.size(); ++i) {
    latents[i] = i < first ? random.bits(40) : latents[i - period];
  }
  return latents;
}

TEST(LookbackPrefilter, LongPagesMayRepeatTheirParts) {
  EXPECT_FALSE(may_look_back(repeating(kLongN, 1)));
  for (const std::size_t parts : {2u, 3u, 4u, 6u, 7u, 10u, 100u}) {
    EXPECT_TRUE(may_look_back(repeating(kLongN / parts, kLongN / parts))) << parts;
  }
  // One half only.
  EXPECT_TRUE(may_look_back(repeating(kLongN / 2, 5000)));
}

// Few values alternate with noise. They repeat all the time but take next to nothing without
// lookbacks, which the average of all numbers does not show.
TEST(LookbackPrefilter, WindowsRejectWhatCountsAccept) {
  constexpr unsigned kNoiseBits = 24;
  constexpr float kBits = 0.5f * kNoiseBits + 3;
  for (const std::size_t n : {kMinConfirmPageN - 1, kMinConfirmPageN}) {
    Random random(84);
    std::vector<std::uint64_t> latents(n);
    for (std::size_t i = 0; i < n; ++i) {
      latents[i] = i / 1000 % 2 == 0 ? random.below(16) : random.bits(kNoiseBits);
    }
    EXPECT_EQ(may_look_back(latents, kBits), n < kMinConfirmPageN) << n;
  }
}

// Few values fill most of the page, so that no part of the values represents it, and the others
// repeat at distances longer than a window: only a pass over all of the page finds them.
TEST(LookbackPrefilter, ValuesThatAreNewInAWindowAreSoughtInThePage) {
  constexpr std::size_t kPeriod = 9600;
  for (const bool is_repeating : {true, false}) {
    Random random(88);
    std::vector<std::uint64_t> latents(60000);
    for (std::size_t i = 0; i < latents.size(); ++i) {
      if (i % 3 != 0) {
        latents[i] = random.below(4);
      } else if (i < kPeriod || !is_repeating) {
        latents[i] = random.bits(40);
      } else {
        latents[i] = latents[i - kPeriod + 3 * random.below(100)];
      }
    }
    EXPECT_EQ(may_look_back(latents, 10), is_repeating);
  }
}

bool windows_look_back(std::vector<std::uint64_t> latents, const AnyDelta& delta, float share = 1) {
  Arena arena(std::pmr::new_delete_resource());
  const LatentArray page{std::span<std::uint64_t>(latents)};
  const Choice choice{Classic{}, delta, {}};
  const SearchLevel& level = level_row(kDefaultLevel).search;
  return look_back_in_windows(page, choice, share, 0, level, arena).saves;
}

TEST(LookbackWindows, ShowWhetherNearbyNumbersRepeat) {
  for (const std::size_t n : {kMinConfirmPageN, kLongN}) {
    Random random(82);
    std::vector<std::uint64_t> interleaved(n);
    std::vector<std::uint64_t> walk(n);
    std::vector<std::uint64_t> noise(n);
    for (std::size_t i = 0; i < n; ++i) {
      interleaved[i] = (i < 13 ? random.bits(40) : interleaved[i - 13]) + random.below(16);
      walk[i] = (i == 0 ? std::uint64_t{1} << 40 : walk[i - 1]) + random.below(64) - 31;
      noise[i] = random.bits(40);
    }
    EXPECT_TRUE(windows_look_back(interleaved, NoDelta{})) << n;
    // They do not reach a very low limit.
    EXPECT_FALSE(windows_look_back(interleaved, NoDelta{}, 0.05f)) << n;
    EXPECT_FALSE(windows_look_back(walk, Consecutive{1, false})) << n;
    EXPECT_FALSE(windows_look_back(noise, NoDelta{})) << n;
    // Nothing to compare with.
    EXPECT_TRUE(windows_look_back(noise, Conv1{})) << n;
  }
}

// Then the search need not be repeated.
TEST(LookbackSearch, SamplesThatAgreeFindTheSame) {
  Random random(83);
  Arena arena(std::pmr::new_delete_resource());
  std::size_t agreed = 0;
  std::size_t others = 0;
  for (int round = 0; round < 40; ++round) {
    const std::size_t period = random.between(2, 200);
    const std::uint64_t one_in = random.between(2, 50);
    const auto bits = static_cast<unsigned>(random.between(1, 12));
    std::vector<std::uint64_t> latents(random.between(2000, 20000));
    for (std::size_t i = 0; i < latents.size(); ++i) {
      const bool is_new = i < period || random.one_in(one_in);
      latents[i] = is_new ? random.bits(20) : latents[i - period] + random.bits(bits);
    }
    const LatentArray page{std::span<std::uint64_t>(latents)};
    const Lookback lookback = lookback_for(page.n);
    const ArenaScope scratch(arena);
    const auto find = [&](LookbackSample sample) {
      return find_lookbacks(lookback, page, arena, HUGE_VALF, level_row(kDefaultLevel).search,
                            sample);
    };
    const FoundLookbacks neighbours = find(LookbackSample::kNeighbours);
    ++(neighbours.samples_agree ? agreed : others);
    if (!neighbours.samples_agree) continue;
    const FoundLookbacks apart = find(LookbackSample::kApart);
    EXPECT_TRUE(std::equal(neighbours.all.begin(), neighbours.all.end(), apart.all.begin(),
                           apart.all.end()))
        << "round " << round;
  }
  EXPECT_GT(agreed, 10u);
  EXPECT_GT(others, 0u);
}

TEST(LookbackRepeats, AreFoundOnceForAPage) {
  Arena arena(std::pmr::new_delete_resource());
  Random random(87);
  std::vector<std::uint32_t> latents(20000);
  for (std::size_t i = 0; i < latents.size(); ++i) {
    latents[i] = i < 5000 ? static_cast<std::uint32_t>(random.bits()) : latents[i - 5000];
  }
  const std::span<const std::uint32_t> page(latents);
  const PageWindows windows(latents.size(), level_row(kDefaultLevel).prefilter);
  const RepresentativeRange range{0, 1e9f};
  PageRepeats repeats;
  find_repeats(page, windows, 2, range, repeats, arena);
  const std::size_t examined = repeats.strings.examined;
  EXPECT_GT(examined, 1000u);
  EXPECT_GT(repeats.strings.repeated, examined / 2);
  for (const std::uint32_t lookback : repeats.strings.kept()) EXPECT_EQ(lookback, 5000u);
  // Not examined again, although the page has changed.
  for (std::uint32_t& latent : latents) latent = static_cast<std::uint32_t>(random.bits());
  find_repeats(page, windows, 2, range, repeats, arena);
  EXPECT_EQ(repeats.strings.examined, examined);
  EXPECT_GT(repeats.strings.repeated, examined / 2);
  // Strings of another length are examined, unless hardly any value repeats.
  find_repeats(page, windows, 3, range, repeats, arena);
  EXPECT_LT(repeats.values.repeated, repeats.values.examined / 100);
  EXPECT_EQ(repeats.strings.examined, 0u);
}

}  // namespace
}  // namespace numpact::testing
