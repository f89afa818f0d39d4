// SPDX-License-Identifier: Apache-2.0
// What each level does: one row for each, the only place that looks at a level's number. A higher
// level takes more time to encode and makes smaller chunks. docs/benchmarks/levels.md shows the
// table; tests/unit/levels_test.cpp compares the two.
#pragma once

#include <cstddef>

#include "numpact/config.hpp"

namespace numpact::internal {

// From this level on, size counts for more than encoding time.
inline constexpr unsigned kLevelForSize = 9;

// The level at which refinement encodes its attempts, whatever level was requested: higher ones
// take longer, lower ones choose differently.
inline constexpr unsigned kRefineLevel = 8;

// The choice of a mode and a delta encoding. Shares are fractions of the estimated size.
struct ModeLevel {
  unsigned sample_n_log2;          // numbers of a long chunk that are sampled
  unsigned max_consecutive_order;  // highest order of Consecutive
  bool all_modes;                  // propose other modes than Classic
  std::size_t max_estimated;  // modes estimated after the coarse pass, independent ones excluded
  bool base_divisors;         // propose fractions of a FloatMult base
  bool secondary_deltas;      // delta encode the secondary variable
  bool dicts;
  bool lookback;
  unsigned max_conv1_order;        // weights of a delta; 0: none are fitted
  unsigned max_conv1_order_short;  // of chunks of fewer than kMinLongFitN latents
  unsigned conv1_reweight_n_log2;  // latents used by a reweighted fit
  unsigned conv1_reweight_rounds;
  float conv1_required_saving;  // share that weights must save, since they decode slowly
  std::size_t max_attempts;     // alternatives encoded in full if their estimates are close
  bool attempts_classic;        // also encode Classic without delta, for comparison
};

// The bins of a variable and the table of its codes.
struct BinLevel {
  bool one_bin;                // no search: a single bin
  std::size_t max_groups;      // groups of neighbouring values that bins are made of
  std::size_t max_values;      // frequent values that can be bins of their own
  unsigned max_sample_stride;  // one latent in this many is sorted at least
  unsigned max_table_log2;     // states of a table
};

// The search for lookbacks. A sample of the latents teaches what each lookback costs.
struct LookbackLevel {
  unsigned learn_one_in;      // one latent in this many is in the sample,
  unsigned min_learn_n_log2;  // but at least this many
  unsigned max_learn_n_log2;  // and at most this many
  unsigned short_one_in;      // short pages use up to one in this many, the shortest more
  unsigned rounds;            // how often the costs are learned anew
  unsigned max_frequent;      // frequent lookbacks that are compared for each latent
  bool compares_more;         // one more round compares kMaxMoreFrequent, on long pages or samples
  unsigned no_error_n;        // the costs of a sample of this many latents are taken as exact
};

// The division of a run into segments, which become chunks of their own.
struct SegmentLevel {
  bool segments;
  bool hints;               // short segments consider only what suits the run
  float min_saving;         // share that a plan must save,
  float min_coarse_saving;  // and a coarse plan for a full one to be made
  float min_saving_short;   // the same for runs of fewer than kMinSampledPlanN numbers
  float min_coarse_saving_short;
  std::size_t refine_per_number;  // numbers that refinement encodes, per number; 0: none
  std::size_t refine_rounds;
  bool splits_at_quarters;  // also at quarters of a segment
  bool moves_boundaries;
};

struct Level {
  ModeLevel modes;
  BinLevel bins;
  LookbackLevel lookback;
  SegmentLevel segments;
  bool is_for_size;  // size counts for more than time: constants named ...ForSize apply
};

bool is_level(unsigned level);
// The row of a level that is_level().
const Level& level_row(unsigned level);
inline bool is_for_size(unsigned level) { return level_row(level).is_for_size; }

// The choice of a mode and a delta encoding for a configuration.
struct EncodeEffort : ModeLevel {
  // Smallest estimated chunk, in bits, for which a dictionary is considered: below
  // kLevelForSize, making one takes longer than small chunks are worth.
  float min_dict_chunk_bits;
  // Share that a dictionary must save on the sample before all numbers are counted.
  float dict_required_saving;
  // Share added to the estimate of a dictionary: decoding looks up each number in a table that may
  // be large.
  float dict_penalty;
  // An alternative is also encoded if the smallest encoding so far takes more than this multiple of
  // the alternative's estimate.
  float estimate_error_ratio;
  bool favors_decode_speed;

  std::size_t max_sample_n() const { return std::size_t{1} << sample_n_log2; }
  std::size_t conv1_reweight_n() const { return std::size_t{1} << conv1_reweight_n_log2; }

  static EncodeEffort of(const EncodeConfig& config);
};

}  // namespace numpact::internal
