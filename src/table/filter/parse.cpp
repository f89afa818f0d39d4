// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "base/guard.hpp"
#include "literal/digit.hpp"
#include "literal/literal.hpp"
#include "numpact/table_filter.hpp"
#include "table/filter/problem.hpp"

namespace numpact {
namespace internal {
namespace {

struct OpName {
  std::string_view text;
  FilterOp op;
};

// Longer spellings come before those that they begin with.
constexpr OpName kSymbols[] = {
    {"==", FilterOp::kEqual},        {"!=", FilterOp::kNotEqual}, {"<=", FilterOp::kLessEqual},
    {">=", FilterOp::kGreaterEqual}, {"=", FilterOp::kEqual},     {"<", FilterOp::kLess},
    {">", FilterOp::kGreater},
};
constexpr OpName kWords[] = {
    {"in", FilterOp::kIn},
    {"is null", FilterOp::kIsNull},
    {"is not null", FilterOp::kIsNotNull},
};

// What other languages have, and what to write instead. Longer ones come first.
struct Hint {
  std::string_view text;
  std::string_view advice;
};

constexpr Hint kOpHints[] = {
    {"not in", "write a != 1 and a != 2 for 'a not in (1, 2)'"},
    {"not", "there is no 'not': write the opposite comparison"},
    {"between", "write a >= 1 and a <= 2 for 'a between 1 and 2'"},
    {"like", "there is no 'like': text is compared with =, !=, <, <=, > and >="},
    {"ilike", "there is no 'ilike': text is compared with =, !=, <, <=, > and >="},
    {"<>", "write != for '<>'"},
    {"=<", "write <= for '=<'"},
    {"=>", "write >= for '=>'"},
    {"!", "write != for 'is not equal'"},
};
constexpr Hint kJoinHints[] = {
    {"or", "there is no 'or': write a in (1, 2) for values of one column, or filter twice"},
    {"||", "there is no 'or': write a in (1, 2) for values of one column, or filter twice"},
    {"|", "there is no 'or': write a in (1, 2) for values of one column, or filter twice"},
    {"&&", "write 'and' for '&&'"},
    {"&", "write 'and' for '&'"},
    {",", "write 'and' between comparisons"},
};
constexpr Hint kValueHints[] = {
    {"null", "write 'is null' or 'is not null'"},
    {"none", "write 'is null' or 'is not null'"},
    {"\"", "double quotes are for names, single quotes for text"},
};
constexpr Hint kNameHints[] = {
    {"not", "there is no 'not': write the opposite comparison"},
    {"(", "comparisons have no parentheses around them"},
    {"'", "single quotes are for text, double quotes for names"},
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_in_name(char c) { return is_letter(c) || is_digit(c) || c == '.'; }

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return result;
}

// Whether the text begins with a word or a symbol; a word must not be the beginning of a longer
// one.
bool begins_with(std::string_view text, std::string_view start) {
  if (lower_case(text.substr(0, start.size())) != start) return false;
  const bool is_word = is_letter(start.back());
  return !is_word || text.size() == start.size() || !is_in_name(text[start.size()]);
}

template <std::size_t kCount>
std::string advice_for(std::string_view text, const Hint (&hints)[kCount]) {
  for (const Hint& hint : hints) {
    if (begins_with(text, hint.text)) return ": " + std::string(hint.advice);
  }
  return "";
}

// The value of a word without quotes; none if it is not a value.
std::optional<FilterValue> value_of_word(std::string_view word) {
  using Given = FilterValue::Kind;
  if (word.size() == 4 || word.size() == 5) {
    std::string small = lower_case(word);
    if (small == "true" || small == "false") return FilterValue{Given::kBool, std::move(small)};
  }
  if (is_number_literal(word)) return FilterValue{Given::kNumber, std::string(word)};
  if (parse_time_literal(word)) return FilterValue{Given::kTime, std::string(word)};
  return std::nullopt;
}

class FilterParser {
 public:
  FilterParser(std::string_view text, FilterProblem& problem) : text_(text), problem_(problem) {}

  bool parse(std::vector<FilterComparison>& comparisons) {
    do {
      if (!parse_comparison(comparisons.emplace_back())) return false;
    } while (take_keyword("and"));
    skip_spaces();
    return at_ == text_.size() || refuse("'and' or the end", advice_for(rest(), kJoinHints));
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }

  bool refuse(std::string_view expected, const std::string& advice = "") {
    const auto before = text_.substr(0, at_);
    const auto character = 1 + std::count_if(before.begin(), before.end(), [](char c) {
                             return (static_cast<unsigned char>(c) & 0xc0U) != 0x80;
                           });
    std::string words = "'" + shown(text_) + "': ";
    words.append(expected).append(" is expected at character ");
    words.append(std::to_string(character)).append(", not ");
    words += at_ < text_.size() ? "'" + shown(rest(), kShownRest) + "'" : "the end";
    return problem_.is_invalid(words + advice);
  }

  void skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  bool take(std::string_view symbol) {
    skip_spaces();
    if (!rest().starts_with(symbol)) return false;
    at_ += symbol.size();
    return true;
  }

  bool take_keyword(std::string_view keyword) {
    skip_spaces();
    if (!begins_with(rest(), keyword)) return false;
    at_ += keyword.size();
    return true;
  }

  // Takes text in quotes, in which a doubled quote stands for one.
  bool take_quoted(std::string& content) {
    const std::size_t begin = at_;
    const char quote = text_[at_++];
    while (true) {
      const std::size_t end = text_.find(quote, at_);
      if (end == std::string_view::npos) break;
      content += text_.substr(at_, end - at_);
      at_ = end + 1;
      if (at_ == text_.size() || text_[at_] != quote) return true;
      content += text_[at_++];
    }
    at_ = begin;
    return refuse(std::string("a text that ends with ") + quote);
  }

  bool parse_name(std::string& name) {
    skip_spaces();
    if (at_ < text_.size() && text_[at_] == '"') return take_quoted(name);
    const bool is_not = begins_with(rest(), "not") && !begins_with(rest(), "not in");
    if (at_ == text_.size() || !is_letter(text_[at_]) || (is_not && is_followed_by_name())) {
      return refuse("the name of a column, in double quotes if it is not one word,",
                    advice_for(rest(), kNameHints));
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_in_name(text_[at_])) ++at_;
    name = text_.substr(begin, at_ - begin);
    return true;
  }

  // Whether a name stands behind this word: "not a = 5", where "not" is no column.
  bool is_followed_by_name() const {
    std::size_t next = at_;
    while (next < text_.size() && is_in_name(text_[next])) ++next;
    while (next < text_.size() && is_space(text_[next])) ++next;
    const std::string_view behind = text_.substr(next);
    return !behind.empty() && (is_letter(behind[0]) || behind[0] == '"') &&
           !begins_with(behind, "is") && !begins_with(behind, "in");
  }

  bool parse_value(FilterValue& value) {
    skip_spaces();
    if (at_ < text_.size() && text_[at_] == '\'') {
      value.kind = FilterValue::Kind::kText;
      return take_quoted(value.text);
    }
    std::size_t end = at_;
    while (end < text_.size() && !is_space(text_[end]) && text_[end] != ',' && text_[end] != ')') {
      ++end;
    }
    std::optional<FilterValue> found = value_of_word(text_.substr(at_, end - at_));
    if (!found) {
      return refuse("a value (text in single quotes)", advice_for(rest(), kValueHints));
    }
    at_ = end;
    value = std::move(*found);
    return true;
  }

  bool parse_values(std::vector<FilterValue>& values) {
    if (!take("(")) return refuse("'('");
    do {
      if (!parse_value(values.emplace_back())) return false;
    } while (take(","));
    return take(")") || refuse("',' or ')'");
  }

  bool parse_comparison(FilterComparison& comparison) {
    if (!parse_name(comparison.column)) return false;
    if (take_keyword("is")) {
      comparison.op = take_keyword("not") ? FilterOp::kIsNotNull : FilterOp::kIsNull;
      return take_keyword("null") || refuse("'null'");
    }
    if (take_keyword("in")) {
      comparison.op = FilterOp::kIn;
      return parse_values(comparison.values);
    }
    skip_spaces();
    const bool is_other =
        begins_with(rest(), "<>") || begins_with(rest(), "=<") || begins_with(rest(), "=>");
    for (const auto& [symbol, op] : kSymbols) {
      if (is_other || !take(symbol)) continue;
      comparison.op = op;
      return parse_value(comparison.values.emplace_back());
    }
    return refuse("=, !=, <, <=, >, >=, 'in' or 'is'", advice_for(rest(), kOpHints));
  }

  // Bytes of the text from the error on that a message repeats.
  static constexpr std::size_t kShownRest = 20;

  std::string_view text_;
  FilterProblem& problem_;
  std::size_t at_ = 0;
};

// The text in small letters, with one space for each run of spaces between words.
std::string one_spaced(std::string_view text) {
  std::string made;
  bool is_open = false;
  for (const char c : lower_case(text)) {
    if (is_space(c)) {
      is_open = !made.empty();
      continue;
    }
    if (std::exchange(is_open, false)) made += ' ';
    made += c;
  }
  return made;
}

bool find_op(std::string_view text, FilterOp& op, FilterProblem& problem) {
  const std::string name = one_spaced(text);
  const auto is_it = [&](const OpName& row) { return row.text == name; };
  const auto* const symbol = std::find_if(std::begin(kSymbols), std::end(kSymbols), is_it);
  if (symbol != std::end(kSymbols)) {
    op = symbol->op;
    return true;
  }
  const auto* const word = std::find_if(std::begin(kWords), std::end(kWords), is_it);
  if (word != std::end(kWords)) {
    op = word->op;
    return true;
  }
  std::string advice = name.empty() ? "" : advice_for(name, kOpHints);
  if (advice.empty() && !name.empty()) advice = advice_for(name, kJoinHints);
  return problem.is_invalid("'" + shown(text) +
                            "' is not one of the operators =, ==, !=, <, <=, >, >=, in, is null "
                            "and is not null" +
                            advice);
}

}  // namespace

std::string shown(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  std::size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace internal

namespace table {

std::string_view to_string(FilterOp op) noexcept {
  constexpr std::string_view kNames[] = {"=",  "!=", "<",       "<=",         ">",
                                         ">=", "in", "is null", "is not null"};
  const auto index = static_cast<std::size_t>(op);
  return index < std::size(kNames) ? kNames[index] : std::string_view("?");
}

Result<FilterOp> filter_op_of(std::string_view text, std::string* message) noexcept {
  return internal::guarded_value<FilterOp>([&](FilterOp& op) {
    internal::FilterProblem problem;
    return internal::find_op(text, op, problem) ? Status() : problem.report(message);
  });
}

Result<std::vector<FilterComparison>> parse_filter(std::string_view text,
                                                   std::string* message) noexcept {
  return internal::guarded_value<std::vector<FilterComparison>>([&](auto& comparisons) {
    internal::FilterProblem problem;
    return internal::FilterParser(text, problem).parse(comparisons) ? Status()
                                                                    : problem.report(message);
  });
}

}  // namespace table
}  // namespace numpact
