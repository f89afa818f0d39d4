// SPDX-License-Identifier: Apache-2.0
// The effort of each level: how many alternatives the encoder estimates and encodes.
#ifndef NUMPACT_PCO_LEVELS_HPP
#define NUMPACT_PCO_LEVELS_HPP

#include <cstddef>

#include "numpact/config.hpp"

namespace numpact {

// From this level on, size counts for more than encoding time.
inline constexpr unsigned kLevelForSize = 9;

// Chunks of fewer latents get at most EncodeEffort::max_conv1_order_short Conv1 weights: with few
// latents more weights fit noise, and fitting them takes time.
inline constexpr std::size_t kMinLongConv1N = std::size_t{1} << 13;

// Limits of the search for a mode and a delta encoding. Shares are fractions of the estimated size.
struct EncodeEffort {
  std::size_t max_sample_n = 0;        // numbers of a long chunk that are sampled
  unsigned max_consecutive_order = 1;  // highest order of Consecutive
  bool all_modes = false;              // propose other modes than Classic
  std::size_t max_estimated_modes =
      1;                          // modes estimated after the coarse pass; FloatQuant excluded
  bool base_divisors = false;     // propose fractions of a FloatMult base
  bool secondary_deltas = false;  // delta encode the secondary variable
  bool dicts = false;
  // Smallest estimated chunk, in bits, for which a dictionary is considered.
  float min_dict_chunk_bits = 0;
  // Share that a dictionary must save on the sample before all numbers are counted.
  float dict_required_saving = 0;
  // Share added to the estimate of a dictionary: decoding looks up each number in a table that may
  // be large.
  float dict_penalty = 0;
  bool lookback = false;
  unsigned max_conv1_order = 0;        // 0: no Conv1
  unsigned max_conv1_order_short = 0;  // of chunks of fewer than kMinLongConv1N latents
  std::size_t conv1_reweight_n = 0;    // latents used by a reweighted fit
  unsigned conv1_reweight_rounds = 0;
  float conv1_required_saving = 0;  // share that Conv1 must save, since it decodes slowly
  std::size_t max_attempts = 1;     // alternatives encoded in full if their estimates are close
  // A second alternative is encoded if the first one's size exceeds its estimate by this factor.
  float estimate_error_margin = 1;
  bool attempts_classic = false;  // also encode Classic without delta, for comparison
  bool favors_decode_speed = false;

  static EncodeEffort of(const EncodeConfig& config);
};

}  // namespace numpact

#endif
