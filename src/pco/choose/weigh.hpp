// SPDX-License-Identifier: Apache-2.0
// Estimated sizes of ways to encode a sample.
#ifndef NUMPACT_PCO_CHOOSE_WEIGH_HPP
#define NUMPACT_PCO_CHOOSE_WEIGH_HPP

#include <array>
#include <cmath>

#include "numpact/config.hpp"
#include "pco/choose/choose_effort.hpp"
#include "pco/choose/sample.hpp"
#include "pco/delta/deltas.hpp"
#include "pco/mode/split.hpp"

namespace numpact {

// A way to encode a chunk and what it would take.
struct Weighed {
  AnyMode mode;
  AnyDelta delta;
  float bits = HUGE_VALF;    // for each number, metadata included
  float secondary_bits = 0;  // of them
};

// Bits for each number of the chunk, metadata included, of one variable under consecutive delta of
// `order` (0: none). `latents` stay as they are.
float weigh_consecutive(const Sample& sample, const LatentArray& latents, unsigned order,
                        Arena& arena);

// The mode with the delta that was asked for, or with None or the best Consecutive. Deltas that
// cannot be weighed on a sample say nothing about the mode.
Weighed weigh_mode(const AnyMode& mode, const Sample& sample, const DeltaSpec& delta,
                   const ChooseEffort& effort, Arena& arena);

}  // namespace numpact

#endif
