// SPDX-License-Identifier: Apache-2.0
// Sums of products of values and those some places before, and how well these predict them.
#ifndef NUMPACT_PCO_ENCODE_CONV1_EQUATIONS_KERNEL_HPP
#define NUMPACT_PCO_ENCODE_CONV1_EQUATIONS_KERNEL_HPP

#include <array>
#include <cstddef>

#include "pco/limits.hpp"

namespace numpact {

// By the one's lag and the other's, at most as large. Lag 0: the value itself.
using LagProducts = std::array<std::array<double, kMaxConv1Order + 1>, kMaxConv1Order + 1>;

// How many doubles before `values` add_lag_products() reads, whatever they are.
inline constexpr std::size_t kLagPad = 48;

struct WeighedValues {
  const double* values;  // and those before, at `values` less their lag
  const double* importances;
  std::size_t n;
};

// sums[lag], for each lag from 0 to most_lag: of values[i] * values[i - lag] from i = most_lag on,
// added up in this order, so that they are the same everywhere.
void lag_sums(const double* values, std::size_t n, std::size_t most_lag, double* sums);

// Adds importance * value * value for all pairs of lags up to `order`, one value after the other,
// so that sums are the same everywhere.
void add_lag_products(const WeighedValues& values, unsigned order, LagProducts& products);

// What each of n values is more than its prediction from the `order` values before it; the weights
// are by lag, from 1 on, and their parts are taken off in this order.
void lag_errors(const double* values, std::size_t n, const double* weights, unsigned order,
                double* errors);

}  // namespace numpact

#endif
