// SPDX-License-Identifier: Apache-2.0
#include "pco/filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "csv/literal.hpp"
#include "failure.hpp"
#include "text/digit.hpp"

namespace numpact::cli {
namespace {

constexpr const char* kOption = "--where";

struct Operator {
  std::string_view text;
  CompareOp op;
};

// Longer spellings come before those that they begin with.
constexpr Operator kOperators[] = {
    {"==", CompareOp::kEqual},        {"!=", CompareOp::kNotEqual}, {"<=", CompareOp::kLessEqual},
    {">=", CompareOp::kGreaterEqual}, {"=", CompareOp::kEqual},     {"<", CompareOp::kLess},
    {">", CompareOp::kGreater},
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return result;
}

// The value of a word without quotes; none if it is not a value.
std::optional<FilterValue> value_of_word(std::string_view word) {
  using Kind = FilterValue::Kind;
  const std::string small = lower(word);
  if (small == "true" || small == "false") return FilterValue{Kind::kBool, small, small == "true"};
  switch (parse_literal(word, '.').kind) {
    case LiteralKind::kInteger:
    case LiteralKind::kFloat:
      return FilterValue{Kind::kNumber, std::string(word), false};
    case LiteralKind::kDate:
    case LiteralKind::kTime:
    case LiteralKind::kTimestamp:
      return FilterValue{Kind::kTime, std::string(word), false};
    default:
      return std::nullopt;
  }
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::vector<Comparison> parse() {
    std::vector<Comparison> comparisons;
    do {
      comparisons.push_back(parse_comparison());
    } while (take_keyword("and"));
    skip_blanks();
    if (at_ < text_.size()) refuse("'and' or the end");
    return comparisons;
  }

 private:
  [[noreturn]] void refuse(std::string_view expected) const {
    const std::string found = at_ < text_.size()
                                  ? fmt::format("'{}'", text_.substr(at_, kShownBytes))
                                  : std::string("the end");
    fail_usage(kOption, fmt::format("'{}': {} is expected at character {}, not {}", text_, expected,
                                    at_ + 1, found));
  }

  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  bool take(std::string_view symbol) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(symbol)) return false;
    at_ += symbol.size();
    return true;
  }

  static bool is_in_name(char c) { return is_letter(c) || is_digit(c) || c == '.'; }

  // Takes a keyword that is not the beginning of a longer word.
  bool take_keyword(std::string_view keyword) {
    skip_blanks();
    if (lower(text_.substr(at_, keyword.size())) != keyword) return false;
    const std::size_t end = at_ + keyword.size();
    if (end < text_.size() && is_in_name(text_[end])) return false;
    at_ = end;
    return true;
  }

  // Takes text in quotes, in which a doubled quote stands for one.
  std::string take_quoted(char quote) {
    const std::size_t begin = at_++;
    std::string content;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] != quote) {
        content += text_[at_];
        continue;
      }
      if (at_ + 1 == text_.size() || text_[at_ + 1] != quote) {
        ++at_;
        return content;
      }
      content += text_[at_++];
    }
    at_ = begin;
    refuse(fmt::format("a text that ends with {}", quote));
  }

  std::string parse_name() {
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '"') return take_quoted('"');
    if (at_ == text_.size() || !is_letter(text_[at_])) {
      refuse("the name of a column, in double quotes if it is not one word,");
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_in_name(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  FilterValue parse_value() {
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '\'') {
      return {FilterValue::Kind::kText, take_quoted('\''), false};
    }
    std::size_t end = at_;
    while (end < text_.size() && !is_blank(text_[end]) && text_[end] != ',' && text_[end] != ')') {
      ++end;
    }
    std::optional<FilterValue> value = value_of_word(text_.substr(at_, end - at_));
    if (!value) refuse("a value (text in single quotes)");
    at_ = end;
    return std::move(*value);
  }

  std::vector<FilterValue> parse_values() {
    if (!take("(")) refuse("'('");
    std::vector<FilterValue> values;
    do {
      values.push_back(parse_value());
    } while (take(","));
    if (!take(")")) refuse("',' or ')'");
    return values;
  }

  Comparison parse_comparison() {
    Comparison comparison;
    comparison.column = parse_name();
    if (take_keyword("is")) {
      comparison.op = take_keyword("not") ? CompareOp::kIsNotNull : CompareOp::kIsNull;
      if (!take_keyword("null")) refuse("'null'");
      return comparison;
    }
    if (take_keyword("in")) {
      comparison.op = CompareOp::kIn;
      comparison.values = parse_values();
      return comparison;
    }
    for (const auto& [symbol, op] : kOperators) {
      if (!take(symbol)) continue;
      comparison.op = op;
      comparison.values = {parse_value()};
      return comparison;
    }
    refuse("=, !=, <, <=, >, >=, 'in' or 'is'");
  }

  // How much of the text a message repeats.
  static constexpr std::size_t kShownBytes = 20;

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string describe(const FilterValue& value) {
  switch (value.kind) {
    case FilterValue::Kind::kNumber:
      return "the number " + value.text;
    case FilterValue::Kind::kText:
      return "the text '" + value.text + "'";
    case FilterValue::Kind::kBool:
      return "the boolean " + value.text;
    default:
      return "the time " + value.text;
  }
}

std::vector<Comparison> parse_filter(std::string_view text) { return Parser(text).parse(); }

}  // namespace numpact::cli
