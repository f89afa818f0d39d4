// SPDX-License-Identifier: Apache-2.0
// Error figures of decoded vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace numpact::cvc::quality {

struct ErrorFigures {
  double max = 0;   // largest absolute error of a value
  double mean = 0;  // mean absolute error
  double rmse = 0;
  // 1 - cos of the angle between a row and its decoded row; 0 if both are zero, 1 if only one is.
  double mean_cosine = 0;
  double worst_cosine = 0;
  std::uint64_t overflows = 0;  // values that decode to infinity or NaN; their error is infinite
  bool is_exact() const { return max == 0; }
};

class ErrorSum {
 public:
  // Adds a row. Both spans have the same size; the original values are finite.
  void add(std::span<const double> original, std::span<const float> decoded, std::size_t dimension);
  // Figures of all rows so far, at least one.
  ErrorFigures figures() const;

 private:
  void add_row(std::span<const double> original, std::span<const float> decoded);

  ErrorFigures worst_;
  double absolute_ = 0;
  double squares_ = 0;
  double cosines_ = 0;
  double values_ = 0;
  double rows_ = 0;
};

}  // namespace numpact::cvc::quality
