// SPDX-License-Identifier: Apache-2.0
// Samples of a chunk: runs of neighbouring numbers, so that deltas can be estimated on them.
#pragma once

#include "base/arena.hpp"
#include "number/latent_array.hpp"

namespace numpact::internal {

struct Sample {
  LatentArray latents;      // the runs, one after the other
  std::size_t run_n = 0;    // latents in each run; latents.n is a multiple
  float scale = 1;          // numbers of the chunk for each sampled one
  float decode_weight = 0;  // of estimates: bits that a nanosecond of decoding is worth
};

// Sample sizes for a chunk of n numbers. The default one is at most max_n.
std::size_t default_sample_n(std::size_t n, std::size_t max_n);
// For chunks in which rare numbers matter; at least max_n, if there are as many numbers.
std::size_t large_sample_n(std::size_t n, std::size_t max_n);

// Copies about sample_n of the latents, or all if that is hardly more. Deterministic. ordered: at
// least one.
Sample take_sample(const LatentArray& ordered, std::size_t sample_n, Arena& arena);

// How much the bits of a number may change from one sample to another of the same size: the
// standard error of the mean width of differences of neighbours, over the sample's runs. 0 for a
// sample of one run.
float spread_of_runs(const Sample& sample);

// Copies about subsample_n of a sample's latents: the first ones of its runs, or shorter runs if it
// has only one. Returns the sample itself if it has no more.
Sample take_subsample(const Sample& sample, std::size_t subsample_n, Arena& arena);

// n positions, n at least 1, evenly spread over `size` (below 2^44), in fixed point so that none
// needs a division.
class EvenPositions {
 public:
  EvenPositions(std::size_t size, std::size_t n)
      : step_((std::uint64_t{size} << kFractionBits) / n) {}
  std::size_t operator[](std::size_t j) const {
    return static_cast<std::size_t>((j * step_) >> kFractionBits);
  }

 private:
  // Fixed-point digits of the distance between positions, of 44 + 20 bits.
  static constexpr unsigned kFractionBits = 20;
  std::uint64_t step_;
};

}  // namespace numpact::internal
