// SPDX-License-Identifier: Apache-2.0
// From counts to tANS weights.
#ifndef NUMPACT_PCO_BINS_WEIGHTS_HPP
#define NUMPACT_PCO_BINS_WEIGHTS_HPP

#include <cstdint>
#include <span>

#include "base/arena.hpp"

namespace numpact {

struct WeightsChoice {
  unsigned size_log = 0;
  std::span<const std::uint32_t> weights;  // at least 1 each, adding up to 2^size_log
};

// Tables of so many states leave a first-level cache to others when they are walked.
inline constexpr unsigned kSmallTableLog = 10;

struct TableSizes {
  unsigned max_size_log = 0;
  // What a table beyond kSmallTableLog must save against the best smaller one, as a share of the
  // bits of codes and weights.
  double toll = 0;
};

// Chooses the table size from ceil(log2(bins)) on that costs least, the metadata (size_log bits a
// bin) counted, and weights close to the counts. One count: size_log 0.
WeightsChoice choose_weights(std::span<const std::uint32_t> counts, const TableSizes& sizes,
                             Arena& arena);

}  // namespace numpact

#endif
