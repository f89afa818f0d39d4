// SPDX-License-Identifier: Apache-2.0
// What is wrong with a filter: the kind of the error and its words.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "numpact/error.hpp"
#include "numpact/table_filter.hpp"

namespace numpact::internal {

using table::ColumnType;
using table::FilterComparison;
using table::FilterOp;
using table::FilterValue;
using table::NumberFilter;

class FilterProblem {
 public:
  // Always false, so that a function can end with it.
  bool set(ErrorKind kind, std::string words) {
    kind_ = kind;
    words_ = std::move(words);
    return false;
  }
  bool is_invalid(std::string words) { return set(ErrorKind::kInvalidArgument, std::move(words)); }

  // The error, whose words `message` receives if it is not null.
  Status report(std::string* message) {
    if (message != nullptr) *message = std::move(words_);
    return Status(kind_, kind_ == ErrorKind::kTypeMismatch
                             ? "a value of the filter is of another kind than its column"
                             : "the filter is not valid");
  }

 private:
  ErrorKind kind_ = ErrorKind::kInvalidArgument;
  std::string words_;
};

// Bytes of a filter that a message repeats. A filter may have thousands of values.
inline constexpr std::size_t kShownBytes = 60;

// The text, or its beginning and "..." if it has more than `max_bytes` bytes. No character is cut.
std::string shown(std::string_view text, std::size_t max_bytes = kShownBytes);

}  // namespace numpact::internal
