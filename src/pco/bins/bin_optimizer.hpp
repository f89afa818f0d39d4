// SPDX-License-Identifier: Apache-2.0
// Merges adjacent bins of a histogram so that their total cost is smallest, by a dynamic program
// over the ends of bins (docs/format/pco.md lists the costs).
#pragma once

#include "pco/stats/histogram.hpp"

namespace numpact::internal {

struct BinCosts {
  // Bits of one bin in the metadata.
  float meta_bits = 0;
  // Log2 of the states of the largest tANS table. A bin takes at least one state.
  unsigned max_size_log = 14;
};

template <Latent L>
struct OptimizedBins {
  Histogram<L> bins;
  // Estimated bits of codes, offsets and metadata.
  float total_bits = 0;
};

// `histogram` has at least one bin. The result lives in the arena.
template <Latent L>
OptimizedBins<L> optimize_bins(const Histogram<L>& histogram, const BinCosts& costs, Arena& arena);

}  // namespace numpact::internal
