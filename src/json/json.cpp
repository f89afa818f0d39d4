// SPDX-License-Identifier: Apache-2.0
#include "cvc/json/json.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <system_error>

#include "base/try.hpp"

namespace numpact::cvc::json {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The value of four hexadecimal digits, which have been checked.
std::uint32_t hex4(std::string_view text, std::size_t at) {
  std::uint32_t code = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    code = code << 4 | static_cast<std::uint32_t>(hex_digit(text[at + i]));
  }
  return code;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

// For a valid number that is out of range of double: whether it is too large rather than too small.
bool is_overflow(std::string_view text) {
  long long power = 0;  // decimal exponent of the first nonzero digit, plus 1
  bool found = false;
  bool after_point = false;
  std::size_t i = text[0] == '-' ? 1 : 0;
  for (; i < text.size() && (is_digit(text[i]) || text[i] == '.'); ++i) {
    if (text[i] == '.') {
      after_point = true;
    } else {
      found = found || text[i] != '0';
      if (found && !after_point) ++power;
      if (!found && after_point) --power;
    }
  }
  if (i < text.size()) {
    i += text[i + 1] == '+' ? 2 : 1;
    long long exponent = 0;
    const auto end = std::from_chars(text.data() + i, text.data() + text.size(), exponent);
    if (end.ec != std::errc()) return text[i] != '-';
    power += exponent;
  }
  return power > 0;
}

// Canonical text of an integer: JSON has no leading zeros, so only "-0" needs a change. Canonical
// texts are equal if and only if the integers are.
std::string_view plain_integer(std::string_view text) { return text == "-0" ? "0" : text; }

bool is_number(Kind kind) {
  return kind == Kind::kInteger || kind == Kind::kFloat || kind == Kind::kTrue ||
         kind == Kind::kFalse;
}

double number_of(const Value& value) {
  if (value.is(Kind::kTrue)) return 1;
  if (value.is(Kind::kFalse)) return 0;
  return *value.number();
}

std::string_view integer_text(const Value& value) {
  if (value.is(Kind::kTrue)) return "1";
  if (value.is(Kind::kFalse)) return "0";
  return plain_integer(value.text());
}

// Compares exactly, for integers of any length.
bool integer_equals_float(std::string_view integer, double other) {
  char digits[400];
  const auto end = std::to_chars(digits, digits + sizeof digits, other, std::chars_format::fixed);
  const std::string_view text(digits, static_cast<std::size_t>(end.ptr - digits));
  return plain_integer(text) == integer;
}

bool numbers_equal(const Value& a, const Value& b) {
  const bool a_is_float = a.is(Kind::kFloat);
  const bool b_is_float = b.is(Kind::kFloat);
  if (a_is_float && b_is_float) return number_of(a) == number_of(b);
  if (a_is_float) return integer_equals_float(integer_text(b), number_of(a));
  if (b_is_float) return integer_equals_float(integer_text(a), number_of(b));
  return integer_text(a) == integer_text(b);
}

// The members of an object by key; the last value of repeated keys.
std::map<std::string, Value> members_of(const Value& object) {
  std::map<std::string, Value> members;
  for (auto key = object.first(); key;) {
    const std::optional<Value> value = key->next();
    members.insert_or_assign(key->string(), *value);
    key = value->next();
  }
  return members;
}

bool objects_equal(const Value& a, const Value& b) {
  const std::map<std::string, Value> x = members_of(a);
  const std::map<std::string, Value> y = members_of(b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const auto& m, const auto& n) {
    return m.first == n.first && equal(m.second, n.second);
  });
}

bool arrays_equal(const Value& a, const Value& b) {
  auto x = a.first();
  auto y = b.first();
  while (x && y && equal(*x, *y)) {
    x = x->next();
    y = y->next();
  }
  return !x && !y;
}

}  // namespace

class Parser {
 public:
  Parser(Document& document, std::uint64_t max_memory)
      : text_(document.text_),
        nodes_(&document.nodes_),
        max_nodes_(max_memory / sizeof(Document::Node)) {}
  explicit Parser(std::string_view text) : text_(text) {}

  Status run();

 private:
  Status corrupt(const char* what) const { return Status(ErrorKind::kCorrupt, what, at_); }
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  std::size_t take_digits() {
    const std::size_t first = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    return at_ - first;
  }

  Status value();
  Status scalar();
  Status string();
  Status number();
  Status after_value(bool& done);
  Status open(Kind kind);
  void close();
  Status add(Kind kind, std::size_t begin, bool has_escape = false) {
    if (nodes_ == nullptr) return {};
    if (nodes_->size() >= max_nodes_) {
      return Status(ErrorKind::kLimitExceeded, "the header's JSON passes the limit max_memory",
                    begin);
    }
    nodes_->push_back({kind, has_escape, static_cast<std::uint32_t>(begin),
                       static_cast<std::uint32_t>(at_),
                       static_cast<std::uint32_t>(nodes_->size() + 1)});
    return {};
  }

  struct Open {
    Kind kind;
    std::uint32_t node;
  };

  std::string_view text_;
  std::vector<Document::Node>* nodes_ = nullptr;  // null: only check the text
  std::uint64_t max_nodes_ = 0;
  std::size_t at_ = 0;
  std::vector<Open> open_;  // arrays and objects that enclose `at_`
};

Status Parser::run() {
  bool done = false;
  while (!done) {
    NUMPACT_TRY(value());
    NUMPACT_TRY(after_value(done));
  }
  skip_blanks();
  return at_ == text_.size() ? Status() : corrupt("header: text behind the JSON value");
}

// Parses up to and including the next scalar or the opening bracket of an empty array or object,
// and opens all arrays and objects on the way.
Status Parser::value() {
  while (true) {
    skip_blanks();
    const bool in_object = !open_.empty() && open_.back().kind == Kind::kObject;
    if (in_object) {
      NUMPACT_TRY(string());
      skip_blanks();
      if (!take(':')) return corrupt("header: JSON expects a colon");
      skip_blanks();
    }
    if (take('[')) {
      NUMPACT_TRY(open(Kind::kArray));
      skip_blanks();
      if (at_ >= text_.size() || text_[at_] != ']') continue;
      return {};
    }
    if (take('{')) {
      NUMPACT_TRY(open(Kind::kObject));
      skip_blanks();
      if (at_ >= text_.size() || text_[at_] != '}') continue;
      return {};
    }
    return scalar();
  }
}

Status Parser::open(Kind kind) {
  if (open_.size() >= kMaxDepth) return corrupt("header: JSON is nested too deeply");
  const std::size_t node = nodes_ == nullptr ? 0 : nodes_->size();
  open_.push_back({kind, static_cast<std::uint32_t>(node)});
  return add(kind, at_ - 1);
}

void Parser::close() {
  if (nodes_ != nullptr) {
    Document::Node& node = (*nodes_)[open_.back().node];
    node.end = static_cast<std::uint32_t>(at_);
    node.next = static_cast<std::uint32_t>(nodes_->size());
  }
  open_.pop_back();
}

// Closes the arrays and objects that end here. Stops behind a comma; `done` if all are closed.
Status Parser::after_value(bool& done) {
  while (!open_.empty()) {
    skip_blanks();
    const bool is_array = open_.back().kind == Kind::kArray;
    if (take(is_array ? ']' : '}')) {
      close();
    } else {
      if (take(',')) return {};
      return corrupt(at_ == text_.size() ? "header: JSON ends too early"
                                         : "header: JSON expects a comma or a closing bracket");
    }
  }
  done = true;
  return {};
}

Status Parser::scalar() {
  const std::size_t begin = at_;
  if (at_ >= text_.size()) return corrupt("header: JSON ends too early");
  if (text_[at_] == '"') return string();
  if (take("null")) return add(Kind::kNull, begin);
  if (take("true")) return add(Kind::kTrue, begin);
  if (take("false")) return add(Kind::kFalse, begin);
  if (take("NaN") || take("Infinity") || take("-Infinity")) return add(Kind::kFloat, begin);
  return number();
}

Status Parser::number() {
  const std::size_t begin = at_;
  take('-');
  if (!take('0') && take_digits() == 0) {
    at_ = begin;
    return corrupt("header: JSON expects a value");
  }
  bool is_float = false;
  if (at_ + 1 < text_.size() && text_[at_] == '.' && is_digit(text_[at_ + 1])) {
    is_float = true;
    ++at_;
    take_digits();
  }
  if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
    is_float = true;
    ++at_;
    if (!take('+')) take('-');
    if (take_digits() == 0) return corrupt("header: JSON expects digits of an exponent");
  }
  return add(is_float ? Kind::kFloat : Kind::kInteger, begin);
}

Status Parser::string() {
  const std::size_t begin = at_;
  if (!take('"')) {
    return corrupt(at_ == text_.size() ? "header: JSON ends too early"
                                       : "header: JSON expects a string");
  }
  bool has_escape = false;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '"') {
      ++at_;
      return add(Kind::kString, begin, has_escape);
    }
    if (static_cast<unsigned char>(c) < 0x20) return corrupt("header: control byte in a string");
    ++at_;
    if (c != '\\') continue;
    has_escape = true;
    if (at_ >= text_.size()) break;
    const char escaped = text_[at_++];
    if (escaped == 'u') {
      if (text_.size() - at_ < 4) break;
      for (int i = 0; i < 4; ++i) {
        if (hex_digit(text_[at_++]) < 0) return corrupt("header: bad escape in a string");
      }
    } else if (std::string_view("\"\\/bfnrt").find(escaped) == std::string_view::npos) {
      return corrupt("header: bad escape in a string");
    }
  }
  at_ = text_.size();
  return corrupt("header: JSON ends within a string");
}

namespace {

Status check_bytes(std::string_view text) {
  if (text.size() > std::numeric_limits<std::uint32_t>::max() - 1) {
    return Status(ErrorKind::kCorrupt, "header: JSON is too long");
  }
  return is_utf8(text) ? Status() : Status(ErrorKind::kCorrupt, "header: not UTF-8", 0);
}

}  // namespace

Status Document::parse(std::string_view text, std::uint64_t max_memory) {
  text_ = text;
  nodes_.clear();
  NUMPACT_TRY(check_bytes(text));
  return Parser(*this, max_memory).run();
}

Status check(std::string_view text) {
  NUMPACT_TRY(check_bytes(text));
  return Parser(text).run();
}

Value Document::root() const { return Value(this, 0, static_cast<std::uint32_t>(nodes_.size())); }

std::uint64_t Value::count() const {
  std::uint64_t n = 0;
  for (auto item = first(); item; item = item->next()) ++n;
  return is(Kind::kObject) ? n / 2 : n;
}

std::optional<Value> Value::find(std::string_view key) const {
  std::optional<Value> found;
  if (!is(Kind::kObject)) return found;
  for (auto name = first(); name;) {
    const std::optional<Value> value = name->next();
    if (name->says(key)) found = value;
    name = value->next();
  }
  return found;
}

namespace {

// The contents of a quoted string with escapes; lone surrogates are encoded like characters.
std::string string_of(std::string_view quoted) {
  const std::string_view raw = quoted.substr(1, quoted.size() - 2);
  std::string out;
  out.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      out.push_back(raw[i]);
      continue;
    }
    const char escaped = raw[++i];
    if (escaped == 'u') {
      std::uint32_t code = hex4(raw, i + 1);
      i += 4;
      const bool is_high = code >= 0xd800 && code < 0xdc00;
      if (is_high && raw.size() - i > 6 && raw[i + 1] == '\\' && raw[i + 2] == 'u') {
        const std::uint32_t low = hex4(raw, i + 3);
        if (low >= 0xdc00 && low < 0xe000) {
          code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
          i += 6;
        }
      }
      append_utf8(out, code);
    } else {
      constexpr std::string_view kNames = "bfnrt";
      const std::size_t name = kNames.find(escaped);
      out.push_back(name == std::string_view::npos ? escaped : "\b\f\n\r\t"[name]);
    }
  }
  return out;
}

bool says_text(std::string_view quoted, bool has_escape, std::string_view utf8) {
  if (has_escape) return string_of(quoted) == utf8;
  return quoted.substr(1, quoted.size() - 2) == utf8;
}

std::optional<std::uint64_t> natural_of(std::string_view text) {
  const std::string_view digits = plain_integer(text);
  std::int64_t value = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (end.ec != std::errc() || value < 0) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

double double_of(std::string_view digits) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (digits == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (digits == "Infinity") return kInfinity;
  if (digits == "-Infinity") return -kInfinity;
  double value = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (end.ec == std::errc::result_out_of_range) {
    const double magnitude = is_overflow(digits) ? kInfinity : 0;
    value = digits[0] == '-' ? -magnitude : magnitude;
  }
  return value;
}

// End of the value that begins at `at` in a checked text.
std::size_t end_of_value(const char* text, std::size_t at, std::size_t limit) {
  std::size_t depth = 0;
  do {
    const char c = text[at++];
    if (c == '"') {
      while (text[at] != '"') at += text[at] == '\\' ? 2 : 1;
      ++at;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (depth == 0) {  // a number or a literal
      const auto is_inside = [](char one) {
        return one != ',' && one != ':' && one != ']' && one != '}' && !is_blank(one);
      };
      while (at < limit && is_inside(text[at])) ++at;
    }
  } while (depth > 0);
  return at;
}

}  // namespace

bool Value::says(std::string_view utf8) const {
  return is(Kind::kString) && says_text(text(), node().has_escape, utf8);
}

std::string Value::string() const {
  if (node().has_escape) return string_of(text());
  return std::string(text().substr(1, text().size() - 2));
}

std::optional<std::uint64_t> Value::natural() const {
  return is(Kind::kInteger) ? natural_of(text()) : std::nullopt;
}

std::optional<double> Value::number() const {
  if (!is(Kind::kInteger) && !is(Kind::kFloat)) return std::nullopt;
  return double_of(text());
}

View View::root_of(std::string_view text) {
  return *View(text.data(), 0, 0, text.size()).at(0, text.size());
}

std::optional<View> View::at(std::size_t begin, std::size_t limit) const {
  const auto is_between = [](char c) { return is_blank(c) || c == ',' || c == ':'; };
  while (begin < limit && is_between(base_[begin])) ++begin;
  if (begin >= limit) return std::nullopt;
  return View(base_, begin, end_of_value(base_, begin, limit), limit);
}

std::optional<View> View::first() const {
  if (base_[begin_] != '[' && base_[begin_] != '{') return std::nullopt;
  return at(begin_ + 1, end_ - 1);  // up to the closing bracket
}

Kind View::kind() const {
  switch (base_[begin_]) {
    case 'n':
      return Kind::kNull;
    case 'f':
      return Kind::kFalse;
    case 't':
      return Kind::kTrue;
    case '"':
      return Kind::kString;
    case '[':
      return Kind::kArray;
    case '{':
      return Kind::kObject;
    default:
      return text().find_first_of(".eEIN") == std::string_view::npos ? Kind::kInteger
                                                                     : Kind::kFloat;
  }
}

std::uint64_t View::count() const {
  std::uint64_t n = 0;
  for (auto item = first(); item; item = item->next()) ++n;
  return is(Kind::kObject) ? n / 2 : n;
}

bool View::says(std::string_view utf8) const {
  if (!is(Kind::kString)) return false;
  return says_text(text(), text().find('\\') != std::string_view::npos, utf8);
}

std::string View::string() const { return string_of(text()); }

std::optional<std::uint64_t> View::natural() const {
  return is(Kind::kInteger) ? natural_of(text()) : std::nullopt;
}

std::optional<double> View::number() const {
  if (!is(Kind::kInteger) && !is(Kind::kFloat)) return std::nullopt;
  return double_of(text());
}

bool equal(const Value& a, const Value& b) {
  if (is_number(a.kind()) && is_number(b.kind())) return numbers_equal(a, b);
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::kString:
      return a.string() == b.string();
    case Kind::kArray:
      return arrays_equal(a, b);
    case Kind::kObject:
      return objects_equal(a, b);
    default:
      return true;  // null
  }
}

bool is_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned first = byte(i);
    if (first < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() - i < length) return false;
    for (std::size_t k = 1; k < length; ++k) {
      if ((byte(i + k) & 0xc0) != 0x80) return false;
    }
    const unsigned second = byte(i + 1);
    if (first == 0xe0 && second < 0xa0) return false;   // overlong
    if (first == 0xed && second >= 0xa0) return false;  // surrogates
    if (first == 0xf0 && second < 0x90) return false;   // overlong
    if (first == 0xf4 && second >= 0x90) return false;  // past U+10FFFF
    i += length;
  }
  return true;
}

}  // namespace numpact::cvc::json
