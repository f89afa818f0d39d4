// SPDX-License-Identifier: Apache-2.0
// docs/benchmarks/levels.md shows what the levels do. NUMPACT_UPDATE_DOCS=1 writes the tables anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <span>
#include <sstream>
#include <string>

#include "base/internal.hpp"
#include "pco/bins/weights.hpp"
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

std::string power_text(unsigned log2) { return text_of(std::size_t{1} << log2); }

std::string count_text(std::size_t count) { return count == 0 ? "–" : text_of(count); }

using Cell = std::string (*)(const Level&);
struct Line {
  const char* name;
  Cell cell;
};

const Line kModeLines[] = {
    {"numbers in the sample of a chunk",
     [](const Level& row) { return power_text(row.modes.sample_n_log2); }},
    {"modes other than Classic", [](const Level& row) { return yes_no(row.modes.all_modes); }},
    {"modes that are estimated closely",
     [](const Level& row) { return row.modes.all_modes ? text_of(row.modes.max_estimated) : "1"; }},
    {"FloatMult by fractions of a base",
     [](const Level& row) { return yes_no(row.modes.base_divisors); }},
    {"Dict", [](const Level& row) { return yes_no(row.modes.dicts); }},
    {"Dict: saving against other modes, at least",
     [](const Level& row) { return row.modes.dicts ? percent(row.dict.dict_penalty_share) : "–"; }},
    {"highest order of Consecutive",
     [](const Level& row) { return text_of(row.modes.max_consecutive_order); }},
    {"delta encodes corrections",
     [](const Level& row) { return yes_no(row.modes.secondary_deltas); }},
    {"Conv1: highest order",
     [](const Level& row) { return count_text(row.conv1.max_conv1_order); }},
    {"Conv1: highest order in short chunks",
     [](const Level& row) { return count_text(row.conv1.max_conv1_order_short); }},
    {"Conv1: saving against other deltas, at least",
     [](const Level& row) {
       return row.conv1.max_conv1_order == 0 ? "–" : percent(row.conv1.conv1_required_saving_share);
     }},
    {"encodings that are tried in full",
     [](const Level& row) { return text_of(row.modes.max_attempts); }},
    {"Classic without a delta is tried, too",
     [](const Level& row) { return yes_no(row.modes.attempts_classic); }},
};

const Line kLookbackLines[] = {
    {"Lookback", [](const Level& row) { return yes_no(row.modes.lookback); }},
    {"saving that tests must show before a search",
     [](const Level& row) {
       return row.modes.lookback ? percent(row.prefilter.saving_share) : "–";
     }},
    {"the same next to Conv1",
     [](const Level& row) {
       return row.conv1.max_conv1_order > 0 ? percent(row.prefilter.saving_share_vs_weights) : "–";
     }},
    {"numbers of a long page in which repeats are counted",
     [](const Level& row) {
       return std::string(!row.modes.lookback                   ? "–"
                          : row.prefilter.windows_of_long_pages ? "windows"
                                                                : "all");
     }},
    {"one number in this many teaches costs",
     [](const Level& row) { return row.modes.lookback ? text_of(row.search.learn_one_in) : "–"; }},
    {"but at most this many",
     [](const Level& row) {
       return row.modes.lookback ? power_text(row.search.max_learn_n_log2) : "–";
     }},
    {"rounds that learn costs anew",
     [](const Level& row) { return row.modes.lookback ? text_of(row.search.rounds) : "–"; }},
    {"frequent lookbacks that are compared",
     [](const Level& row) { return row.modes.lookback ? text_of(row.search.max_frequent) : "–"; }},
};

const Line kBinLines[] = {
    {"groups that bins are made of",
     [](const Level& row) { return row.bins.one_bin ? "one bin" : text_of(row.bins.max_groups); }},
    {"frequent values with a bin of their own",
     [](const Level& row) { return row.bins.one_bin ? "–" : text_of(row.bins.max_values); }},
    {"numbers for each group, if there are many",
     [](const Level& row) { return row.bins.one_bin ? "–" : text_of(row.bins.many_latents_n); }},
    {"largest table of codes",
     [](const Level& row) {
       return row.bins.one_bin ? "–" : "2^" + text_of(row.bins.max_table_log2);
     }},
    {"saving of tables above 2^10, at least",
     [](const Level& row) {
       return row.bins.max_table_log2 <= kSmallTableSizeLog
                  ? "–"
                  : percent(static_cast<float>(row.bins.large_table_penalty_share));
     }},
    {"saving of codes against a single bin, at least",
     [](const Level& row) {
       return row.bins.one_bin ? "–" : percent(row.bins.codes_penalty_share);
     }},
};

const Line kSegmentLines[] = {
    {"numbers of a chunk, at most",
     [](const Level& row) { return "2^" + text_of(row.segments.max_run_n_log2); }},
    {"chunks end where the data changes",
     [](const Level& row) { return yes_no(row.segments.segments); }},
    {"numbers that are divided, at least",
     [](const Level& row) {
       return row.segments.segments ? power_text(row.segments.min_run_n_log2) : "–";
     }},
    {"saving of a division, at least",
     [](const Level& row) {
       return row.segments.segments ? percent(row.segments.min_saving) : "–";
     }},
    {"the same below 65,536 numbers",
     [](const Level& row) {
       return row.segments.segments ? percent(row.segments.min_saving_short) : "–";
     }},
    {"all numbers are counted for it",
     [](const Level& row) {
       return row.segments.segments ? yes_no(row.segments.counts_all) : "–";
     }},
    {"numbers encoded to refine it, per number",
     [](const Level& row) { return count_text(row.refine.encoded_per_number); }},
    {"refinement moves boundaries",
     [](const Level& row) {
       return row.refine.encoded_per_number == 0 ? "–" : yes_no(row.refine.moves_boundaries);
     }},
    {"scratch memory per number of 8 bytes, bytes at most",
     [](const Level& row) { return text_of(8 * row.scratch.copies + row.scratch.other_bytes); }},
};

std::string table_of(const char* title, std::span<const Line> lines) {
  std::string text = std::string("\n| ") + title + " |";
  std::string rule = "| --- |";
  for (unsigned level = 0; is_level(level); ++level) {
    text += " " + std::to_string(level) + " |";
    rule += " ---: |";
  }
  text += "\n" + rule + "\n";
  for (const Line& line : lines) {
    text += std::string("| ") + line.name + " |";
    for (unsigned level = 0; is_level(level); ++level) {
      text += " " + line.cell(level_row(level)) + " |";
    }
    text += "\n";
  }
  return text;
}

std::string tables() {
  return table_of("modes and deltas", kModeLines) + table_of("Lookback", kLookbackLines) +
         table_of("bins", kBinLines) + table_of("chunks", kSegmentLines) + "\n";
}

TEST(Levels, AreTheTablesOfTheDocuments) {
  std::ifstream file(kPage);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::size_t begin = page.find(kBegin);
  const std::size_t end = page.find(kEnd);
  ASSERT_TRUE(begin != std::string::npos && end != std::string::npos) << kPage;
  const std::size_t first = begin + sizeof kBegin - 1;
  if (std::getenv("NUMPACT_UPDATE_DOCS") != nullptr) {
    std::ofstream(kPage) << page.substr(0, first) << tables() << page.substr(end);
    return;
  }
  EXPECT_EQ(page.substr(first, end - first), tables()) << "NUMPACT_UPDATE_DOCS=1 writes it";
}

TEST(Levels, TakeMoreEffortAsTheyRise) {
  for (unsigned level = 1; is_level(level); ++level) {
    const Level& below = level_row(level - 1);
    const Level& row = level_row(level);
    EXPECT_GE(row.modes.sample_n_log2, below.modes.sample_n_log2) << level;
    EXPECT_GE(row.modes.max_consecutive_order, below.modes.max_consecutive_order) << level;
    EXPECT_GE(row.modes.max_estimated, below.modes.max_estimated) << level;
    EXPECT_GE(row.conv1.max_conv1_order, below.conv1.max_conv1_order) << level;
    EXPECT_GE(row.modes.max_attempts, below.modes.max_attempts) << level;
    EXPECT_GE(row.bins.max_groups, below.bins.max_groups) << level;
    EXPECT_GE(row.bins.max_table_log2, below.bins.max_table_log2) << level;
    EXPECT_GE(row.search.rounds, below.search.rounds) << level;
    EXPECT_GE(row.refine.encoded_per_number, below.refine.encoded_per_number) << level;
    EXPECT_GE(row.segments.max_run_n_log2, below.segments.max_run_n_log2) << level;
    EXPECT_LE(row.segments.min_saving, below.segments.min_saving) << level;
    EXPECT_LE(row.dict.dict_penalty_share, below.dict.dict_penalty_share) << level;
    EXPECT_LE(row.conv1.conv1_required_saving_share, below.conv1.conv1_required_saving_share)
        << level;
    EXPECT_LE(row.prefilter.saving_share, below.prefilter.saving_share) << level;
    EXPECT_LE(row.bins.codes_penalty_share, below.bins.codes_penalty_share) << level;
  }
  EXPECT_FALSE(is_level(kMaxLevel + 1));
  EXPECT_EQ(level_row(kMaxLevel).conv1.max_conv1_order, kMaxConv1Order);
}

// Levels that do not exist are refused later, by check_specs().
TEST(Levels, BoundTheNumbersOfAChunk) {
  EXPECT_EQ(automatic_chunk_n(0), std::size_t{1} << 18);
  EXPECT_EQ(automatic_chunk_n(5), std::size_t{1} << 18);
  EXPECT_EQ(automatic_chunk_n(6), std::size_t{1} << 20);
  EXPECT_EQ(automatic_chunk_n(kMaxLevel), std::size_t{1} << 20);
  EXPECT_EQ(automatic_chunk_n(kMaxLevel + 1), std::size_t{1} << 20);
}

}  // namespace
}  // namespace numpact
