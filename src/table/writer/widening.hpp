// SPDX-License-Identifier: Apache-2.0
// Types that hold all values of two columns exactly, and conversions to them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "numpact/table_writer.hpp"

namespace numpact::internal {

using table::ValueType;

ValueType value_type_of(const table::Column& column);
// "i64", "bool", "timestamp[us, UTC]": for messages.
std::string text_of(const ValueType& type, const std::string& timezone);

// The narrowest type that holds the values of both exactly, of times those that its range allows;
// none if there is none.
std::optional<ValueType> common_type(const ValueType& one, const ValueType& other);

// Converts numbers to a type that common_type() gave.
class Widening {
 public:
  Widening(const ValueType& from, const ValueType& to);

  // `valid`: 0 for numbers that may be anything, else 1; empty: all count. The result is valid
  // until the next call. kTypeMismatch: a value is out of the range of the type.
  Status convert(const NumberView& numbers, std::span<const std::uint8_t> valid, NumberView& out);
  // What is wrong then; else empty.
  std::string problem() const;

 private:
  Status scale(std::span<const std::uint8_t> valid);

  NumberType from_;
  ValueType to_;
  std::int64_t factor_ = 1;          // of units
  std::vector<std::uint64_t> wide_;  // integers of 64 bits in two's complement
  std::vector<std::uint64_t> made_;
  std::optional<std::int64_t> bad_;
};

}  // namespace numpact::internal
