// SPDX-License-Identifier: Apache-2.0
// Recognises random and encrypted numbers, of which an encoder can save nothing, before it looks
// for what it might save.
#pragma once

#include "base/arena.hpp"
#include "number/latent_array.hpp"
#include "pco/levels.hpp"

namespace numpact::internal {

// Whether the latents look like independent ones with uniform bits: no test finds bins, a base, a
// delta encoding or repetition by which they would take fewer bits. A few of many random arrays
// fail a test by chance; what can save about a hundredth fails for certain. Latents of 8 and 16
// bits, and fewer than 2,048, are never taken for random: their estimates take little time.
bool looks_random(const LatentArray& ordered, const PrefilterLevel& level, Arena& arena);

}  // namespace numpact::internal
