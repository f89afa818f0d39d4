// SPDX-License-Identifier: Apache-2.0
#include "cvc/narrow.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <utility>

#include "failure.hpp"

namespace numpact::cli {

Narrower::Narrower(std::string place, std::optional<cvc::Compression> exact)
    : place_(std::move(place)), exact_(exact) {}

cvc::Rows Narrower::narrow(const cvc::Rows& rows) {
  const std::uint64_t n = rows.count * rows.dimension;
  values_.resize(static_cast<std::size_t>(n));
  const auto* from = static_cast<const double*>(rows.data);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    values_[i] = static_cast<float>(from[i]);
    if (std::isinf(values_[i]) && !std::isinf(from[i])) ++overflows_;
    if (values_[i] == 0 && from[i] != 0) ++underflows_;
    // Compares bits, so that payloads of NaNs count too.
    const bool is_kept = std::bit_cast<std::uint64_t>(static_cast<double>(values_[i])) ==
                         std::bit_cast<std::uint64_t>(from[i]);
    if (exact_ && !is_kept) refuse(rows_ + i / rows.dimension, i % rows.dimension, from[i]);
  }
  rows_ += rows.count;
  return {cvc::Dtype::kFloat32, values_.data(), rows.count, rows.dimension};
}

void Narrower::refuse(std::uint64_t row, std::uint64_t dimension, double value) const {
  fail_usage(place_,
             "row {}, dimension {} ({}): {} keeps float32 here: a value of "
             "float64 would be rounded (convert to float32 first if that may "
             "be; numpact compress keeps float64)",
             row, dimension, value, name_of(*exact_));
}

}  // namespace numpact::cli
