// SPDX-License-Identifier: Apache-2.0
// Filters of rows: their text, and comparisons with columns that Pco cannot hold.
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

inline constexpr const char* kWhereOption = "--where";

// Parses a filter (docs/cli-tables.md). Fails with a usage error that says where.
std::vector<table::FilterComparison> parse_where(std::string_view text);

// For columns of text and decimals, and for tests for null of others.
class TextCondition {
 public:
  TextCondition(std::span<const table::FilterComparison> comparisons, OtherKind kind);

  void narrow(const TextBlock& block, std::span<std::uint8_t> kept) const;

 private:
  std::variant<table::TextFilter, table::DecimalFilter> filter_;
};

}  // namespace numpact::cli
