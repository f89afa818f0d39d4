// SPDX-License-Identifier: Apache-2.0
// Fits and estimates of Conv1, the delta with weights: linear prediction of a latent from those
// before it.
#pragma once

#include <optional>

#include "pco/encode/estimate/binned.hpp"

namespace numpact::internal {

// Chunks of fewer latents get at most effort.max_conv1_order_short weights: with few latents more
// weights fit noise, and fitting them takes time.
inline constexpr std::size_t kMinLongFitN = std::size_t{1} << 13;

// Whether a delta with weights was requested.
inline bool asks_for_weights(const DeltaSpec& spec) { return spec.delta() == Delta::kConv1; }

// Fits the primary latents of `ordered` under the mode, at a requested order. NoDelta if there are
// no valid weights, as for latents of one value.
AnyDelta fit_delta(const AnyMode& mode, const LatentArray& ordered, unsigned order, Arena& arena);

struct FittedDelta {
  AnyDelta delta;
  float bits = 0;  // per number, metadata included
};

// Whether weights apply to primary latents of this width and are worth fitting for a chunk that
// takes chunk_bits without them.
bool may_have_weights(unsigned latent_bits, float chunk_bits);

// The best order and weights for one variable of the sample; nullopt unless they take less than
// `to_beat` bits per number by effort.conv1_required_saving_share, which pays for slower decoding.
std::optional<FittedDelta> estimate_fitted(const Sample& sample, const LatentArray& latents,
                                           float to_beat, const EncodeEffort& effort, Arena& arena);

}  // namespace numpact::internal
