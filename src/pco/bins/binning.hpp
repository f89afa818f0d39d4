// SPDX-License-Identifier: Apache-2.0
// Bins and tANS weights of a latent variable.
#pragma once

#include "base/tuned.hpp"
#include "number/latent_array.hpp"
#include "pco/ans/bin.hpp"
#include "pco/bins/bin_optimizer.hpp"
#include "pco/bins/weights.hpp"
#include "pco/levels.hpp"
#include "pco/stats/narrow.hpp"

namespace numpact::internal {

// Series of up to this many numbers are short: a recipe saves time on them also where that costs a
// few bytes.
NUMPACT_TUNED(std::size_t, kMaxShortSeriesN, 4096);

// Effort by level.
struct BinningEffort {
  HistogramSpec histogram;
  TableSizes tables;
  float codes_penalty_share = 0;  // share of all bits that codes must save against a single bin,
  float codes_bits = 0;           // and bits per latent

  static BinningEffort of(const BinLevel& level, std::size_t n);
  // For a chunk that is encoded by a recipe: less for short ones.
  static BinningEffort of_recipe(const BinLevel& level, std::size_t n);
};

// Computes the bins and weights of all latents of a chunk's variable, whose latents have
// latent_bits bits in the format. Sets symbols[i] to the bin of latent i. No latents result in no
// bins. The bins live in the arena.
Binning make_binning(const NarrowLatents& latents, unsigned latent_bits,
                     const BinningEffort& effort, std::span<std::uint16_t> symbols, Arena& arena);

// Estimated bits of `sample` as a part of a chunk that is `scale` times as large with the same
// distribution: codes, offsets, and 1 / scale of the metadata. codes_bits: added for each latent if
// there is more than one bin; has_codes, if given, is set to that.
float estimate_bits(const LatentArray& sample, float scale, Arena& arena, float codes_bits = 0,
                    bool* has_codes = nullptr);
// The same if each value that repeats in the sample has a bin of its own, which estimate_bits()
// gives to the most frequent hundreds only.
float estimate_repeated_bits(const LatentArray& sample, float scale, Arena& arena);

}  // namespace numpact::internal
