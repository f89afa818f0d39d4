// SPDX-License-Identifier: Apache-2.0
// Detects interleaved streams, and whatever else recurs within a few numbers, in a sample.
#pragma once

#include <cmath>

#include "base/arena.hpp"
#include "pco/encode/choice.hpp"
#include "pco/encode/estimate/sample.hpp"

namespace numpact::internal {

struct NearResult {
  bool is_met = false;
  // Bits per latent of the primary variable, as far as the test went; infinite if it did not start.
  float bits = HUGE_VALF;
};

// Whether the primary latents of the sample take less than max_bits each if they look back at most
// kMaxFrequent. Never if its runs are not longer than that.
NearResult look_back_nearby(const Sample& sample, const AnyMode& mode, float max_bits,
                            Arena& arena);

}  // namespace numpact::internal
