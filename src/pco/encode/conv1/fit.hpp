// SPDX-License-Identifier: Apache-2.0
// Weights for Conv1.
#ifndef NUMPACT_PCO_ENCODE_CONV1_FIT_HPP
#define NUMPACT_PCO_ENCODE_CONV1_FIT_HPP

#include <optional>

#include "pco/encode/estimate/binned.hpp"

namespace numpact {

// Fits the primary latents of `ordered` under the mode. NoDelta where no valid weights are found,
// as for latents of one value.
AnyDelta fit_conv1(const AnyMode& mode, const LatentArray& ordered, unsigned order, Arena& arena);

struct WeighedConv1 {
  Conv1 conv;
  float bits = 0;  // for each number, metadata included
};

// The best order and weights for a variable of the sample, where that takes enough less than
// `to_beat` to be worth its slower decoding.
std::optional<WeighedConv1> weigh_conv1(const Sample& sample, const LatentArray& latents,
                                        float to_beat, const ChooseEffort& effort, Arena& arena);

}  // namespace numpact

#endif
