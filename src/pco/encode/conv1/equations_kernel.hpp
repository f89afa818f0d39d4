// SPDX-License-Identifier: Apache-2.0
// Sums of products of values with those at some lags before, and prediction errors. Every target
// adds in the same order, so results are the same everywhere.
#pragma once

#include <array>
#include <cstddef>

#include "pco/limits.hpp"

namespace numpact::internal {

// The most weights of a prediction.
inline constexpr unsigned kMaxLags = kMaxConv1Order;

// [j][k] is the sum of products of the values at lags j and k, k at most j. Lag 0 is the value
// itself.
using LagProducts = std::array<std::array<double, kMaxLags + 1>, kMaxLags + 1>;

// add_lag_products() reads this many doubles before `values`. Those beyond the order have no
// effect: vectors of lags are read whole.
inline constexpr std::size_t kLagPad = 48;

struct WeightedValues {
  const double* values;  // the value at lag j is at `values - j`
  const double* importances;
  std::size_t n;
};

// For each lag from 0 to max_lag, sums[lag] becomes the sum of values[i] * values[i - lag] over i
// from max_lag to n - 1, added in this order.
void lag_sums(const double* values, std::size_t n, std::size_t max_lag, double* sums);

// Adds (importance * value at lag j) * value at lag k for all pairs of lags up to `order`, one
// value after the other.
void add_lag_products(const WeightedValues& values, unsigned order, LagProducts& products);

// The errors of n predictions, each from the `order` values before: the value less weights[j] times
// the value at lag j + 1 for each j, subtracted one by one in this order.
void lag_errors(const double* values, std::size_t n, const double* weights, unsigned order,
                double* errors);

}  // namespace numpact::internal
