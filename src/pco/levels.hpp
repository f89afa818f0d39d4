// SPDX-License-Identifier: Apache-2.0
// How hard to look for the best way to encode, by level.
#ifndef NUMPACT_PCO_LEVELS_HPP
#define NUMPACT_PCO_LEVELS_HPP

#include <cstddef>

#include "numpact/config.hpp"

namespace numpact {

// From this level on, size counts for more than time.
inline constexpr unsigned kLevelForSize = 9;

// Of fewer latents the more weights fit errors, and take time.
inline constexpr std::size_t kFewForConv1 = std::size_t{1} << 13;

struct ChooseEffort {
  std::size_t max_sample_n = 0;   // numbers looked at in a long chunk
  unsigned max_order = 1;         // of Consecutive
  bool modes = false;             // others than Classic
  std::size_t max_weighed = 1;    // modes but FloatQuant weighed after a rough look
  bool divided_bases = false;     // parts of FloatMult's bases
  bool secondary_deltas = false;  // may be delta encoded
  bool dicts = false;
  float dict_least_bits = 0;  // that all numbers must take for one to be weighed
  // What a dictionary must promise to save before all numbers are looked at, and save in the end:
  // it takes a lookup for each number, in a table that may be large.
  float dict_promise = 0;
  float dict_toll = 0;
  bool lookback = false;
  unsigned max_conv1_order = 0;         // 0: none
  unsigned max_conv1_order_of_few = 0;  // of fewer than kFewForConv1 latents
  std::size_t conv1_fit_n = 0;          // latents of a reweighted fit
  unsigned conv1_rounds = 0;            // of reweighting
  float conv1_toll = 0;                 // Conv1 decodes slower: it must save this share
  std::size_t trials = 1;               // ways encoded in full, where several come near
  float misled = 1;  // another way is tried too if the best takes this times its estimate
  bool checks_classic = false;  // Classic without delta is encoded too, for comparison
  bool favors_decoding = false;

  static ChooseEffort of(const EncodeConfig& config);
};

}  // namespace numpact

#endif
