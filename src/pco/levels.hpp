// SPDX-License-Identifier: Apache-2.0
// The effort of each level: one row for each, the only place that looks at a level's number. A
// higher level takes more time to encode and makes smaller chunks. docs/benchmarks/levels.md shows
// the table; tests/unit/levels_test.cpp compares the two.
#pragma once

#include <cstddef>

#include "numpact/config.hpp"

namespace numpact::internal {

// The level at which refinement encodes its attempts, whatever level was requested: higher ones
// take longer, lower ones choose differently.
inline constexpr unsigned kRefineLevel = 8;

// The columns are grouped by the stage that reads them. Their values were set by the sizes of the
// shared columns (`./dev bench sizes`) against the time to encode and decode them (`./dev bench
// levels`); figures in comments are of the commit that set the value.
//
// Comments that say what halving or doubling a value does to the bytes were measured by `numpact
// compress --level 8 -j1` on 55 shared columns: the first 300,000 numbers of every third column,
// and the first 1,100,000 of some. Shares are fractions of the estimated size, and ratios are
// multiples of it. A penalty is added to the estimate of an encoding that decodes slowly. From
// level 9 on size counts for more than time, so penalties and margins are smaller.

// The choice of a mode and a delta encoding.
struct ModeLevel {
  unsigned sample_n_log2;          // numbers of a long chunk that are sampled
  unsigned max_consecutive_order;  // highest order of Consecutive
  bool all_modes;                  // propose other modes than Classic
  std::size_t max_estimated;  // modes estimated after the coarse pass, independent ones excluded
  bool base_divisors;         // propose fractions of a FloatMult base
  bool secondary_deltas;      // delta encode the secondary variable
  bool dicts;
  bool lookback;
  std::size_t max_attempts;  // alternatives encoded in full if their estimates are close
  bool attempts_classic;     // also encode Classic without delta, for comparison
  // Where attempts are cheap, alternatives within this ratio of the best estimate are encoded.
  float close_estimate_ratio;
  // Where they are not, an alternative is encoded if the smallest encoding so far takes more than
  // this multiple of the alternative's estimate.
  float estimate_error_ratio;
};

struct DictLevel {
  // Share that a dictionary must save on the sample before all numbers are counted.
  float dict_required_saving_share;
  // Decoding looks up each number in a table that may be large.
  float dict_penalty_share;
};

struct Conv1Level {
  unsigned max_conv1_order;        // weights of a delta; 0: none are fitted
  unsigned max_conv1_order_short;  // of chunks of fewer than kMinLongFitN latents
  unsigned conv1_reweight_n_log2;  // latents used by a reweighted fit
  unsigned conv1_reweight_rounds;
  float conv1_required_saving_share;  // that weights must save, since they decode slowly
};

// The bins of a variable and the table of its codes.
struct BinLevel {
  bool one_bin;                      // no search: a single bin
  std::size_t max_groups;            // groups of neighbouring values that bins are made of
  std::size_t many_latents_n;        // latents for each group beyond the first kMaxSmallGroupsN
  bool limits_short_series;          // fewer groups and values in short chunks made by a recipe
  std::size_t max_values;            // frequent values that can be bins of their own
  unsigned max_sample_stride;        // one latent in this many is sorted at least,
  unsigned min_sample_n_log2;        // and at least this many
  unsigned max_table_log2;           // states of a table
  double large_table_penalty_share;  // for tables beyond kSmallTableSizeLog
  float codes_penalty_share;         // for more than one bin, since a single one has no codes
};

// The evaluation of Lookback.
struct LookbackLevel {
  // A search gives up if its costs, which are too high at first, exceed this multiple of the bits
  // without Lookback. 0: it gives up at the saving that Lookback must reach.
  float give_up_ratio;
  // Where Lookback is not promising for a run, it is attempted in few of its segments.
  bool skips_segments;
};

// The tests before a search. Higher shares and bits start fewer searches but miss small savings:
// half of saving_share makes 0.051 % fewer bytes, twice of it 0.027 % more.
struct PrefilterLevel {
  float saving_share;             // that a test must show,
  float saving_share_vs_weights;  // and next to weights, which decode as slowly as Lookback
  // Additional saving where only single values repeat: the distance to an equal value takes about
  // as many bits as the value itself, so such savings are often not real.
  float value_margin_share;
  // The same under a delta: values that repeat tend to be closer to their neighbours than others,
  // so the current delta stores them in fewer bits than estimated.
  float value_error_share;
  // Additional saving of a short page in the near test, for the time of a search.
  float search_time_page_bits;
  bool windows_of_long_pages;  // repeats are counted in three windows of a long page
};

// The search for lookbacks. A sample of the latents teaches what each lookback costs.
struct SearchLevel {
  unsigned learn_one_in;        // one latent in this many is in the sample,
  unsigned min_learn_n_log2;    // but at least this many
  unsigned max_learn_n_log2;    // and at most this many
  unsigned short_one_in;        // short pages use up to one in this many, the shortest more
  unsigned rounds;              // how often the costs are learned anew
  unsigned max_frequent;        // frequent lookbacks that are compared for each latent
  unsigned no_error_n;          // the costs of a sample of this many latents are taken as exact
  unsigned long_page_prefixes;  // lengths of prefixes by which similar latents are found there
};

// The division of a run into segments, which become chunks of their own. Half of min_saving makes
// 0.007 % fewer bytes, twice of it 0.023 % more.
struct SegmentLevel {
  unsigned max_run_n_log2;  // numbers of a run: automatic_chunk_n()
  bool segments;
  unsigned min_run_n_log2;          // shorter runs are not divided: it rarely saves enough
  unsigned min_coarse_plan_n_log2;  // numbers that a coarse plan samples at least
  unsigned shared_bins_n_log2;      // latents that the bins of all blocks are made of
  bool counts_all;          // the full plan counts all numbers, not half of those of long runs
  float min_saving;         // share that a plan must save,
  float min_coarse_saving;  // and a coarse plan for a full one to be made
  float min_saving_short;   // the same for runs of fewer than kMinSampledPlanN numbers
  float min_coarse_saving_short;
};

// The refinement of a division by encoding its segments.
struct RefineLevel {
  std::size_t encoded_per_number;  // numbers that it encodes, per number of the run; 0: none
  std::size_t rounds;
  bool splits_at_quarters;  // also at quarters of a segment
  bool moves_boundaries;
};

// Scratch memory for each number.
struct ScratchLevel {
  unsigned copies;       // of the number
  unsigned other_bytes;  // positions, counts, symbols and lookbacks
};

struct Level {
  ModeLevel modes;
  DictLevel dict;
  Conv1Level conv1;
  BinLevel bins;
  LookbackLevel lookback;
  PrefilterLevel prefilter;
  SearchLevel search;
  SegmentLevel segments;
  RefineLevel refine;
  ScratchLevel scratch;
};

bool is_level(unsigned level);
// The row of a level that is_level().
const Level& level_row(unsigned level);

#ifdef NUMPACT_ABLATION
// Enters the columns of a level's row as tuned constants.
void tune_level(unsigned level);
#endif

// Bits per number that a nanosecond of decoding is worth.
float decode_weight(const EncodeConfig& config);

// The choice of a mode and a delta encoding for a configuration.
struct EncodeEffort : ModeLevel, DictLevel, Conv1Level {
  float decode_weight;  // bits per number that a nanosecond of decoding is worth

  std::size_t max_sample_n() const { return std::size_t{1} << sample_n_log2; }
  std::size_t conv1_reweight_n() const { return std::size_t{1} << conv1_reweight_n_log2; }

  static EncodeEffort of(const EncodeConfig& config);
};

}  // namespace numpact::internal
