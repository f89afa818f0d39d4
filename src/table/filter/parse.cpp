// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "base/guard.hpp"
#include "literal/digit.hpp"
#include "literal/literal.hpp"
#include "numpact/table_filter.hpp"
#include "table/filter/clauses.hpp"
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
    {"like", FilterOp::kLike},
};

// What other languages have, and what to write instead. Longer ones come first.
struct Hint {
  std::string_view text;
  std::string_view advice;
};

constexpr Hint kOpHints[] = {
    {"ilike", "there is no 'ilike': 'like' compares with capitals and small letters apart"},
    {"<>", "write != for '<>'"},
    {"=<", "write <= for '=<'"},
    {"=>", "write >= for '=>'"},
    {"!", "write != for 'is not equal'"},
};
constexpr Hint kJoinHints[] = {
    {"||", "write 'or' for '||'"},
    {"|", "write 'or' for '|'"},
    {"&&", "write 'and' for '&&'"},
    {"&", "write 'and' for '&'"},
    {",", "write 'and' between comparisons"},
};
// Operators that a list of comparisons has in other places.
constexpr Hint kListHints[] = {
    {"between", "write two comparisons, with >= and <="},
    {"not between", "write it as text: 'a not between 1 and 2'"},
    {"or", "write a list of lists, of which one has to hold"},
};
constexpr Hint kValueHints[] = {
    {"null", "write 'is null' or 'is not null'"},
    {"none", "write 'is null' or 'is not null'"},
};
constexpr Hint kNameHints[] = {
    {"'", "single quotes are for text, double quotes for names"},
    {"!", "write 'not' for '!'"},
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
    Clauses clauses;
    if (!parse_any(false, clauses)) return false;
    skip_spaces();
    if (at_ < text_.size()) {
      return refuse("'and', 'or' or the end", advice_for(rest(), kJoinHints));
    }
    comparisons = listed(std::move(clauses));
    return true;
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
    if (at_ == text_.size() || !is_letter(text_[at_])) {
      return refuse("the name of a column, in double quotes if it is not one word,",
                    advice_for(rest(), kNameHints));
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_in_name(text_[at_])) ++at_;
    name = text_.substr(begin, at_ - begin);
    return true;
  }

  // Takes all "not" before a comparison or a parenthesis, and says whether their count is odd. The
  // last one is the name of a column in "not = 5" and "not in (1, 2)".
  bool take_nots() {
    bool is_odd = false;
    skip_spaces();
    std::size_t last = at_;
    for (std::size_t before = at_; take_keyword("not"); before = at_) {
      last = before;
      is_odd = !is_odd;
      skip_spaces();
    }
    if (at_ == last) return false;
    const bool is_operator_word = begins_with(rest(), "is") || begins_with(rest(), "in") ||
                                  begins_with(rest(), "between") || begins_with(rest(), "like");
    const bool is_comparison =
        at_ < text_.size() && (is_letter(text_[at_]) || text_[at_] == '"' || text_[at_] == '(');
    if (is_comparison && !is_operator_word) return is_odd;
    at_ = last;
    return !is_odd;
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

  // A value, or the column that takes its place: a name with nothing behind it.
  bool parse_operand(FilterComparison& comparison) {
    skip_spaces();
    const std::size_t before = at_;
    std::size_t end = at_;
    while (end < text_.size() && is_in_name(text_[end])) ++end;
    const bool is_quoted = at_ < text_.size() && text_[at_] == '"';
    const bool is_word = end > at_ && is_letter(text_[at_]) &&
                         (end == text_.size() || is_space(text_[end]) || text_[end] == ')') &&
                         !value_of_word(text_.substr(at_, end - at_)) &&
                         advice_for(rest(), kValueHints).empty();
    if (!is_quoted && !is_word) return parse_value(comparison.values.emplace_back());
    if (!parse_name(comparison.other.emplace())) return false;
    if (comparison.op != FilterOp::kLike) return true;
    at_ = before;
    return refuse("a text in single quotes");
  }

  bool parse_values(std::vector<FilterValue>& values) {
    if (!take("(")) return refuse("'('");
    do {
      if (!parse_value(values.emplace_back())) return false;
    } while (take(","));
    return take(")") || refuse("',' or ')'");
  }

  // `a or b`; with `negated` what does not satisfy it, which is `not a and not b`.
  bool parse_any(bool negated, Clauses& clauses) {
    if (!parse_all(negated, clauses)) return false;
    while (take_keyword("or")) {
      Clauses next;
      if (!parse_all(negated, next) || !join(clauses, std::move(next), negated)) return false;
    }
    return true;
  }

  bool parse_all(bool negated, Clauses& clauses) {
    if (!parse_one(negated, clauses)) return false;
    while (take_keyword("and")) {
      Clauses next;
      if (!parse_one(negated, next) || !join(clauses, std::move(next), !negated)) return false;
    }
    return true;
  }

  bool parse_one(bool negated, Clauses& clauses) {
    if (take_nots()) negated = !negated;
    if (!take("(")) return parse_comparison(negated, clauses);
    if (++depth_ > kMaxDepth) return refuse("a filter with fewer parentheses in each other");
    if (!parse_any(negated, clauses)) return false;
    --depth_;
    return take(")") || refuse("'and', 'or' or ')'", advice_for(rest(), kJoinHints));
  }

  bool join(Clauses& clauses, Clauses next, bool by_and) {
    if (by_and) {
      std::move(next.begin(), next.end(), std::back_inserter(clauses));
      return true;
    }
    if (disjoin(clauses, std::move(next))) return true;
    return problem_.is_invalid("'" + shown(text_) +
                               "': has too many combinations of 'or' within 'and' within 'or'");
  }

  static void add(Clauses& clauses, FilterComparison comparison, bool negated) {
    comparison.negated = negated;
    if (negated && (comparison.op == FilterOp::kIsNull || comparison.op == FilterOp::kIsNotNull)) {
      comparison.negated = false;
      comparison.op = comparison.op == FilterOp::kIsNull ? FilterOp::kIsNotNull : FilterOp::kIsNull;
    }
    clauses.emplace_back().emplace_back().push_back(std::move(comparison));
  }

  bool parse_comparison(bool negated, Clauses& clauses) {
    FilterComparison comparison;
    if (!parse_name(comparison.column)) return false;
    if (take_keyword("is")) {
      comparison.op = take_keyword("not") ? FilterOp::kIsNotNull : FilterOp::kIsNull;
      if (!take_keyword("null")) return refuse("'null'");
      add(clauses, std::move(comparison), negated);
      return true;
    }
    const bool is_not = take_keyword("not");
    if (is_not) negated = !negated;
    if (take_keyword("between")) return parse_between(std::move(comparison), negated, clauses);
    if (take_keyword("in")) {
      comparison.op = FilterOp::kIn;
      if (!parse_values(comparison.values)) return false;
    } else if (take_keyword("like")) {
      comparison.op = FilterOp::kLike;
      if (!parse_operand(comparison)) return false;
    } else if (is_not) {
      return refuse("'in', 'like' or 'between'");
    } else if (!parse_symbol(comparison.op) || !parse_operand(comparison)) {
      return false;
    }
    add(clauses, std::move(comparison), negated);
    return true;
  }

  bool parse_between(FilterComparison low, bool negated, Clauses& clauses) {
    FilterComparison high = low;
    low.op = FilterOp::kGreaterEqual;
    high.op = FilterOp::kLessEqual;
    if (!parse_operand(low)) return false;
    if (!take_keyword("and")) return refuse("'and'");
    if (!parse_operand(high)) return false;
    Clauses next;
    add(clauses, std::move(low), negated);
    add(next, std::move(high), negated);
    return join(clauses, std::move(next), !negated);
  }

  bool parse_symbol(FilterOp& found) {
    skip_spaces();
    const bool is_other =
        begins_with(rest(), "<>") || begins_with(rest(), "=<") || begins_with(rest(), "=>");
    for (const auto& [symbol, op] : kSymbols) {
      if (is_other || !take(symbol)) continue;
      found = op;
      return true;
    }
    return refuse("=, !=, <, <=, >, >=, 'in', 'like', 'between' or 'is'",
                  advice_for(rest(), kOpHints));
  }

  // Bytes of the text from the error on that a message repeats.
  static constexpr std::size_t kShownRest = 20;
  // Parentheses in each other. Each takes a few calls of the stack, and a filter may come from a
  // stranger.
  static constexpr int kMaxDepth = 100;

  std::string_view text_;
  FilterProblem& problem_;
  std::size_t at_ = 0;
  int depth_ = 0;
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

bool find_op(std::string_view text, FilterOp& op, bool* negated, FilterProblem& problem) {
  std::string name = one_spaced(text);
  if (negated != nullptr) {
    *negated = name.starts_with("not ");
    if (*negated) name.erase(0, 4);
  }
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
  std::string advice;
  if (!name.empty()) {
    advice = advice_for(name, kOpHints);
    if (advice.empty()) advice = advice_for(name, kJoinHints);
    if (advice.empty()) advice = advice_for(name, kListHints);
  }
  return problem.is_invalid("'" + shown(text) +
                            "' is not one of the operators =, ==, !=, <, <=, >, >=, in, like, "
                            "is null and is not null" +
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
  constexpr std::string_view kNames[] = {"=",  "!=", "<",       "<=",          ">",
                                         ">=", "in", "is null", "is not null", "like"};
  const auto index = static_cast<std::size_t>(op);
  return index < std::size(kNames) ? kNames[index] : std::string_view("?");
}

Result<FilterOp> filter_op_of(std::string_view text, std::string* message, bool* negated) noexcept {
  return internal::guarded_value<FilterOp>([&](FilterOp& op) {
    internal::FilterProblem problem;
    return internal::find_op(text, op, negated, problem) ? Status() : problem.report(message);
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
