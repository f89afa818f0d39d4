// SPDX-License-Identifier: Apache-2.0
// Lookback where not all is looked at: the parts of a long page, and those of a run that is cut.
#include <gtest/gtest.h>

#include <vector>

#include "pco/choose/lookback_gate.hpp"
#include "pco/standalone/lookback_tries.hpp"
#include "support/random.hpp"

namespace numpact::testing {
namespace {

constexpr std::size_t kLongN = 900000;

bool may_look_back(std::vector<std::uint64_t> latents) {
  Arena arena(std::pmr::new_delete_resource());
  const LatentArray page{std::span<std::uint64_t>(latents)};
  const Sample sample = take_sample(page, usual_sample_n(page.n, 4096), arena);
  const Choice choice{Classic{}, NoDelta{}, {}};
  const Trial trial{latents.size(), 40, true};
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

}  // namespace
}  // namespace numpact::testing
