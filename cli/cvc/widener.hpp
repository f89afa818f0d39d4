// SPDX-License-Identifier: Apache-2.0
// Converts numbers that CVC files have no type for to a wider type.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/element.hpp"

namespace numpact::cli {

class Widener {
 public:
  // `place` names file and column in errors.
  Widener(const Element& element, std::string place)
      : element_(element), place_(std::move(place)) {}

  // Returns the numbers as dtype_read_as(): the bytes themselves or, valid until the next call,
  // those of a buffer. Throws Failure for a number out of range.
  std::span<const std::byte> widen(std::span<const std::byte> bytes);

 private:
  Element element_;
  std::string place_;
  std::vector<std::byte> buffer_;
};

}  // namespace numpact::cli
