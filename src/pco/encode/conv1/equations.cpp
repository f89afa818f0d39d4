// SPDX-License-Identifier: Apache-2.0
// The normal equations of linear prediction, and their solution by Cholesky decomposition.
#include "pco/encode/conv1/equations.hpp"

#include <algorithm>
#include <cmath>

#include "base/tuned.hpp"
#include "pco/encode/conv1/equations_kernel.hpp"

namespace numpact::internal {
namespace {

// Added to the diagonal, as a share of its sum, so that lags with nearly equal values have a
// solution.
NUMPACT_TUNED(double, kRidgeShare, 1e-9);

// Values that are processed at a time, so that they stay in the L1 cache.
constexpr std::size_t kLagSliceN = 256;

}  // namespace

LagEquations::LagEquations(const CentredRuns& runs, unsigned order) : order_(order) {
  const std::size_t run_n = runs.run_n;
  Matrix diagonals{};  // [j][lag] is the product of lags j and j + lag
  for (std::size_t from = 0; from + run_n <= runs.values.size(); from += run_n) {
    const double* const x = runs.values.data() + from;
    std::array<double, kMaxColumns> sums;
    lag_sums(x, run_n, order, sums.data());
    total_ += static_cast<double>(run_n - order);
    for (unsigned lag = 0; lag <= order; ++lag) diagonals[0][lag] += sums[lag];
    // From one element of a diagonal to the next, the sum gains a product at one end of the run and
    // loses one at the other.
    for (unsigned j = 0; j < order; ++j) {
      const double* const first = x + (order - 1 - j);
      const double* const last = x + (run_n - 1 - j);
      for (unsigned lag = 0; j + 1 + lag <= order; ++lag) {
        sums[lag] += *first * *(first - lag) - *last * *(last - lag);
        diagonals[j + 1][lag] += sums[lag];
      }
    }
  }
  for (unsigned j = 0; j <= order; ++j) {
    for (unsigned lag = 0; j + lag <= order; ++lag) products_[j + lag][j] = diagonals[j][lag];
  }
}

LagEquations::LagEquations(const CentredRuns& runs, std::span<const double> importances,
                           unsigned order)
    : order_(order) {
  const std::size_t run_n = runs.run_n;
  std::array<double, kLagPad + kLagSliceN> buffer{};
  double* const values = buffer.data() + kLagPad;
  for (std::size_t from = 0; from + run_n <= runs.values.size(); from += run_n) {
    for (std::size_t i = from + order; i < from + run_n; i += kLagSliceN) {
      const std::size_t n = std::min(kLagSliceN, from + run_n - i);
      std::copy_n(runs.values.data() + (i - order), order + n, values - order);
      add_lag_products({values, importances.data() + i, n}, order, products_);
      for (std::size_t k = 0; k < n; ++k) total_ += importances[i + k];
    }
  }
}

unsigned LagEquations::factor(unsigned order, Matrix& triangle,
                              std::array<double, kMaxColumns>& targets) const {
  double trace = 0;
  for (unsigned j = 1; j <= order; ++j) trace += products_[j][j];
  if (!(trace > 0)) return 0;
  for (unsigned j = 0; j < order; ++j) {
    for (unsigned k = 0; k <= j; ++k) {
      double sum = products_[j + 1][k + 1] + (k == j ? kRidgeShare * trace : 0);
      for (unsigned i = 0; i < k; ++i) sum -= triangle[j][i] * triangle[k][i];
      if (k == j && !(sum > 0)) return j;
      triangle[j][k] = k == j ? std::sqrt(sum) : sum / triangle[k][k];
    }
    double sum = products_[j + 1][0];
    for (unsigned i = 0; i < j; ++i) sum -= triangle[j][i] * targets[i];
    targets[j] = sum / triangle[j][j];
  }
  return order;
}

bool LagEquations::solve(unsigned order, LagWeights& weights) const {
  Matrix triangle;
  std::array<double, kMaxColumns> targets;
  if (factor(order, triangle, targets) < order) return false;
  for (unsigned j = order; j-- > 0;) {
    double sum = targets[j];
    for (unsigned i = j + 1; i < order; ++i) sum -= triangle[i][j] * weights[i];
    weights[j] = sum / triangle[j][j];
  }
  return true;
}

LagErrors LagEquations::errors() const {
  Matrix triangle;
  std::array<double, kMaxColumns> targets;
  const unsigned solved = factor(order_, triangle, targets);
  LagErrors errors{};
  double remaining = products_[0][0];
  for (unsigned j = 0; j <= order_; ++j) {
    if (j > 0 && j <= solved) remaining -= targets[j - 1] * targets[j - 1];
    errors[j] = std::max(remaining, 0.0) / std::max(total_, 1.0);
  }
  return errors;
}

double LagEquations::difference_error() const {
  const Matrix& p = products_;
  return std::max(p[0][0] - 2 * p[1][0] + p[1][1], 0.0) / std::max(total_, 1.0);
}

double LagEquations::second_difference_error() const {
  const Matrix& p = products_;
  const double sum = p[0][0] + 4 * p[1][1] + p[2][2] - 4 * p[1][0] + 2 * p[2][0] - 4 * p[2][1];
  return std::max(sum, 0.0) / std::max(total_, 1.0);
}

}  // namespace numpact::internal
