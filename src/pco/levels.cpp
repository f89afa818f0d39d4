// SPDX-License-Identifier: Apache-2.0
#include "pco/levels.hpp"

#include <algorithm>
#include <array>

#include "base/tuned.hpp"
#include "pco/limits.hpp"

namespace numpact::internal {
namespace {

// Rows of the tables: levels 0 to kMaxLevel.
constexpr std::size_t kLevels = kMaxLevel + 1;

// The words of the tables.
constexpr bool no = false;
constexpr bool yes = true;

// clang-format off
// An error ratio of 1.03 takes 1.5 % less time at level 8 for 0.02 % more bytes.
constexpr std::array<ModeLevel, kLevels> kModes = {{
//  sample order modes esti- divi- sec-   dicts look- at-    plain close   error
//  log2               mated sors  ondary       back  tempts       ratio   ratio
  { 10,    1,    no,   2,    no,   no,    no,   no,   1,     no,   1.005f, 1.03f },
  { 10,    1,    no,   2,    no,   no,    no,   no,   1,     no,   1.005f, 1.03f },
  { 10,    2,    yes,  2,    no,   no,    no,   no,   1,     no,   1.005f, 1.03f },
  { 11,    2,    yes,  2,    no,   no,    no,   no,   1,     no,   1.005f, 1.03f },
  { 11,    2,    yes,  2,    no,   no,    no,   no,   2,     no,   1.005f, 1.03f },
  { 11,    7,    yes,  2,    yes,  yes,   no,   yes,  2,     no,   1.005f, 1.03f },
  { 11,    7,    yes,  2,    yes,  yes,   yes,  yes,  2,     no,   1.005f, 1.03f },
  { 12,    7,    yes,  2,    yes,  yes,   yes,  yes,  2,     no,   1.005f, 1.03f },
  { 12,    7,    yes,  2,    yes,  yes,   yes,  yes,  2,     no,   1.005f, 1.03f },
  { 13,    7,    yes,  4,    yes,  yes,   yes,  yes,  2,     no,   1.015f, 1.01f },
  { 15,    7,    yes,  8,    yes,  yes,   yes,  yes,  3,     yes,  1.015f, 1.01f },
  { 15,    7,    yes,  8,    yes,  yes,   yes,  yes,  3,     yes,  1.015f, 1.01f },
  { 15,    7,    yes,  8,    yes,  yes,   yes,  yes,  3,     yes,  1.015f, 1.01f },
}};

// A required saving was one of four changes that together took 4 to 6 % less time for 0.02 % more
// bytes.
constexpr std::array<DictLevel, kLevels> kDicts = {{
//  required penalty
  { .015f,   .015f },
  { .015f,   .015f },
  { .015f,   .015f },
  { .015f,   .015f },
  { .015f,   .015f },
  { .015f,   .015f },
  { .015f,   .015f },
  { .015f,   .015f },
  { .015f,   .015f },
  { 0,       .015f },
  { 0,       .015f },
  { 0,       .015f },
  { 0,       .015f },
}};

// Below level 8 fits take too long for what they save; short chunks fit fewer weights there.
constexpr std::array<Conv1Level, kLevels> kConv1s = {{
//  order short refit log2 rounds required
  { 0,    0,    11,        2,     .04f },
  { 0,    0,    11,        2,     .04f },
  { 0,    0,    11,        2,     .04f },
  { 0,    0,    11,        2,     .04f },
  { 0,    0,    11,        2,     .04f },
  { 0,    0,    11,        2,     .04f },
  { 0,    0,    11,        2,     .04f },
  { 0,    0,    11,        2,     .04f },
  { 32,   16,   11,        2,     .02f },
  { 32,   32,   12,        2,     .015f },
  { 32,   32,   15,        3,     .015f },
  { 32,   32,   15,        3,     .015f },
  { 32,   32,   15,        3,     .015f },
}};

// 2^12 states of 8 bytes just fit an L1 cache of 32 KiB. That tables beyond 2^10 states must save
// 0.4 % makes files 0.03 % larger, and decoding 4 % faster in the geometric mean. A single bin
// decodes several times as fast as more. Samples of 2^11 instead of 2^15 latents take 5 % less time
// at level 4 for files of the same size.
constexpr std::array<BinLevel, kLevels> kBins = {{
//  one  groups latents short values stride sample table large codes
  { yes, 0,     20,     yes,  0,     1,     11,    0,    .004, .0008f },
  { no,  8,     20,     yes,  64,    16,    11,    5,    .004, .0008f },
  { no,  16,    20,     yes,  128,   16,    11,    6,    .004, .0008f },
  { no,  32,    20,     yes,  256,   16,    11,    7,    .004, .0008f },
  { no,  64,    20,     yes,  512,   16,    11,    8,    .004, .0008f },
  { no,  128,   20,     yes,  1024,  16,    11,    9,    .004, .0008f },
  { no,  256,   20,     yes,  2048,  16,    11,    10,   .004, .0008f },
  { no,  512,   20,     yes,  4096,  16,    11,    11,   .004, .0008f },
  { no,  1024,  20,     yes,  6000,  8,     11,    12,   .004, .0008f },
  { no,  2048,  5,      no,   6000,  8,     15,    12,   0,    0 },
  { no,  2048,  5,      no,   6000,  1,     15,    14,   0,    0 },
  { no,  2048,  5,      no,   6000,  1,     15,    14,   0,    0 },
  { no,  2048,  5,      no,   6000,  1,     15,    14,   0,    0 },
}};

// Where size counts for more than time, searches give up later, in segments too.
constexpr std::array<LookbackLevel, kLevels> kLookbacks = {{
//  give up skips
  { 0,      yes },
  { 0,      yes },
  { 0,      yes },
  { 0,      yes },
  { 0,      yes },
  { 0,      yes },
  { 0,      yes },
  { 0,      yes },
  { 0,      yes },
  { 1.02f,  no },
  { 1.02f,  no },
  { 1.02f,  no },
  { 1.02f,  no },
}};

// Where size counts for more than time, searches start at smaller estimated savings.
constexpr std::array<PrefilterLevel, kLevels> kPrefilters = {{
//  saving weights margin error time bits windows
  { .04f,  .015f,  .04f,  .16f, 300,      yes },
  { .04f,  .015f,  .04f,  .16f, 300,      yes },
  { .04f,  .015f,  .04f,  .16f, 300,      yes },
  { .04f,  .015f,  .04f,  .16f, 300,      yes },
  { .04f,  .015f,  .04f,  .16f, 300,      yes },
  { .04f,  .015f,  .04f,  .16f, 300,      yes },
  { .04f,  .015f,  .04f,  .16f, 300,      yes },
  { .04f,  .015f,  .04f,  .16f, 300,      yes },
  { .04f,  .015f,  .04f,  .16f, 300,      yes },
  { .01f,  .01f,   0,     0,    0,   no },
  { .01f,  .01f,   0,     0,    0,   no },
  { .01f,  .01f,   0,     0,    0,   no },
  { .01f,  .01f,   0,     0,    0,   no },
}};

// Rows 0 to 4 are unused and equal row 5, also in the two tables above: these levels do not
// evaluate Lookback. A requested Lookback, and pages of a chunk with several pages, are searched at
// kDefaultLevel.
constexpr std::array<SearchLevel, kLevels> kSearches = {{
//  one in min  max  short  rounds fre-  no      pre-
//         log2 log2 one in        quent error n fixes
  { 64,    11,  15,  16,    0,     8,    1024,   0 },
  { 64,    11,  15,  16,    0,     8,    1024,   0 },
  { 64,    11,  15,  16,    0,     8,    1024,   0 },
  { 64,    11,  15,  16,    0,     8,    1024,   0 },
  { 64,    11,  15,  16,    0,     8,    1024,   0 },
  { 64,    11,  15,  16,    0,     8,    1024,   0 },
  { 64,    11,  15,  16,    1,     8,    1024,   0 },
  { 64,    11,  15,  16,    1,     8,    1024,   0 },
  { 64,    11,  15,  16,    1,     8,    1024,   0 },
  { 32,    12,  15,  4,     1,     24,   2048,   1 },
  { 4,     16,  18,  4,     3,     64,   2048,   1 },
  { 4,     16,  18,  4,     3,     64,   2048,   1 },
  { 4,     16,  18,  4,     3,     64,   2048,   1 },
}};

// Plans take time, so lower levels ask for more; so do short runs, for which coarse plans are too
// optimistic. Half of the latents for the shared bins made some columns up to 3 % larger
// (block_io_trace.lbn), and others as much smaller.
constexpr std::array<SegmentLevel, kLevels> kSegments = {{
//  run  segm. min  plan bins all  saving  coarse  short  coarse
//  log2       log2 log2 log2              saving         saving
  { 18,   no,    13,   10,   12,   no,    .03f,     .03f,     .03f,    .03f },
  { 18,   no,    13,   10,   12,   no,    .03f,     .03f,     .03f,    .03f },
  { 18,   no,    13,   10,   12,   no,    .03f,     .03f,     .03f,    .03f },
  { 18,   no,    13,   10,   12,   no,    .03f,     .03f,     .03f,    .03f },
  { 18,   no,    13,   10,   12,   no,    .03f,     .03f,     .03f,    .03f },
  { 18,   no,    13,   10,   12,   no,    .03f,     .03f,     .03f,    .03f },
  { 20,   no,    13,   10,   12,   no,    .03f,     .03f,     .03f,    .03f },
  { 20,   yes,   13,   10,   12,   no,    .03f,     .03f,     .03f,    .03f },
  { 20,   yes,   13,   10,   12,   no,    .0025f,   .0015f,   .015f,   .01f },
  { 20,   yes,   12,   12,   13,   yes,   .0025f,   .0015f,   .005f,   .003f },
  { 20,   yes,   12,   12,   13,   yes,   .0025f,   .0015f,   .005f,   .003f },
  { 20,   yes,   12,   12,   13,   yes,   .0025f,   .0015f,   .005f,   .003f },
  { 20,   yes,   12,   12,   13,   yes,   .0025f,   .0015f,   .005f,   .003f },
}};

// Each level encodes about three times the numbers of the one before.
constexpr std::array<RefineLevel, kLevels> kRefines = {{
//  per number rounds quarters moves
  { 0,         0,     no,      no },
  { 0,         0,     no,      no },
  { 0,         0,     no,      no },
  { 0,         0,     no,      no },
  { 0,         0,     no,      no },
  { 0,         0,     no,      no },
  { 0,         0,     no,      no },
  { 0,         0,     no,      no },
  { 0,         0,     no,      no },
  { 0,         0,     no,      no },
  { 4,         2,     no,      no },
  { 12,        8,     yes,     no },
  { 32,        16,    yes,     yes },
}};

// Where size counts for more than time, several encodings are kept for comparison.
constexpr std::array<ScratchLevel, kLevels> kScratches = {{
//  copies others
  { 8,     48 },
  { 8,     48 },
  { 8,     48 },
  { 8,     48 },
  { 8,     48 },
  { 8,     48 },
  { 8,     48 },
  { 8,     48 },
  { 8,     48 },
  { 24,    116 },
  { 24,    116 },
  { 24,    116 },
  { 24,    116 },
}};
// clang-format on

static_assert(kModes.back().max_consecutive_order == kMaxConsecutiveOrder);
static_assert(kBins.back().max_table_log2 == kMaxAnsSizeLog);

constexpr std::array<Level, kLevels> make_rows() {
  std::array<Level, kLevels> rows{};
  for (unsigned i = 0; i < kLevels; ++i) {
    rows[i] = {kModes[i],      kDicts[i],    kConv1s[i],   kBins[i],    kLookbacks[i],
               kPrefilters[i], kSearches[i], kSegments[i], kRefines[i], kScratches[i]};
  }
  return rows;
}

// All columns of a level together.
#ifdef NUMPACT_ABLATION
std::array<Level, kLevels> kRows = make_rows();
#else
constexpr std::array<Level, kLevels> kRows = make_rows();
#endif

}  // namespace

bool is_level(unsigned level) { return level < kLevels; }

const Level& level_row(unsigned level) { return kRows[level]; }

#ifdef NUMPACT_ABLATION
#define NUMPACT_COLUMN(column) TunedEntry("level.", #column, &row.column)
static void tune_first_columns(Level& row) {
  NUMPACT_COLUMN(modes.sample_n_log2);
  NUMPACT_COLUMN(modes.max_consecutive_order);
  NUMPACT_COLUMN(modes.all_modes);
  NUMPACT_COLUMN(modes.max_estimated);
  NUMPACT_COLUMN(modes.base_divisors);
  NUMPACT_COLUMN(modes.secondary_deltas);
  NUMPACT_COLUMN(modes.dicts);
  NUMPACT_COLUMN(modes.lookback);
  NUMPACT_COLUMN(modes.max_attempts);
  NUMPACT_COLUMN(modes.attempts_classic);
  NUMPACT_COLUMN(modes.close_estimate_ratio);
  NUMPACT_COLUMN(modes.estimate_error_ratio);
  NUMPACT_COLUMN(dict.dict_required_saving_share);
  NUMPACT_COLUMN(dict.dict_penalty_share);
  NUMPACT_COLUMN(conv1.max_conv1_order);
  NUMPACT_COLUMN(conv1.max_conv1_order_short);
  NUMPACT_COLUMN(conv1.conv1_reweight_n_log2);
  NUMPACT_COLUMN(conv1.conv1_reweight_rounds);
  NUMPACT_COLUMN(conv1.conv1_required_saving_share);
  NUMPACT_COLUMN(bins.one_bin);
  NUMPACT_COLUMN(bins.max_groups);
  NUMPACT_COLUMN(bins.many_latents_n);
  NUMPACT_COLUMN(bins.limits_short_series);
  NUMPACT_COLUMN(bins.max_values);
  NUMPACT_COLUMN(bins.max_sample_stride);
  NUMPACT_COLUMN(bins.min_sample_n_log2);
  NUMPACT_COLUMN(bins.max_table_log2);
  NUMPACT_COLUMN(bins.large_table_penalty_share);
  NUMPACT_COLUMN(bins.codes_penalty_share);
  NUMPACT_COLUMN(lookback.give_up_ratio);
  NUMPACT_COLUMN(lookback.skips_segments);
  NUMPACT_COLUMN(prefilter.saving_share);
}

void tune_level(unsigned level) {
  Level& row = kRows[level];
  tune_first_columns(row);
  NUMPACT_COLUMN(prefilter.saving_share_vs_weights);
  NUMPACT_COLUMN(prefilter.value_margin_share);
  NUMPACT_COLUMN(prefilter.value_error_share);
  NUMPACT_COLUMN(prefilter.search_time_page_bits);
  NUMPACT_COLUMN(prefilter.windows_of_long_pages);
  NUMPACT_COLUMN(search.learn_one_in);
  NUMPACT_COLUMN(search.min_learn_n_log2);
  NUMPACT_COLUMN(search.max_learn_n_log2);
  NUMPACT_COLUMN(search.short_one_in);
  NUMPACT_COLUMN(search.rounds);
  NUMPACT_COLUMN(search.max_frequent);
  NUMPACT_COLUMN(search.no_error_n);
  NUMPACT_COLUMN(search.long_page_prefixes);
  NUMPACT_COLUMN(segments.max_run_n_log2);
  NUMPACT_COLUMN(segments.segments);
  NUMPACT_COLUMN(segments.min_run_n_log2);
  NUMPACT_COLUMN(segments.min_coarse_plan_n_log2);
  NUMPACT_COLUMN(segments.shared_bins_n_log2);
  NUMPACT_COLUMN(segments.counts_all);
  NUMPACT_COLUMN(segments.min_saving);
  NUMPACT_COLUMN(segments.min_coarse_saving);
  NUMPACT_COLUMN(segments.min_saving_short);
  NUMPACT_COLUMN(segments.min_coarse_saving_short);
  NUMPACT_COLUMN(refine.encoded_per_number);
  NUMPACT_COLUMN(refine.rounds);
  NUMPACT_COLUMN(refine.splits_at_quarters);
  NUMPACT_COLUMN(refine.moves_boundaries);
}
#undef NUMPACT_COLUMN
#endif

float decode_weight(const EncodeConfig& config) {
  // Lookback must then save about two bits, a second variable more than half of one.
  constexpr float kFavored = 1;
  return std::max(config.decode_weight, config.favor_decode_speed ? kFavored : 0);
}

EncodeEffort EncodeEffort::of(const EncodeConfig& config) {
  const Level& row = level_row(config.level);
  return {row.modes, row.dict, row.conv1, internal::decode_weight(config)};
}

}  // namespace numpact::internal

namespace numpact {

std::size_t automatic_chunk_n(unsigned level) noexcept {
  return std::size_t{1} << internal::level_row(std::min(level, kMaxLevel)).segments.max_run_n_log2;
}

}  // namespace numpact
