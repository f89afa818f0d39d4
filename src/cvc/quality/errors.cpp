// SPDX-License-Identifier: Apache-2.0
#include "cvc/quality/errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace numpact::cvc::quality {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double cosine_error(double products, double original, double decoded) {
  if (original == 0 && decoded == 0) return 0;
  if (original == 0 || decoded == 0) return 1;
  const double error = 1 - products / std::sqrt(original * decoded);
  if (!std::isfinite(error)) return kInfinity;
  return std::max(0.0, error);
}

}  // namespace

void ErrorSum::add(std::span<const double> original, std::span<const float> decoded,
                   std::size_t dimension) {
  for (std::size_t i = 0; i < original.size(); i += dimension) {
    add_row(original.subspan(i, dimension), decoded.subspan(i, dimension));
  }
}

void ErrorSum::add_row(std::span<const double> original, std::span<const float> decoded) {
  double absolute = 0;
  double squares = 0;
  double products = 0;
  double original_square = 0;
  double decoded_square = 0;
  for (std::size_t i = 0; i < original.size(); ++i) {
    const double x = original[i];
    const double y = decoded[i];
    double error = std::fabs(x - y);
    if (!std::isfinite(y)) {
      error = kInfinity;
      ++worst_.overflows;
    }
    worst_.max = std::max(worst_.max, error);
    absolute += error;
    squares += error * error;
    products += x * y;
    original_square += x * x;
    decoded_square += y * y;
  }
  absolute_ += absolute;
  squares_ += squares;
  const double cosine = cosine_error(products, original_square, decoded_square);
  worst_.worst_cosine = std::max(worst_.worst_cosine, cosine);
  cosines_ += cosine;
  values_ += static_cast<double>(original.size());
  ++rows_;
}

ErrorFigures ErrorSum::figures() const {
  ErrorFigures figures = worst_;
  figures.mean = absolute_ / values_;
  figures.rmse = std::sqrt(squares_ / values_);
  figures.mean_cosine = cosines_ / rows_;
  return figures;
}

}  // namespace numpact::cvc::quality
