// SPDX-License-Identifier: Apache-2.0
// Runs of nulls against the counts of a column, by the C++ and the C interface.
#include <gtest/gtest.h>

#include <vector>

#include "numpact/table.h"
#include "numpact/table.hpp"

namespace numpact {
namespace {

using Lengths = std::vector<std::uint64_t>;

// Whole, and in parts of each size.
bool fits(const Lengths& lengths, std::uint64_t numbers, std::uint64_t nulls) {
  const numpact_status whole =
      numpact_table_check_runs(lengths.data(), lengths.size(), numbers, nulls, nullptr);
  EXPECT_TRUE(whole == NUMPACT_OK || whole == NUMPACT_CORRUPT);
  for (std::size_t part = 1; part <= lengths.size(); ++part) {
    table::NullRunCheck check(numbers, nulls);
    Status status;
    for (std::size_t at = 0; at < lengths.size() && status.ok(); at += part) {
      status = check.add(std::span(lengths).subspan(at, std::min(part, lengths.size() - at)));
    }
    if (status.ok()) status = check.finish();
    EXPECT_EQ(status.ok(), whole == NUMPACT_OK);
  }
  return whole == NUMPACT_OK;
}

TEST(NullRuns, AddUpToTheCounts) {
  EXPECT_TRUE(fits({1, 2, 1}, 2, 2));
  EXPECT_TRUE(fits({0, 2, 2}, 2, 2));
  EXPECT_TRUE(fits({2, 2}, 2, 2));
  EXPECT_TRUE(fits({0, 5}, 0, 5));
  EXPECT_TRUE(fits({}, 0, 0));
  EXPECT_TRUE(fits({0}, 0, 0));
  for (const Lengths& wrong : {Lengths{},
                               {4},
                               {1, 2},
                               {1, 2, 2},
                               {1, 3, 1},
                               {1, 3, 5},
                               {1, 1, 1, 1, 1},
                               {1, 2, 1, 1},
                               {1, 2, 1, 1ull << 63, 1},
                               {2, 0, 0, 2},
                               {1, 1, 0, 1, 1},
                               {1, 2, 1, 0},
                               {0, 0, 2, 2},
                               {~0ull, 2, 3},
                               {1, ~0ull, 1, 3},
                               {1, 1ull << 63, 1, (1ull << 63) + 2}}) {
    EXPECT_FALSE(fits(wrong, 2, 2));
  }
}

// 17 runs whose sum is 2^64 too much.
TEST(NullRuns, DoNotWrap) {
  const std::uint64_t nulls = (1ull << 60) + (1ull << 57);
  Lengths runs = {0, 0};
  for (int i = 0; i < 16; ++i) {
    runs.push_back(1);
    runs.push_back((nulls / 17) + (1ull << 60) + 1);
  }
  runs[1] = 1;
  EXPECT_FALSE(fits(runs, 16, nulls));
}

TEST(NullRuns, AreLimited) {
  EXPECT_EQ(table::max_null_runs(2, 2), 6u);
  EXPECT_EQ(table::max_null_runs(100, 3), 8u);
  EXPECT_EQ(table::max_null_runs(0, 7), 2u);
  EXPECT_EQ(numpact_table_max_runs(~0ull, ~0ull), ~0ull);
}

}  // namespace
}  // namespace numpact
