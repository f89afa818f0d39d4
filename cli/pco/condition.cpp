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

constexpr const char* kOption = kWhereOption;

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
