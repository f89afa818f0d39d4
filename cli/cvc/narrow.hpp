// SPDX-License-Identifier: Apache-2.0
// Converts doubles to floats for columns of version 2.0, which has no float64.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "numpact/cvc/types.hpp"

namespace numpact::cli {

class Narrower {
 public:
  // `place`: file and column, for errors. `exact`: the lossless compression, for which a double
  // that no float equals is a Failure; none: doubles are rounded.
  Narrower(std::string place, std::optional<cvc::Compression> exact);

  // Converts contiguous rows of doubles. The result is valid until the next call.
  cvc::Rows narrow(const cvc::Rows& rows);
  // Count of finite numbers that became infinite so far.
  std::uint64_t overflows() const { return overflows_; }
  std::uint64_t underflows() const { return underflows_; }

 private:
  [[noreturn]] void refuse(std::uint64_t row, std::uint64_t dimension, double value) const;

  std::string place_;
  std::optional<cvc::Compression> exact_;
  std::vector<float> values_;
  std::uint64_t rows_ = 0;
  std::uint64_t overflows_ = 0;
  std::uint64_t underflows_ = 0;
};

}  // namespace numpact::cli
