// SPDX-License-Identifier: Apache-2.0
// The nearest of many vectors, by looking at all of them.
#ifndef NUMPACT_CLI_CVC_QUALITY_NEIGHBOURS_HPP
#define NUMPACT_CLI_CVC_QUALITY_NEIGHBOURS_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cvc/quality/distance.hpp"
#include "numpact/executor.hpp"

namespace numpact::cli {

struct Neighbour {
  float distance = 0;
  std::size_t row = 0;
  // Of equal distances the first row's.
  friend bool operator<(const Neighbour& a, const Neighbour& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.row < b.row;
  }
};

// Told how many queries have been answered.
using QueriesDone = std::function<void(std::size_t queries)>;

// The k nearest rows of `base` for each query, the nearest first; row i is left out for query i.
// `queries`: row by row, as many values as in a row of the base. k is below base.rows().
std::vector<Neighbour> nearest(const Panels& base, std::span<const float> queries, std::size_t k,
                               Measure measure, Executor& executor, const QueriesDone& done = {});

}  // namespace numpact::cli

#endif
