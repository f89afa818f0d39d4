// SPDX-License-Identifier: Apache-2.0
// Streams that take turns, and whatever else comes back after a few numbers, show in a sample.
#ifndef NUMPACT_PCO_ENCODE_LOOKBACK_DETECT_NEAR_HPP
#define NUMPACT_PCO_ENCODE_LOOKBACK_DETECT_NEAR_HPP

#include "base/arena.hpp"
#include "pco/encode/choice.hpp"
#include "pco/encode/estimate/sample.hpp"

namespace numpact {

// Some of a sample may take less than the rest, however they are encoded. So those that were looked
// at are compared with all of it, with what they take themselves as they are, or with both.
enum class NearComparison { kWithAll, kWithSame, kWithBoth };

// What a latent of the primary variable may take.
struct NearWish {
  float bits;        // at most, if each looks back no further than to the last kMaxFrequent
  float plain_bits;  // what it takes under the choice, by the sample
  NearComparison comparison;
};

bool may_look_back_nearby(const Sample& sample, const Choice& choice, const NearWish& wish,
                          Arena& arena);

}  // namespace numpact

#endif
