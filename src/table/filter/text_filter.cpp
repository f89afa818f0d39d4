// SPDX-License-Identifier: Apache-2.0
// Filters of text, bytes and decimals.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/guard.hpp"
#include "numpact/table_filter.hpp"
#include "table/filter/matches.hpp"
#include "table/filter/value.hpp"

namespace numpact {
namespace table {

struct TextFilter::Table {
  internal::ValueMatches<std::string> found;
  bool is_one = false;  // one text alone satisfies it, as most filters of text
};

struct DecimalFilter::Table {
  internal::ValueMatches<internal::Decimal> found;
};

}  // namespace table

namespace internal {
namespace {

template <class T>
void add_values(FilterOp op, T value, CutSet<T>& set) {
  for (auto& span : values_of(op, Cut<T>::before(value), Cut<T>::after(value))) {
    set.push_back(std::move(span));
  }
}

// The texts that a pattern of `like` describes: 'abc%' those that begin with "abc", 'abc' itself.
// Other patterns are refused. A backslash takes its meaning from the next character.
bool find_like(const FilterComparison& comparison, const std::string& pattern,
               CutSet<std::string>& set, FilterProblem& problem) {
  std::string start;
  bool is_prefix = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool is_literal = pattern[i] == '\\' && i + 1 < pattern.size();
    const bool is_wild = !is_literal && (pattern[i] == '%' || pattern[i] == '_');
    is_prefix = is_wild && pattern[i] == '%' && i + 1 == pattern.size();
    if (is_wild && !is_prefix) {
      return problem.is_invalid("column '" + shown(comparison.column) + "': like '" +
                                shown(pattern) +
                                "' is not known: only a '%' at the end, as in 'abc%'");
    }
    if (!is_wild) start += pattern[is_literal ? ++i : i];
  }
  if (!is_prefix) {
    add_span(set, Cut<std::string>::before(start), Cut<std::string>::after(start));
    return true;
  }
  // Behind all texts that begin so: before the same text with its last byte one greater.
  std::string next = start;
  while (!next.empty() && next.back() == '\xff') next.pop_back();
  if (!next.empty()) next.back() = static_cast<char>(static_cast<unsigned char>(next.back()) + 1);
  add_span(set, Cut<std::string>::before(std::move(start)),
           next.empty() ? Cut<std::string>::end() : Cut<std::string>::before(std::move(next)));
  return true;
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
    internal::FilterProblem problem;
    const auto find = [is_bytes](const FilterComparison& comparison,
                                 internal::ValueMatches<std::string>& found,
                                 internal::FilterProblem& wrong) {
      for (const FilterValue& value : comparison.values) {
        if (value.kind != (is_bytes ? Given::kBytes : Given::kText)) {
          return internal::mismatch(value, comparison.column, is_bytes ? "binary" : "text", wrong);
        }
        if (comparison.op == FilterOp::kLike) {
          if (!internal::find_like(comparison, value.text, found.values, wrong)) return false;
        } else {
          internal::add_values(comparison.op, value.text, found.values);
        }
      }
      found.values = internal::united(std::move(found.values));
      return true;
    };
    auto table = std::make_shared<Table>();
    if (!internal::match_all(comparisons, find, table->found, problem)) {
      return problem.report(message);
    }
    const auto& texts = table->found.values;
    table->is_one = texts.size() == 1 && internal::is_one_value(texts[0]);
    made.table_ = std::move(table);
    return Status();
  });
}

bool TextFilter::matches_null() const noexcept { return table_->found.null; }

bool TextFilter::matches(std::string_view text) const noexcept {
  const auto& texts = table_->found.values;
  return table_->is_one ? text == texts[0].begin.value : internal::holds_value(texts, text);
}

DecimalFilter::DecimalFilter() : table_(std::make_shared<const Table>()) {}

Result<DecimalFilter> DecimalFilter::bind(std::span<const FilterComparison> comparisons,
                                          std::string* message) noexcept {
  return internal::guarded_value<DecimalFilter>([&](DecimalFilter& made) {
    internal::FilterProblem problem;
    const auto find = [](const FilterComparison& comparison,
                         internal::ValueMatches<internal::Decimal>& found,
                         internal::FilterProblem& wrong) {
      if (comparison.op == FilterOp::kLike) return internal::not_text(comparison, "decimal", wrong);
      for (const FilterValue& value : comparison.values) {
        if (internal::is_nan_of(value, table::Kind::kNumber)) {  // no decimal is equal to it
          if (comparison.op == FilterOp::kNotEqual) {
            found.values = internal::all_values<internal::Decimal>();
          }
          continue;
        }
        const bool is_number = value.kind == FilterValue::Kind::kNumber;
        auto number = is_number ? internal::parse_decimal(value.text) : std::nullopt;
        if (!number) return internal::mismatch(value, comparison.column, "decimal", wrong);
        internal::add_values(comparison.op, std::move(*number), found.values);
      }
      found.values = internal::united(std::move(found.values));
      return true;
    };
    auto table = std::make_shared<Table>();
    if (!internal::match_all(comparisons, find, table->found, problem)) {
      return problem.report(message);
    }
    made.table_ = std::move(table);
    return Status();
  });
}

bool DecimalFilter::matches_null() const noexcept { return table_->found.null; }

bool DecimalFilter::matches(std::string_view text) const {
  const std::optional<internal::Decimal> number = internal::parse_decimal(text);
  return number && internal::holds_value(table_->found.values, *number);
}

std::vector<std::pair<std::string, std::string>> DecimalFilter::ranges(int precision,
                                                                       int scale) const {
  std::vector<std::pair<std::string, std::string>> made;
  for (const auto& [begin, end] : table_->found.values) {
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
