// SPDX-License-Identifier: Apache-2.0
// Linear prediction of a latent from those before it.
#ifndef NUMPACT_PCO_ENCODE_CONV1_EQUATIONS_HPP
#define NUMPACT_PCO_ENCODE_CONV1_EQUATIONS_HPP

#include <array>
#include <span>

#include "pco/encode/conv1/equations_kernel.hpp"
#include "pco/limits.hpp"

namespace numpact {

// By lag: [0] belongs to the latent just before.
using LagWeights = std::array<double, kMaxConv1Order>;

// Mean squares of what the best predictions from 0, 1, ... lags leave.
using LagErrors = std::array<double, kMaxConv1Order + 1>;

// Values, less their mean, in runs of neighbours one after the other.
struct CentredRuns {
  std::span<const double> values;
  std::size_t run_n;
};

// The equations of least squares for up to `order` lags. Row and column 0: the value itself.
class LagEquations {
 public:
  // All values count alike.
  LagEquations(const CentredRuns& runs, unsigned order);
  // Each by its importance, one for each value of `runs`.
  LagEquations(const CentredRuns& runs, std::span<const double> importances, unsigned order);

  // Solves for the first `order` lags. False if there is no single solution.
  bool solve(unsigned order, LagWeights& weights) const;

  // As far as solvable, then the last again. One more than `order` of them.
  LagErrors errors() const;

  // Mean square of the differences that Consecutive of order 1 leaves; 2.
  double difference_error() const;
  double second_difference_error() const;

 private:
  static constexpr std::size_t kMost = kMaxConv1Order + 1;
  using Matrix = LagProducts;

  // Cholesky's triangle of the lags' products and what it makes of the targets; how many lags it
  // holds.
  unsigned factor(unsigned order, Matrix& triangle, std::array<double, kMost>& targets) const;

  unsigned order_;
  double total_ = 0;  // of the importances
  Matrix products_{};
};

}  // namespace numpact

#endif
