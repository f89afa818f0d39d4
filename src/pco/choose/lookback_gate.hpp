// SPDX-License-Identifier: Apache-2.0
// Whether a search for lookbacks is worth its time.
#ifndef NUMPACT_PCO_CHOOSE_LOOKBACK_GATE_HPP
#define NUMPACT_PCO_CHOOSE_LOOKBACK_GATE_HPP

#include "pco/choose/choice.hpp"
#include "pco/choose/lookback_trial.hpp"
#include "pco/choose/sample.hpp"

namespace numpact {

// page: ordered latents, the chunk's longest page.
bool may_look_back(const Sample& sample, const LatentArray& page, const Choice& choice,
                   const Trial& trial, Arena& arena);

}  // namespace numpact

#endif
