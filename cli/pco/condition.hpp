// SPDX-License-Identifier: Apache-2.0
// The comparisons of a filter with one column, applied to blocks of its values.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "formats/others.hpp"
#include "formats/table.hpp"
#include "numpact/table_filter.hpp"

namespace numpact::cli {

// Parses a filter (docs/cli-tables.md). Fails with a usage error that says where.
std::vector<table::FilterComparison> parse_where(std::string_view text);

// For columns of numbers, dates, times and booleans.
class NumberCondition {
 public:
  // Fails with a usage error if a value is of another kind than the column.
  NumberCondition(std::span<const table::FilterComparison> comparisons, const Column& column);

  const table::NumberFilter& filter() const { return filter_; }
  // Sets `kept` to 0 for the rows that do not satisfy the condition.
  void narrow(const ColumnBlock& block, std::span<std::uint8_t> kept) const;

 private:
  table::NumberFilter filter_;
};

// For columns of text and decimals, and for tests for null of others.
class TextCondition {
 public:
  TextCondition(std::span<const table::FilterComparison> comparisons, OtherKind kind);

  void narrow(const TextBlock& block, std::span<std::uint8_t> kept) const;

 private:
  std::variant<table::TextFilter, table::DecimalFilter> filter_;
};

}  // namespace numpact::cli
