// SPDX-License-Identifier: Apache-2.0
// Weights for Conv1.
#ifndef NUMPACT_PCO_CHOOSE_CONV1_FIT_HPP
#define NUMPACT_PCO_CHOOSE_CONV1_FIT_HPP

#include "base/arena.hpp"
#include "number/latent_array.hpp"
#include "pco/delta/deltas.hpp"
#include "pco/mode/modes.hpp"

namespace numpact {

// Fits the primary latents of `ordered` under the mode by least squares. NoDelta where no valid
// weights are found, as for latents of one value.
AnyDelta fit_conv1(const AnyMode& mode, const LatentArray& ordered, unsigned order, Arena& arena);

}  // namespace numpact

#endif
