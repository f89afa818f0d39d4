// SPDX-License-Identifier: Apache-2.0
#include "pco/condition.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "failure.hpp"

namespace numpact::cli {
namespace {

using table::FilterComparison;
using table::FilterOp;

constexpr const char* kOption = "--where";

// The value, or a usage error with the library's words.
template <class T>
T value_or_fail(Result<T> result, const std::string& message) {
  if (result.ok()) return std::move(*result);
  const ErrorKind kind = result.status().kind();
  if (kind != ErrorKind::kInvalidArgument && kind != ErrorKind::kTypeMismatch) {
    check(result.status(), kOption);
  }
  fail_usage(kOption, message);
}

table::ColumnType type_of(const Column& column) {
  // Both name the kinds and units of the manifest, in one order.
  return {column.type, static_cast<table::Kind>(column.logical.kind),
          static_cast<table::Unit>(column.logical.unit), column.logical.timezone};
}

// The texts of a column that has none are empty: only tests for null are possible.
void check_comparable(std::span<const FilterComparison> comparisons, OtherKind kind) {
  if (kind != OtherKind::kOpaque) return;
  for (const FilterComparison& comparison : comparisons) {
    if (comparison.op == FilterOp::kIsNull || comparison.op == FilterOp::kIsNotNull) continue;
    fail_usage(kOption,
               "column '" + comparison.column + "' is of a type whose values are not compared");
  }
}

}  // namespace

std::vector<FilterComparison> parse_where(std::string_view text) {
  std::string message;
  auto parsed = table::parse_filter(text, &message);
  return value_or_fail(std::move(parsed), message);
}

NumberCondition::NumberCondition(std::span<const FilterComparison> comparisons,
                                 const Column& column) {
  std::string message;
  auto bound = table::NumberFilter::bind(comparisons, type_of(column), &message);
  filter_ = value_or_fail(std::move(bound), message);
}

void NumberCondition::narrow(const ColumnBlock& block, std::span<std::uint8_t> kept) const {
  if (block.valid.empty()) return filter_.narrow(block.numbers, kept);
  if (filter_.matches_null()) {
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (!block.is_null(i)) kept[i] = 0;
    }
    return;
  }
  filter_.narrow(block.numbers, kept);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (block.is_null(i)) kept[i] = 0;
  }
}

TextCondition::TextCondition(std::span<const FilterComparison> comparisons, OtherKind kind) {
  check_comparable(comparisons, kind);
  std::string message;
  if (kind == OtherKind::kDecimal) {
    auto bound = table::DecimalFilter::bind(comparisons, &message);
    filter_ = value_or_fail(std::move(bound), message);
  } else {
    auto bound = table::TextFilter::bind(comparisons, false, &message);
    filter_ = value_or_fail(std::move(bound), message);
  }
}

void TextCondition::narrow(const TextBlock& block, std::span<std::uint8_t> kept) const {
  std::visit(
      [&](const auto& filter) {
        for (std::size_t i = 0; i < kept.size(); ++i) {
          if (kept[i] == 0) continue;
          const bool matches =
              block.is_null(i) ? filter.matches_null() : filter.matches(block.text(i));
          kept[i] = matches ? 1 : 0;
        }
      },
      filter_);
}

}  // namespace numpact::cli
