// SPDX-License-Identifier: Apache-2.0
// Estimated sizes of ways to encode a sample.
#ifndef NUMPACT_PCO_ENCODE_ESTIMATE_BINNED_HPP
#define NUMPACT_PCO_ENCODE_ESTIMATE_BINNED_HPP

#include <algorithm>
#include <array>
#include <cmath>

#include "numpact/config.hpp"
#include "pco/delta/deltas.hpp"
#include "pco/encode/estimate/sample.hpp"
#include "pco/levels.hpp"
#include "pco/mode/split.hpp"

namespace numpact {

// A way to encode a chunk and what it would take.
struct Weighed {
  AnyMode mode;
  AnyDelta delta;
  float bits = HUGE_VALF;    // for each number, metadata included
  float secondary_bits = 0;  // of them
  float toll = 0;            // the share that was added to what was estimated
  // The next best Consecutive or None of the primary variable, and what it takes more.
  unsigned next_order = 0;
  float next_more_bits = HUGE_VALF;
};

// Bits for each number of the chunk, metadata included, of one variable under consecutive delta of
// `order` (0: none). `latents` stay as they are.
float weigh_consecutive(const Sample& sample, const LatentArray& latents, unsigned order,
                        Arena& arena);

// Rough bits for each number under None and Consecutive of order 1 and 2 of the primary variable,
// and of the secondary one, on a few of the sample's latents.
struct RoughCost {
  std::array<float, 3> primary{};
  float secondary = 0;

  float least_primary() const { return std::min({primary[0], primary[1], primary[2]}); }
  float bits() const { return least_primary() + secondary; }
};
// What a rough look at a chunk of so many numbers may miss, for each.
float unseen_bits(float chunk_n);
// Whether a rough cost is so near the least one that it may turn out the best.
bool is_near(float rough, float least, float chunk_n);

// few: as take_few() makes it.
RoughCost rough_cost(const AnyMode& mode, const Sample& few, Arena& arena);

// The mode with the delta that was asked for, or with None or the best Consecutive. Deltas that
// cannot be weighed on a sample say nothing about the mode. Orders that are rough_cost()ed far from
// the best are left out.
Weighed weigh_mode(const AnyMode& mode, const Sample& sample, const RoughCost& rough,
                   const DeltaSpec& delta, const ChooseEffort& effort, Arena& arena);

}  // namespace numpact

#endif
