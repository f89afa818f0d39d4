// SPDX-License-Identifier: Apache-2.0
// The effort of binning by level: how many groups and frequent values are considered.
#include <gtest/gtest.h>

#include "base/internal.hpp"
#include "pco/bins/binning.hpp"

namespace numpact::testing {
namespace {

std::size_t groups_of(unsigned level, std::size_t n) {
  return BinningEffort::of(level_row(level).bins, n).histogram.groups;
}

// A group holds at least 5 latents up to 256 groups, then 20; where size counts most, always 5.
TEST(BinningEffort, GroupsOfFewLatents) {
  EXPECT_EQ(groups_of(8, 10), 32u);
  EXPECT_EQ(groups_of(8, 1000), 200u);
  EXPECT_EQ(groups_of(8, 1280), 256u);
  EXPECT_EQ(groups_of(8, 5000), 256u);
  EXPECT_EQ(groups_of(8, 10'000), 500u);
  EXPECT_EQ(groups_of(8, 100'000), 1024u);
  EXPECT_EQ(groups_of(9, 5000), 1000u);
  EXPECT_EQ(groups_of(9, 100'000), 2048u);
  EXPECT_EQ(groups_of(4, 100'000), 64u);
}

TEST(BinningEffort, FrequentValuesGrowWithTheLevel) {
  const auto values_of = [](unsigned level) {
    return BinningEffort::of(level_row(level).bins, 1'000'000).histogram.max_values;
  };
  EXPECT_EQ(values_of(0), 0u);
  for (unsigned level = 1; level <= 12; ++level) EXPECT_GE(values_of(level), values_of(level - 1));
  EXPECT_EQ(values_of(8), values_of(12));
}

}  // namespace
}  // namespace numpact::testing
