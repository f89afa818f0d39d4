// SPDX-License-Identifier: Apache-2.0
// Fits and estimates of Conv1, linear prediction of a latent from those before it.
#ifndef NUMPACT_PCO_ENCODE_CONV1_FIT_HPP
#define NUMPACT_PCO_ENCODE_CONV1_FIT_HPP

#include <optional>

#include "pco/encode/estimate/binned.hpp"

namespace numpact {

// Fits the primary latents of `ordered` under the mode, at a requested order. NoDelta if there are
// no valid weights, as for latents of one value.
AnyDelta fit_conv1(const AnyMode& mode, const LatentArray& ordered, unsigned order, Arena& arena);

struct Conv1Estimate {
  Conv1 conv;
  float bits = 0;  // per number, metadata included
};

// The best order and weights for one variable of the sample; nullopt unless they take less than
// `to_beat` bits per number by effort.conv1_required_saving, which pays for slower decoding.
std::optional<Conv1Estimate> estimate_conv1(const Sample& sample, const LatentArray& latents,
                                            float to_beat, const EncodeEffort& effort,
                                            Arena& arena);

}  // namespace numpact

#endif
