// SPDX-License-Identifier: Apache-2.0
// Estimates the best dictionary for a chunk: the order of its entries and the delta encoding.
#pragma once

#include <optional>

#include "base/tuned.hpp"
#include "pco/encode/estimate/binned.hpp"

namespace numpact::internal {

// A dictionary that takes less than this ratio of the bits of other modes is clearly better: it is
// also tried with Lookback if one of them was accepted, and segments are planned by it.
NUMPACT_TUNED(float, kClearDictRatio, 0.9f);

// The best dictionary, or nullopt if none can save enough compared with `to_beat`, the best
// estimate without one. Tests on the sample come first, unless the
// dictionary is_known to save enough on another sample; the entries are counted over all of
// `ordered`. They are allocated in `arena`.
std::optional<Estimate> estimate_dict(const LatentArray& ordered, const Sample& sample,
                                      const Estimate& to_beat, bool is_known,
                                      const EncodeEffort& effort, Arena& arena);

}  // namespace numpact::internal
