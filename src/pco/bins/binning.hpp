// SPDX-License-Identifier: Apache-2.0
// Bins and tANS weights for a latent variable.
#ifndef NUMPACT_PCO_BINS_BINNING_HPP
#define NUMPACT_PCO_BINS_BINNING_HPP

#include "number/latent_array.hpp"
#include "pco/ans/bin.hpp"
#include "pco/bins/bin_optimizer.hpp"
#include "pco/bins/weights.hpp"
#include "pco/stats/narrow.hpp"

namespace numpact {

// How hard to try, by level.
struct BinningEffort {
  HistogramSpec histogram;
  TableSizes tables;
  float codes_toll = 0;  // the share that codes must save over one bin for all

  static BinningEffort of_level(unsigned level, std::size_t n);
};

// For all latents of a chunk's variable of latent_bits; without latents, no bins. symbols: one for
// each latent, become the bins that they are in.
Binning make_binning(const NarrowLatents& latents, unsigned latent_bits,
                     const BinningEffort& effort, std::span<std::uint16_t> symbols, Arena& arena);

// About how many bits the latents would take in a chunk `scale` times as large with the same
// distribution, per such sample: codes and offsets, and the metadata over the scale.
float estimate_bits(const LatentArray& sample, float scale, Arena& arena);

}  // namespace numpact

#endif
