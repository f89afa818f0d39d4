// SPDX-License-Identifier: Apache-2.0
// Filters of the rows of a table: comparisons of columns with values, joined by `and`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace numpact::cli {

enum class CompareOp : std::uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIn,
  kIsNull,
  kIsNotNull,
};

struct FilterValue {
  enum class Kind : std::uint8_t {
    kNumber,  // also nan and infinities
    kText,    // in quotes
    kBool,
    kTime,  // a date, time or timestamp without quotes
  };
  Kind kind = Kind::kNumber;
  std::string text;  // without quotes
  bool boolean = false;
};

// For messages: "number 5", "text 'a'".
std::string describe(const FilterValue& value);

struct Comparison {
  std::string column;
  CompareOp op = CompareOp::kEqual;
  std::vector<FilterValue> values;  // one, any number for kIn, none for kIsNull and kIsNotNull
};

// Parses a filter (docs/cli-tables.md). Fails with a usage error that says where.
std::vector<Comparison> parse_filter(std::string_view text);

}  // namespace numpact::cli
