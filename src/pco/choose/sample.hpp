// SPDX-License-Identifier: Apache-2.0
// A part of a chunk to try things on: runs of neighbours, so that deltas show.
#ifndef NUMPACT_PCO_CHOOSE_SAMPLE_HPP
#define NUMPACT_PCO_CHOOSE_SAMPLE_HPP

#include "base/arena.hpp"
#include "number/latent_array.hpp"

namespace numpact {

struct Sample {
  LatentArray latents;    // the runs, one after the other
  std::size_t run_n = 0;  // length of each; latents.n is a multiple
  float scale = 1;        // numbers of the chunk for each in the sample
};

// Deterministic. ordered: at least one latent; the result is a copy.
Sample take_sample(const LatentArray& ordered, Arena& arena);

}  // namespace numpact

#endif
