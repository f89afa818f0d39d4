// SPDX-License-Identifier: Apache-2.0
// Detects interleaved streams, and whatever else recurs within a few numbers, in a sample.
#pragma once

#include <cmath>

#include "base/arena.hpp"
#include "pco/encode/choice.hpp"
#include "pco/encode/estimate/sample.hpp"

namespace numpact::internal {

// The cost that the cost with lookbacks is compared with. The test examines only some latents of
// the sample, which may be cheaper than the others under any encoding. So they are compared with
// the request's bits for the whole sample, with their own cost without lookbacks, or with both.
enum class NearBaseline { kWholeSample, kSameLatents, kBoth };

// All in bits per latent of the primary variable.
struct NearRequest {
  float max_bits;    // limit, if each latent looks back at most kMaxFrequent
  float plain_bits;  // cost under the choice, by the sample
  NearBaseline baseline;
};

struct NearResult {
  bool is_met = false;
  // Bits per latent of the primary variable, as far as the test went; infinite if it did not start.
  float bits = HUGE_VALF;
};

// Whether the sample meets the request. It does not if its runs are not longer than kMaxFrequent.
NearResult look_back_nearby(const Sample& sample, const Choice& choice, const NearRequest& request,
                            Arena& arena);

}  // namespace numpact::internal
