// SPDX-License-Identifier: Apache-2.0
// Sums of products of values and those some places before.
#ifndef NUMPACT_PCO_CHOOSE_LINEAR_FIT_KERNEL_HPP
#define NUMPACT_PCO_CHOOSE_LINEAR_FIT_KERNEL_HPP

#include <cstddef>

namespace numpact {

// sums[lag], for each lag from 0 to most_lag: of values[i] * values[i - lag] from i = most_lag on,
// added up in this order, so that they are the same everywhere.
void lag_sums(const double* values, std::size_t n, std::size_t most_lag, double* sums);

}  // namespace numpact

#endif
