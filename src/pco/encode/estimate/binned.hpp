// SPDX-License-Identifier: Apache-2.0
// Estimates of the size of a chunk under a mode and a delta encoding: coarse ones on a few hundred
// latents, and ones by bins on the whole sample.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "base/tuned.hpp"
#include "numpact/config.hpp"
#include "pco/delta/deltas.hpp"
#include "pco/encode/estimate/sample.hpp"
#include "pco/levels.hpp"
#include "pco/mode/split.hpp"

namespace numpact::internal {

// A way to encode a chunk and its estimated size.
struct Estimate {
  AnyMode mode;
  AnyDelta delta;
  float bits = HUGE_VALF;    // per number, metadata, penalty and decode_bits included
  float secondary_bits = 0;  // the secondary variable's part of the bits
  float penalty = 0;         // share that was added to the estimated bits
  // The second-best order of Consecutive (0: no delta) for the primary variable, and how many more
  // bits per number it takes.
  unsigned next_order = 0;
  float next_more_bits = HUGE_VALF;
  // Bits of the primary variable by order of Consecutive; infinite if not estimated.
  std::array<float, kMaxConsecutiveOrder + 1> by_order{};
  float decode_bits = 0;  // the part of the bits that stands for the time to decode
};

// Consecutive of the order; 0: no delta.
AnyDelta consecutive(unsigned order, bool secondary);

// Estimated bits per number of the chunk, metadata included, of one variable under Consecutive of
// `order` (0: no delta), with the price of decoding. Does not change `latents`. decode_ns: set to
// the time, if given.
float estimate_consecutive(const Sample& sample, const LatentArray& latents, unsigned order,
                           Arena& arena, float* decode_ns = nullptr);

// Orders of Consecutive, from 0 on, that every coarse estimate tries.
NUMPACT_TUNED(unsigned, kMinCoarseOrders, 3);

// The error of coarse estimates, between modes and between orders of Consecutive. Higher values
// cost encoding time.
NUMPACT_TUNED(float, kCoarseErrorRatio, 1.05f);
NUMPACT_TUNED(float, kCoarseErrorBitsPerNumber, 0.2f);
// The error of estimates by bins on a part of the sample.
NUMPACT_TUNED(float, kPartErrorRatio, 1.04f);
NUMPACT_TUNED(float, kPartErrorBitsPerNumber, 0.12f);

// Coarse bits per number of the primary variable without a delta and under Consecutive, by order,
// and of the secondary variable.
struct CoarseEstimate {
  std::array<float, kMaxConsecutiveOrder + 1> primary{};  // infinite if not estimated
  std::size_t orders = kMinCoarseOrders;                  // those that were tried
  float secondary = 0;
  // Hundreds of values of the secondary variable repeat: estimates with fewer are too high.
  bool secondary_repeats = false;
  // Orders within this ratio of the best one plus these bits may turn out to be the best.
  float error_ratio = kCoarseErrorRatio;
  float error_bits = kCoarseErrorBitsPerNumber;

  unsigned best_order() const {
    const auto* const best = std::min_element(primary.begin(), primary.end());
    return static_cast<unsigned>(best - primary.begin());
  }
  float min_primary() const { return *std::min_element(primary.begin(), primary.end()); }
  float bits() const { return min_primary() + secondary; }

  // Of an estimate on a part of the sample.
  static CoarseEstimate of_part(const Estimate& estimate, bool secondary_repeats) {
    CoarseEstimate coarse;
    coarse.secondary_repeats = secondary_repeats;
    coarse.primary = estimate.by_order;
    coarse.orders = kMinCoarseOrders;
    for (std::size_t order = kMinCoarseOrders; order < coarse.primary.size(); ++order) {
      if (coarse.primary[order] < HUGE_VALF) coarse.orders = order + 1;
    }
    coarse.error_ratio = kPartErrorRatio;
    coarse.error_bits = kPartErrorBitsPerNumber;
    return coarse;
  }
};
// Metadata that a coarse estimate may miss, in bits per number of a chunk of chunk_n numbers.
float unseen_meta_bits(float chunk_n);
// The error of a coarse estimate, in bits per number, between modes.
float coarse_error_bits(float coarse, float chunk_n);
// Whether a coarse estimate is so close to the smallest one that it may turn out to be the best.
bool is_near_best(float coarse, float min_coarse, float chunk_n);

// subsample: from take_subsample(). Orders from kMinCoarseOrders to max_order are estimated while
// they save much.
CoarseEstimate coarse_estimate(const AnyMode& mode, const Sample& subsample, unsigned max_order,
                               Arena& arena);

// Estimates the mode with the requested delta encoding, or if that is automatic with the best
// order of Consecutive. Orders whose coarse estimate is far from the best are left out. Requested
// delta encodings that cannot be estimated on a sample are ignored.
Estimate estimate_mode(const AnyMode& mode, const Sample& sample, const CoarseEstimate& coarse,
                       const DeltaSpec& delta, const EncodeEffort& effort, Arena& arena);

}  // namespace numpact::internal
