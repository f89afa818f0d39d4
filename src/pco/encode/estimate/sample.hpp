// SPDX-License-Identifier: Apache-2.0
// A part of a chunk to try things on: runs of neighbours, so that deltas show.
#ifndef NUMPACT_PCO_ENCODE_ESTIMATE_SAMPLE_HPP
#define NUMPACT_PCO_ENCODE_ESTIMATE_SAMPLE_HPP

#include "base/arena.hpp"
#include "number/latent_array.hpp"

namespace numpact {

struct Sample {
  LatentArray latents;    // the runs, one after the other
  std::size_t run_n = 0;  // length of each; latents.n is a multiple
  float scale = 1;        // numbers of the chunk for each in the sample
};

// How many of n numbers usually suffice, `most` at most, and how many where what matters is rare.
std::size_t usual_sample_n(std::size_t n, std::size_t most);
// Where hints leave less to find out.
std::size_t hinted_sample_n(std::size_t n);
std::size_t large_sample_n(std::size_t n, std::size_t most);

// About `wanted` of the latents. Deterministic. ordered: at least one; the result is a copy.
Sample take_sample(const LatentArray& ordered, std::size_t wanted, Arena& arena);

// About `wanted` of a sample's latents, or all: the begins of its runs, or shorter runs where it
// has one.
Sample take_few(const Sample& sample, std::size_t wanted, Arena& arena);

// n places, at least one, spread evenly over `size` (below 2^44), without a division for each.
class EvenPlaces {
 public:
  EvenPlaces(std::size_t size, std::size_t n) : step_((std::uint64_t{size} << kFraction) / n) {}
  std::size_t operator[](std::size_t j) const {
    return static_cast<std::size_t>((j * step_) >> kFraction);
  }

 private:
  static constexpr unsigned kFraction = 20;
  std::uint64_t step_;
};

}  // namespace numpact

#endif
