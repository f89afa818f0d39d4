// SPDX-License-Identifier: Apache-2.0
// Merges neighbouring bins of a histogram where that makes the whole cheaper: a dynamic program
// over the ends of bins (docs/format/pco.md names the costs).
#ifndef NUMPACT_PCO_BINS_BIN_OPTIMIZER_HPP
#define NUMPACT_PCO_BINS_BIN_OPTIMIZER_HPP

#include "pco/stats/histogram.hpp"

namespace numpact {

struct BinCosts {
  // Of one more bin in the metadata, in bits.
  float meta_bits = 0;
  // Of a tANS table: a bin takes at least one of 2^max_size_log states.
  unsigned max_size_log = 14;
};

template <Latent L>
struct OptimizedBins {
  Histogram<L> bins;
  // Estimated: codes, offsets and costs.meta_bits for each bin.
  float total_bits = 0;
};

template <Latent L>
OptimizedBins<L> optimize_bins(const Histogram<L>& histogram, const BinCosts& costs, Arena& arena);

}  // namespace numpact

#endif
