// SPDX-License-Identifier: Apache-2.0
// Least-squares prediction of a latent from those before it.
#pragma once

#include <array>
#include <span>

#include "pco/encode/conv1/equations_kernel.hpp"

namespace numpact::internal {

// Weights by lag; [0] is for the latent just before.
using LagWeights = std::array<double, kMaxLags>;

// Mean squared errors of the best predictions from 0, 1, ... lags.
using LagErrors = std::array<double, kMaxLags + 1>;

// Values less their mean: runs of run_n neighbours, one after the other.
struct CentredRuns {
  std::span<const double> values;
  std::size_t run_n;
};

// The normal equations for up to `order` lags. Row and column 0 belong to the predicted value.
class LagEquations {
 public:
  // All values have the same weight.
  LagEquations(const CentredRuns& runs, unsigned order);
  // Each value of `runs` is weighted by its importance.
  LagEquations(const CentredRuns& runs, std::span<const double> importances, unsigned order);

  // Solves for the weights of the first `order` lags. False if there is no unique solution.
  bool solve(unsigned order, LagWeights& weights) const;

  // The errors for 0 to `order` lags. Beyond the lags that are solvable, the last error repeats.
  LagErrors errors() const;

  // The mean square of first differences (Consecutive of order 1), and of second ones.
  double difference_error() const;
  double second_difference_error() const;

 private:
  // A weight for each lag, and the constant.
  static constexpr std::size_t kMaxColumns = kMaxLags + 1;
  using Matrix = LagProducts;

  // The Cholesky factor of the lags' products, and the targets multiplied by its inverse. Returns
  // for how many lags it exists.
  unsigned factor(unsigned order, Matrix& triangle, std::array<double, kMaxColumns>& targets) const;

  unsigned order_;
  double total_ = 0;  // sum of the importances
  Matrix products_{};
};

}  // namespace numpact::internal
