// SPDX-License-Identifier: Apache-2.0
// docs/benchmarks/levels.md shows what the levels do. NUMPACT_UPDATE_DOCS=1 writes the table anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "base/internal.hpp"
#include "pco/levels.hpp"
#include "pco/limits.hpp"

namespace numpact {
namespace {

constexpr const char kPage[] = NUMPACT_FIXTURES "/../../docs/benchmarks/levels.md";
constexpr const char kBegin[] = "<!-- levels: made by tests/unit/levels_test.cpp -->\n";
constexpr const char kEnd[] = "<!-- end of levels -->\n";

std::string percent(float share) {
  std::ostringstream text;
  text << share * 100 << " %";
  return text.str();
}

std::string yes_no(bool value) { return value ? "yes" : "no"; }

std::string text_of(std::size_t number) { return std::to_string(number); }

using Cell = std::string (*)(const Level&);
struct Line {
  const char* name;
  Cell cell;
};

const Line kLines[] = {
    {"numbers in the sample of a chunk",
     [](const Level& row) { return text_of(std::size_t{1} << row.modes.sample_n_log2); }},
    {"modes other than Classic", [](const Level& row) { return yes_no(row.modes.all_modes); }},
    {"modes that are estimated closely",
     [](const Level& row) { return row.modes.all_modes ? text_of(row.modes.max_estimated) : "1"; }},
    {"Dict", [](const Level& row) { return yes_no(row.modes.dicts); }},
    {"highest order of Consecutive",
     [](const Level& row) { return text_of(row.modes.max_consecutive_order); }},
    {"delta encodes corrections",
     [](const Level& row) { return yes_no(row.modes.secondary_deltas); }},
    {"Lookback", [](const Level& row) { return yes_no(row.modes.lookback); }},
    {"rounds that learn costs of lookbacks",
     [](const Level& row) { return row.modes.lookback ? text_of(row.lookback.rounds) : "–"; }},
    {"highest order of Conv1",
     [](const Level& row) {
       return row.modes.max_conv1_order == 0 ? "–" : text_of(row.modes.max_conv1_order);
     }},
    {"encodings that are tried in full",
     [](const Level& row) { return text_of(row.modes.max_attempts); }},
    {"groups that bins are made of",
     [](const Level& row) { return row.bins.one_bin ? "one bin" : text_of(row.bins.max_groups); }},
    {"largest table of codes",
     [](const Level& row) {
       return row.bins.one_bin ? "–" : "2^" + text_of(row.bins.max_table_log2);
     }},
    {"chunks end where the data changes",
     [](const Level& row) { return yes_no(row.segments.segments); }},
    {"saving that this must have",
     [](const Level& row) {
       return row.segments.segments ? percent(row.segments.min_saving) : "–";
     }},
    {"numbers encoded to refine chunks, per number",
     [](const Level& row) {
       return row.segments.refine_per_number == 0 ? "–" : text_of(row.segments.refine_per_number);
     }},
};

std::string table() {
  std::string text = "| level |";
  std::string rule = "| --- |";
  for (unsigned level = 0; is_level(level); ++level) {
    text += " " + std::to_string(level) + " |";
    rule += " ---: |";
  }
  text += "\n" + rule + "\n";
  for (const Line& line : kLines) {
    text += std::string("| ") + line.name + " |";
    for (unsigned level = 0; is_level(level); ++level) {
      text += " " + line.cell(level_row(level)) + " |";
    }
    text += "\n";
  }
  return text;
}

TEST(Levels, AreTheTableOfTheDocuments) {
  std::ifstream file(kPage);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::size_t begin = page.find(kBegin);
  const std::size_t end = page.find(kEnd);
  ASSERT_TRUE(begin != std::string::npos && end != std::string::npos) << kPage;
  const std::size_t first = begin + sizeof kBegin - 1;
  if (std::getenv("NUMPACT_UPDATE_DOCS") != nullptr) {
    std::ofstream(kPage) << page.substr(0, first) << table() << page.substr(end);
    return;
  }
  EXPECT_EQ(page.substr(first, end - first), table()) << "NUMPACT_UPDATE_DOCS=1 writes it";
}

TEST(Levels, TakeMoreEffortAsTheyRise) {
  for (unsigned level = 1; is_level(level); ++level) {
    const Level& below = level_row(level - 1);
    const Level& row = level_row(level);
    EXPECT_GE(row.modes.sample_n_log2, below.modes.sample_n_log2) << level;
    EXPECT_GE(row.modes.max_consecutive_order, below.modes.max_consecutive_order) << level;
    EXPECT_GE(row.modes.max_estimated, below.modes.max_estimated) << level;
    EXPECT_GE(row.modes.max_conv1_order, below.modes.max_conv1_order) << level;
    EXPECT_GE(row.modes.max_attempts, below.modes.max_attempts) << level;
    EXPECT_GE(row.bins.max_groups, below.bins.max_groups) << level;
    EXPECT_GE(row.bins.max_table_log2, below.bins.max_table_log2) << level;
    EXPECT_GE(row.lookback.rounds, below.lookback.rounds) << level;
    EXPECT_GE(row.segments.refine_per_number, below.segments.refine_per_number) << level;
    EXPECT_LE(row.segments.min_saving, below.segments.min_saving) << level;
  }
  EXPECT_FALSE(is_level(kMaxLevel + 1));
  EXPECT_EQ(level_row(kMaxLevel).modes.max_conv1_order, kMaxConv1Order);
}

}  // namespace
}  // namespace numpact
