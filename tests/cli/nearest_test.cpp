// SPDX-License-Identifier: Apache-2.0
#include "text/nearest.hpp"

#include <gtest/gtest.h>

#include "failure.hpp"

namespace numpact::cli {
namespace {

TEST(Nearest, DistanceCountsSwapsOnce) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("drop", "drop"), 0u);
  EXPECT_EQ(edit_distance("dorp", "drop"), 1u);
  EXPECT_EQ(edit_distance("compres", "compress"), 1u);
  EXPECT_EQ(edit_distance("inspetc", "inspect"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  // No part is changed twice: swapping and inserting between the two letters would be two changes
  // of one part, so the distance is three.
  EXPECT_EQ(edit_distance("ca", "abc"), 3u);
}

TEST(Nearest, SuggestsCloseWords) {
  const std::vector<std::string> commands = {"compress", "decompress", "inspect", "explain"};
  EXPECT_EQ(nearest_word("compres", commands), "compress");
  EXPECT_EQ(nearest_word("decompres", commands), "decompress");
  EXPECT_EQ(nearest_word("insp", commands), "inspect");  // a prefix of one only
  EXPECT_EQ(nearest_word("frobnicate", commands), "");
  EXPECT_EQ(nearest_word("", commands), "");
  EXPECT_EQ(nearest_word(std::string(10000, 'c'), commands), "");
  EXPECT_EQ(nearest_word("co", {"concat", "compress"}), "");  // a prefix of both
}

TEST(Nearest, ValuesAreNotCompared) {
  const std::vector<std::string> modes = {"auto", "classic", "int-mult=BASE", "float-mult=BASE"};
  EXPECT_EQ(nearest_word("clasic", modes), "classic");
  EXPECT_EQ(nearest_word("int-mlt=60", modes), "int-mult=BASE");
  EXPECT_EQ(nearest_word("flaot-mult=0.1", modes), "float-mult=BASE");
}

TEST(Nearest, ChoicesAreListed) {
  try {
    fail_choice("--nulls", "dorp", {"error", "drop"});
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_STREQ(failure.what(), "--nulls: 'dorp' is none of error, drop; nearest: drop");
    EXPECT_EQ(failure.code(), ExitCode::kUsage);
  }
  EXPECT_THROW(fail_choice("--nulls", "quite other", {"error", "drop"}), Failure);
}

}  // namespace
}  // namespace numpact::cli
