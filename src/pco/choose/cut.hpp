// SPDX-License-Identifier: Apache-2.0
// Where numbers change so much that chunks with metadata of their own pay.
#ifndef NUMPACT_PCO_CHOOSE_CUT_HPP
#define NUMPACT_PCO_CHOOSE_CUT_HPP

#include <span>

#include "pco/choose/choice.hpp"

namespace numpact {

// Chunks but the last have so many numbers at least.
inline constexpr std::size_t kMinCutN = std::size_t{1} << 10;

struct CutPlan {
  std::span<const std::size_t> sizes;  // of the chunks, adding up to the numbers; at least one
  float bits = 0;                      // a number, by estimate: of the primary variable
  float uncut_bits = 0;                // the same in one chunk
};

// ordered: at least one number. choice: the best without Lookback for all of them in one chunk.
// What the plan points to lives in `arena`.
CutPlan plan_cuts(const LatentArray& ordered, const Choice& choice, unsigned level, Arena& arena);

}  // namespace numpact

#endif
