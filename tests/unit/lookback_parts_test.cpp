// SPDX-License-Identifier: Apache-2.0
// Lookback where not all is looked at: the parts of a long page, and those of a run that is cut.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "pco/encode/lookback/detect/repeats.hpp"
#include "pco/encode/lookback/estimate.hpp"
#include "pco/encode/lookback/prefilter.hpp"
#include "pco/encode/segment/backoff.hpp"
#include "support/random.hpp"

namespace numpact::testing {
namespace {

constexpr std::size_t kLongN = 900000;

bool may_look_back(std::vector<std::uint64_t> latents, float bits = 40) {
  Arena arena(std::pmr::new_delete_resource());
  const LatentArray page{std::span<std::uint64_t>(latents)};
  const Sample sample = take_sample(page, usual_sample_n(page.n, 4096), arena);
  const Choice choice{Classic{}, NoDelta{}, {}};
  const Trial trial{latents.size(), bits, true};
  return numpact::may_look_back(sample, page, choice, trial, arena);
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

TEST(LookbackGate, LongPagesMayRepeatTheirParts) {
  EXPECT_FALSE(may_look_back(repeating(kLongN, 1)));
  for (const std::size_t parts : {2u, 3u, 4u, 6u, 7u, 10u, 100u}) {
    EXPECT_TRUE(may_look_back(repeating(kLongN / parts, kLongN / parts))) << parts;
  }
  // One half only.
  EXPECT_TRUE(may_look_back(repeating(kLongN / 2, 5000)));
}

// Few values by turns with noise: they come again all the time, but take next to nothing as they
// are, which an average of all numbers does not tell.
TEST(LookbackGate, StretchesDenyWhatCountsPromise) {
  constexpr unsigned kNoiseBits = 24;
  constexpr float kBits = 0.5f * kNoiseBits + 3;
  for (const std::size_t n : {kLeastForStretches - 1, kLeastForStretches}) {
    Random random(84);
    std::vector<std::uint64_t> latents(n);
    for (std::size_t i = 0; i < n; ++i) {
      latents[i] = i / 1000 % 2 == 0 ? random.below(16) : random.bits(kNoiseBits);
    }
    EXPECT_EQ(may_look_back(latents, kBits), n < kLeastForStretches) << n;
  }
}

// Where few values fill most of a page, so that no part of its values stands for all, and the
// others come again later than within a stretch, only all of the page tells.
TEST(LookbackGate, ValuesThatAreNewInAStretchAreSoughtInAll) {
  constexpr std::size_t kPeriod = 9600;
  for (const bool come_again : {true, false}) {
    Random random(88);
    std::vector<std::uint64_t> latents(60000);
    for (std::size_t i = 0; i < latents.size(); ++i) {
      if (i % 3 != 0) {
        latents[i] = random.below(4);
      } else if (i < kPeriod || !come_again) {
        latents[i] = random.bits(40);
      } else {
        latents[i] = latents[i - kPeriod + 3 * random.below(100)];
      }
    }
    EXPECT_EQ(may_look_back(latents, 10), come_again);
  }
}

bool stretches_look_back(std::vector<std::uint64_t> latents, const AnyDelta& delta,
                         float share = 1) {
  Arena arena(std::pmr::new_delete_resource());
  const LatentArray page{std::span<std::uint64_t>(latents)};
  const Choice choice{Classic{}, delta, {}};
  return numpact::stretches_look_back(page, choice, share, 0, kDefaultLevel, arena);
}

TEST(LookbackStretches, TellWhetherNumbersCloseByComeAgain) {
  for (const std::size_t n : {kLeastForStretches, kLongN}) {
    Random random(82);
    std::vector<std::uint64_t> by_turns(n);
    std::vector<std::uint64_t> walk(n);
    std::vector<std::uint64_t> noise(n);
    for (std::size_t i = 0; i < n; ++i) {
      by_turns[i] = (i < 13 ? random.bits(40) : by_turns[i - 13]) + random.below(16);
      walk[i] = (i == 0 ? std::uint64_t{1} << 40 : walk[i - 1]) + random.below(64) - 31;
      noise[i] = random.bits(40);
    }
    EXPECT_TRUE(stretches_look_back(by_turns, NoDelta{})) << n;
    // What may take next to nothing is no less so.
    EXPECT_FALSE(stretches_look_back(by_turns, NoDelta{}, 0.05f)) << n;
    EXPECT_FALSE(stretches_look_back(walk, Consecutive{1, false})) << n;
    EXPECT_FALSE(stretches_look_back(noise, NoDelta{})) << n;
    // Nothing to compare with.
    EXPECT_TRUE(stretches_look_back(noise, Conv1{})) << n;
  }
}

// So the search need not be repeated.
TEST(LookbackSearch, SamplesThatAgreeLeadToTheSame) {
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
      return find_lookbacks(lookback, page, arena, HUGE_VALF, kDefaultLevel, sample);
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

using standalone::LookbackTries;

// How many of `parts` alike are tried, if all trials end so.
std::size_t tried_of(std::size_t parts, LookbackVerdict verdict, LookbackTries tries = {}) {
  std::size_t tried = 0;
  for (std::size_t i = 0; i < parts; ++i) {
    if (tries.is_due()) {
      tries.note(1000, verdict);
      ++tried;
    } else {
      tries.pass_over(1000);
    }
  }
  return tried;
}

TEST(LookbackTries, AllAreTriedUnlessInVain) {
  EXPECT_EQ(tried_of(100, LookbackVerdict::kTaken), 100u);
  EXPECT_EQ(tried_of(100, LookbackVerdict::kTooLittle), 100u);
  EXPECT_EQ(tried_of(100, LookbackVerdict::kUnlikely), 100u);
}

TEST(LookbackTries, FewerAreTriedInVain) {
  // Those that begin after twice as many: 1, 3, 7, 15, 31, 63.
  EXPECT_EQ(tried_of(100, LookbackVerdict::kLost), 6u);
}

TEST(LookbackTries, OneThatIsTakenMakesAllWorthATry) {
  LookbackTries tries;
  for (int i = 0; i < 5; ++i) tries.note(1000, LookbackVerdict::kLost);
  EXPECT_FALSE(tries.is_due());
  tries.pass_over(5000);
  ASSERT_TRUE(tries.is_due());
  tries.note(1000, LookbackVerdict::kTaken);
  // As if none had been in vain.
  EXPECT_EQ(tried_of(3, LookbackVerdict::kLost, tries), 2u);
}

TEST(LookbackRepeats, AreFoundOnceForAPage) {
  Arena arena(std::pmr::new_delete_resource());
  Random random(87);
  std::vector<std::uint32_t> latents(20000);
  for (std::size_t i = 0; i < latents.size(); ++i) {
    latents[i] = i < 5000 ? static_cast<std::uint32_t>(random.bits()) : latents[i - 5000];
  }
  const std::span<const std::uint32_t> page(latents);
  const PageParts parts(latents.size(), kDefaultLevel);
  const Telling telling{0, 1e9f};
  PageRepeats repeats;
  find_repeats(page, parts, 2, telling, repeats, arena);
  const std::size_t looked = repeats.strings.looked;
  EXPECT_GT(looked, 1000u);
  EXPECT_GT(repeats.strings.repeated, looked / 2);
  for (const std::uint32_t lookback : repeats.strings.kept()) EXPECT_EQ(lookback, 5000u);
  // Known, whatever the page holds by now.
  for (std::uint32_t& latent : latents) latent = static_cast<std::uint32_t>(random.bits());
  find_repeats(page, parts, 2, telling, repeats, arena);
  EXPECT_EQ(repeats.strings.looked, looked);
  EXPECT_GT(repeats.strings.repeated, looked / 2);
  // Strings of another length are looked at.
  find_repeats(page, parts, 3, telling, repeats, arena);
  EXPECT_LT(repeats.strings.repeated, repeats.strings.looked / 100);
}

using standalone::WayTries;

// How many of 100 parts weigh bases, of which the n-th is the first that chooses one; 0: none.
std::size_t bases_weighed(std::size_t first_won) {
  WayTries tries(ChooseHints{});
  std::size_t weighed = 0;
  for (std::size_t part = 1; part <= 100; ++part) {
    const ChooseHints hints = tries.hints();
    weighed += hints.bases ? 1 : 0;
    const bool is_won = first_won > 0 && part >= first_won;
    const AnyMode mode = hints.bases && is_won ? AnyMode(IntMult{10}) : AnyMode(Classic{});
    tries.note(1000, hints, Choice{mode, NoDelta{}, {}});
  }
  return weighed;
}

TEST(WayTries, BasesThatLoseAreWeighedForFewer) {
  // Nine in vain, then those after twice as many: 19, 39, 79.
  EXPECT_EQ(bases_weighed(0), 9u + 3u);
  EXPECT_EQ(bases_weighed(1), 100u);
  EXPECT_EQ(bases_weighed(9), 100u);
  // From the next that is due on all.
  EXPECT_EQ(bases_weighed(10), 9u + 82u);
}

TEST(WayTries, OfWhatDidNotSuitTheRunNothingIsWeighed) {
  ChooseHints of_run;
  of_run.dict = true;
  WayTries tries(of_run);
  EXPECT_TRUE(tries.hints().dict);
  EXPECT_FALSE(tries.hints().conv1);
  for (int part = 0; part < 9; ++part) {
    ASSERT_TRUE(tries.hints().dict);
    tries.note(1000, tries.hints(), Choice{Classic{}, NoDelta{}, {}});
  }
  EXPECT_FALSE(tries.hints().dict);
}

}  // namespace
}  // namespace numpact::testing
