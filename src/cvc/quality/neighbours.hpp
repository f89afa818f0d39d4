// SPDX-License-Identifier: Apache-2.0
// Finds the nearest of many vectors by exhaustive search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cvc/quality/distance.hpp"
#include "numpact/executor.hpp"

namespace numpact::cvc::quality {

struct Neighbour {
  float distance = 0;
  std::size_t row = 0;
  // Ties are broken by row.
  friend bool operator<(const Neighbour& a, const Neighbour& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.row < b.row;
  }
};

// Called with the number of queries answered.
using QueriesDone = std::function<void(std::size_t queries)>;

// The k nearest rows of `base` for each query, nearest first. Row i is excluded for query i.
// `queries`: contiguous rows with the dimension of the base. k must be below base.rows().
std::vector<Neighbour> nearest(const Panels& base, std::span<const float> queries, std::size_t k,
                               Measure measure, Executor& executor, const QueriesDone& done = {});

}  // namespace numpact::cvc::quality
