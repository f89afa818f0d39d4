// SPDX-License-Identifier: Apache-2.0
// tANS weights from counts.
#pragma once

#include <cstdint>
#include <span>

#include "base/arena.hpp"
#include "base/tuned.hpp"

namespace numpact::internal {

struct WeightsChoice {
  unsigned size_log = 0;
  std::span<const std::uint32_t> weights;  // at least 1 each, adding up to 2^size_log
};

// Log2 of the states of the largest table that leaves most of the L1 cache to other data while it
// is used: 2^10 states take 8 KiB in the decoder.
NUMPACT_TUNED(unsigned, kSmallTableSizeLog, 10);

struct TableSizes {
  unsigned max_size_log = 0;
  // Saving that a table beyond kSmallTableSizeLog must reach against the best smaller one, as a
  // share of the bits of codes and weights. It stands for the slower decoding.
  double large_table_penalty_share = 0;
};

// Chooses the cheapest table size, from ceil(log2(bins)) on, and weights close to the counts. The
// cost includes the metadata of size_log bits per bin. A single count results in size_log 0.
WeightsChoice choose_weights(std::span<const std::uint32_t> counts, const TableSizes& sizes,
                             Arena& arena);

}  // namespace numpact::internal
