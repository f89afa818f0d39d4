// SPDX-License-Identifier: Apache-2.0
#include "pco/levels.hpp"

#include <algorithm>
#include <array>

#include "pco/limits.hpp"

namespace numpact::internal {
namespace {

// Rows of the tables: levels 0 to kMaxLevel.
constexpr std::size_t kLevels = kMaxLevel + 1;

// The words of the tables.
constexpr bool no = false;
constexpr bool yes = true;

// clang-format off
constexpr std::array<ModeLevel, kLevels> kModes = {{
//sample order modes esti- divi- sec-   dicts look- conv1 conv1 refit rounds conv1  at-    plain
//log2               mated sors  ondary       back  order short log2         saving tempts
 {10,    1,    no,   2,    no,   no,    no,   no,   0,    0,    11,   2,     .04f,  1,     no},
 {10,    1,    no,   2,    no,   no,    no,   no,   0,    0,    11,   2,     .04f,  1,     no},
 {10,    2,    yes,  2,    no,   no,    no,   no,   0,    0,    11,   2,     .04f,  1,     no},
 {11,    2,    yes,  2,    no,   no,    no,   no,   0,    0,    11,   2,     .04f,  1,     no},
 {11,    2,    yes,  2,    no,   no,    no,   no,   0,    0,    11,   2,     .04f,  2,     no},
 {11,    7,    yes,  3,    yes,  yes,   no,   yes,  0,    0,    11,   2,     .04f,  2,     no},
 {11,    7,    yes,  3,    yes,  yes,   yes,  yes,  0,    0,    11,   2,     .04f,  2,     no},
 {12,    7,    yes,  3,    yes,  yes,   yes,  yes,  0,    0,    11,   2,     .04f,  2,     no},
 {12,    7,    yes,  3,    yes,  yes,   yes,  yes,  32,   16,   11,   2,     .04f,  2,     no},
 {13,    7,    yes,  4,    yes,  yes,   yes,  yes,  32,   32,   12,   2,     .015f, 2,     no},
 {15,    7,    yes,  8,    yes,  yes,   yes,  yes,  32,   32,   15,   3,     .015f, 3,     yes},
 {15,    7,    yes,  8,    yes,  yes,   yes,  yes,  32,   32,   15,   3,     .015f, 3,     yes},
 {15,    7,    yes,  8,    yes,  yes,   yes,  yes,  32,   32,   15,   3,     .015f, 3,     yes},
}};

// 2^12 states of 8 bytes just fit an L1 cache of 32 KiB. Larger tables decode slower.
constexpr std::array<BinLevel, kLevels> kBins = {{
//  one  groups values stride table log2
  { yes, 0,     0,     1,     0  },
  { no,  8,     64,    16,    5  },
  { no,  16,    128,   16,    6  },
  { no,  32,    256,   16,    7  },
  { no,  64,    512,   16,    8  },
  { no,  128,   1024,  16,    9  },
  { no,  256,   2048,  16,    10 },
  { no,  512,   4096,  16,    11 },
  { no,  1024,  6000,  8,     12 },
  { no,  2048,  6000,  8,     12 },
  { no,  2048,  6000,  1,     14 },
  { no,  2048,  6000,  1,     14 },
  { no,  2048,  6000,  1,     14 },
}};

// Rows 0 to 4 are unused and equal row 5: these levels do not evaluate Lookback. A requested
// Lookback, and pages of a chunk with several pages, are searched at kDefaultLevel.
constexpr std::array<LookbackLevel, kLevels> kLookbacks = {{
//  one in min log2 max log2 short one in rounds frequent more  no error n
  { 64,    11,      15,      16,          0,     8,       no,   1024 },
  { 64,    11,      15,      16,          0,     8,       no,   1024 },
  { 64,    11,      15,      16,          0,     8,       no,   1024 },
  { 64,    11,      15,      16,          0,     8,       no,   1024 },
  { 64,    11,      15,      16,          0,     8,       no,   1024 },
  { 64,    11,      15,      16,          0,     8,       no,   1024 },
  { 64,    11,      15,      16,          1,     8,       no,   1024 },
  { 64,    11,      15,      16,          1,     8,       no,   1024 },
  { 64,    11,      15,      16,          1,     8,       yes,  1024 },
  { 32,    12,      15,      4,           1,     24,      no,   2048 },
  { 4,     16,      18,      4,           3,     64,      no,   2048 },
  { 4,     16,      18,      4,           3,     64,      no,   2048 },
  { 4,     16,      18,      4,           3,     64,      no,   2048 },
}};

// Plans take time, so lower levels ask for more; so do short runs, for which coarse plans are too
// optimistic.
constexpr std::array<SegmentLevel, kLevels> kSegments = {{
//  segm. hints saving coarse  short   coarse  refine rounds anywhere moves
  { no,   yes,  .03f,  .03f,   .03f,   .03f,   0,     0,     no,      no  },
  { no,   yes,  .03f,  .03f,   .03f,   .03f,   0,     0,     no,      no  },
  { no,   yes,  .03f,  .03f,   .03f,   .03f,   0,     0,     no,      no  },
  { no,   yes,  .03f,  .03f,   .03f,   .03f,   0,     0,     no,      no  },
  { no,   yes,  .03f,  .03f,   .03f,   .03f,   0,     0,     no,      no  },
  { no,   yes,  .03f,  .03f,   .03f,   .03f,   0,     0,     no,      no  },
  { no,   yes,  .03f,  .03f,   .03f,   .03f,   0,     0,     no,      no  },
  { yes,  yes,  .03f,  .03f,   .03f,   .03f,   0,     0,     no,      no  },
  { yes,  yes,  .005f, .003f,  .015f,  .01f,   0,     0,     no,      no  },
  { yes,  yes,  .005f, .003f,  .005f,  .003f,  0,     0,     no,      no  },
  { yes,  no,   .005f, .003f,  .005f,  .003f,  4,     2,     no,      no  },
  { yes,  no,   .005f, .003f,  .005f,  .003f,  12,    8,     yes,     no  },
  { yes,  no,   .005f, .003f,  .005f,  .003f,  32,    16,    yes,     yes },
}};
// clang-format on

static_assert(kModes.back().max_consecutive_order == kMaxConsecutiveOrder);
static_assert(kBins.back().max_table_log2 == kMaxAnsSizeLog);

constexpr std::array<Level, kLevels> make_rows() {
  std::array<Level, kLevels> rows{};
  for (unsigned i = 0; i < kLevels; ++i) {
    rows[i] = {kModes[i], kBins[i], kLookbacks[i], kSegments[i], i >= kLevelForSize};
  }
  return rows;
}

// All columns of a level together.
constexpr std::array<Level, kLevels> kRows = make_rows();

// Share that a delta with weights must save if decoding speed is favored.
constexpr float kFastDecodeWeightsSaving = 0.1f;
// Orders above 2 decode slower.
constexpr unsigned kMaxFastDecodeOrder = 2;

}  // namespace

bool is_level(unsigned level) { return level < kLevels; }

const Level& level_row(unsigned level) { return kRows[level]; }

EncodeEffort EncodeEffort::of(const EncodeConfig& config) {
  const Level& row = level_row(config.level);
  EncodeEffort effort{row.modes,
                      row.is_for_size ? 0.0f : 16384,
                      row.is_for_size ? 0.0f : 0.03f,
                      row.is_for_size ? 0.015f : 0.02f,
                      row.is_for_size ? 1.01f : 1.03f,
                      config.favor_decode_speed};
  if (config.favor_decode_speed) {
    effort.conv1_required_saving = kFastDecodeWeightsSaving;
    effort.max_consecutive_order = std::min(effort.max_consecutive_order, kMaxFastDecodeOrder);
  }
  return effort;
}

}  // namespace numpact::internal
