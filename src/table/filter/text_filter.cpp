// SPDX-License-Identifier: Apache-2.0
// Filters of text, bytes and decimals.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/guard.hpp"
#include "numpact/table_filter.hpp"
#include "table/filter/value.hpp"

namespace numpact {
namespace table {

struct TextFilter::Table {
  internal::CutSet<std::string> texts;
  bool matches_null = false;
  bool is_one = false;  // one text alone satisfies it, as most filters of text
};

struct DecimalFilter::Table {
  internal::CutSet<internal::Decimal> numbers;
  bool matches_null = false;
};

}  // namespace table

namespace internal {
namespace {

// Binds comparisons to `table.*set`. `find` appends the spans of a value to a set, or fails.
template <class T, class Table, class Find>
Status bind_values(std::span<const FilterComparison> comparisons, std::string* message,
                   CutSet<T> Table::*set, std::shared_ptr<const Table>& out, const Find& find) {
  FilterProblem problem;
  std::vector<CutSet<T>> sets;
  auto table = std::make_shared<Table>();
  table->matches_null = true;
  for (const FilterComparison& comparison : comparisons) {
    if (!check_count(comparison, problem)) return problem.report(message);
    table->matches_null = table->matches_null && comparison.op == FilterOp::kIsNull;
    if (comparison.op == FilterOp::kIsNotNull) continue;
    CutSet<T> found;
    for (const FilterValue& value : comparison.values) {
      if (!find(comparison, value, found, problem)) return problem.report(message);
    }
    sets.push_back(united(std::move(found)));
  }
  (*table).*set = intersection_of(std::move(sets));
  out = std::move(table);
  return Status();
}

template <class T>
void add_values(FilterOp op, T value, CutSet<T>& set) {
  for (auto& span : values_of(op, Cut<T>::before(value), Cut<T>::after(value))) {
    set.push_back(std::move(span));
  }
}

// A whole number, "-12", and the next greater (step 1) or smaller one (step -1).
std::string stepped(std::string number, int step) {
  if (number == "0") return step > 0 ? "1" : "-1";
  const bool is_negative = number[0] == '-';
  const std::size_t first = is_negative ? 1 : 0;
  const bool grows = (step < 0) == is_negative;
  std::size_t at = number.size() - 1;
  for (; at > first && number[at] == (grows ? '9' : '0'); --at) number[at] = grows ? '0' : '9';
  if (grows && number[at] == '9') {
    number[at] = '0';
    number.insert(first, 1, '1');
  } else {
    number[at] = static_cast<char>(number[at] + (grows ? 1 : -1));
  }
  if (number[first] != '0') return number;
  number.erase(first, 1);  // 10 - 1, or 1 - 1
  return number.size() == first ? "0" : number;
}

// The first whole number behind a cut (step 1), or the last one before it (step -1), of multiples
// of 10^-scale with at most `precision` digits; none if there is none.
std::optional<std::string> whole_at(const Cut<Decimal>& cut, int step, int precision, int scale) {
  using Place = Cut<Decimal>::Place;
  const std::string digits(static_cast<std::size_t>(precision), '9');
  const std::optional<std::string> ends[] = {step > 0 ? std::optional("-" + digits) : std::nullopt,
                                             step < 0 ? std::optional(digits) : std::nullopt};
  if (!cut.has_value()) return ends[cut.place == Place::kEnd ? 1 : 0];
  const Decimal scaled = cut.value.shifted(scale);
  const bool is_beyond = scaled.is_infinite || scaled.exponent > precision;
  if (is_beyond) return ends[scaled.is_negative ? 0 : 1];
  const auto whole = static_cast<std::size_t>(std::max<std::int64_t>(0, scaled.exponent));
  std::string floor = scaled.digits.substr(0, whole);
  floor.resize(whole, '0');
  const bool is_exact = scaled.digits.size() <= whole;
  const bool is_below_zero = scaled.is_negative && !scaled.digits.empty();
  floor = floor.empty() ? "0" : (is_below_zero ? "-" : "") + floor;
  if (is_below_zero && !is_exact) floor = stepped(std::move(floor), -1);
  const bool is_excluded = (cut.place == Place::kBefore) != (step > 0);
  const bool is_floor = step > 0 ? is_exact && !is_excluded : !is_exact || !is_excluded;
  std::string found = is_floor ? floor : stepped(floor, step);
  const bool is_long = found.size() > digits.size() + (found[0] == '-' ? 1 : 0);
  return is_long ? ends[found[0] == '-' ? 0 : 1] : std::optional(std::move(found));
}

}  // namespace
}  // namespace internal

namespace table {

TextFilter::TextFilter() : table_(std::make_shared<const Table>()) {}

Result<TextFilter> TextFilter::bind(std::span<const FilterComparison> comparisons, bool is_bytes,
                                    std::string* message) noexcept {
  return internal::guarded_value<TextFilter>([&](TextFilter& made) {
    using Given = FilterValue::Kind;
    const auto find = [is_bytes](const FilterComparison& comparison, const FilterValue& value,
                                 internal::CutSet<std::string>& set,
                                 internal::FilterProblem& problem) {
      if (value.kind != (is_bytes ? Given::kBytes : Given::kText)) {
        return internal::mismatch(value, comparison.column, is_bytes ? "binary" : "text", problem);
      }
      internal::add_values(comparison.op, value.text, set);
      return true;
    };
    const Status status =
        internal::bind_values(comparisons, message, &Table::texts, made.table_, find);
    if (!status.ok()) return status;
    Table table = *made.table_;
    table.is_one = table.texts.size() == 1 && internal::is_one_value(table.texts[0]);
    made.table_ = std::make_shared<const Table>(std::move(table));
    return status;
  });
}

bool TextFilter::matches_null() const noexcept { return table_->matches_null; }

bool TextFilter::matches(std::string_view text) const noexcept {
  if (table_->is_one) return text == table_->texts[0].begin.value;
  return internal::holds_value(table_->texts, text);
}

DecimalFilter::DecimalFilter() : table_(std::make_shared<const Table>()) {}

Result<DecimalFilter> DecimalFilter::bind(std::span<const FilterComparison> comparisons,
                                          std::string* message) noexcept {
  return internal::guarded_value<DecimalFilter>([&](DecimalFilter& made) {
    const auto find = [](const FilterComparison& comparison, const FilterValue& value,
                         internal::CutSet<internal::Decimal>& set,
                         internal::FilterProblem& problem) {
      if (internal::is_nan_of(value, table::Kind::kNumber)) {  // no decimal is equal to it
        if (comparison.op == FilterOp::kNotEqual) set = internal::all_values<internal::Decimal>();
        return true;
      }
      const bool is_number = value.kind == FilterValue::Kind::kNumber;
      auto number = is_number ? internal::parse_decimal(value.text) : std::nullopt;
      if (!number) return internal::mismatch(value, comparison.column, "decimal", problem);
      internal::add_values(comparison.op, std::move(*number), set);
      return true;
    };
    return internal::bind_values(comparisons, message, &Table::numbers, made.table_, find);
  });
}

bool DecimalFilter::matches_null() const noexcept { return table_->matches_null; }

bool DecimalFilter::matches(std::string_view text) const {
  const std::optional<internal::Decimal> number = internal::parse_decimal(text);
  return number && internal::holds_value(table_->numbers, *number);
}

std::vector<std::pair<std::string, std::string>> DecimalFilter::ranges(int precision,
                                                                       int scale) const {
  std::vector<std::pair<std::string, std::string>> made;
  for (const auto& [begin, end] : table_->numbers) {
    const auto first = internal::whole_at(begin, 1, precision, scale);
    const auto last = internal::whole_at(end, -1, precision, scale);
    if (first && last &&
        internal::order_of(*internal::parse_decimal(*first), *internal::parse_decimal(*last)) <=
            0) {
      made.emplace_back(*first, *last);
    }
  }
  return made;
}

}  // namespace table
}  // namespace numpact
