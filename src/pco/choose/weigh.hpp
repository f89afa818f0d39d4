// SPDX-License-Identifier: Apache-2.0
// Estimated sizes of ways to encode a sample.
#ifndef NUMPACT_PCO_CHOOSE_WEIGH_HPP
#define NUMPACT_PCO_CHOOSE_WEIGH_HPP

#include "pco/choose/sample.hpp"
#include "pco/delta/deltas.hpp"
#include "pco/mode/split.hpp"

namespace numpact {

// Bits for each number of the chunk, metadata included, of one variable under consecutive delta of
// `order` (0: none). `latents` stay as they are.
float weigh_consecutive(const Sample& sample, const LatentArray& latents, unsigned order,
                        Arena& arena);

struct WeighedDelta {
  unsigned order = 0;
  float bits = 0;  // for each number
};

// The best order for a variable: tried one by one while it gets better.
WeighedDelta pick_order(const Sample& sample, const LatentArray& latents, Arena& arena);

}  // namespace numpact

#endif
