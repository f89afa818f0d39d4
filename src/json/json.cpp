// SPDX-License-Identifier: Apache-2.0
#include "json/json.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <system_error>

#include "json/characters.hpp"
#include "platform/read_number.hpp"
#include "platform/write_number.hpp"

namespace numpact::internal::json {

namespace {

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
  return plain_integer(platform::number_text(other, std::chars_format::fixed)) == integer;
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

Value Document::root() const { return Value(this, 0, static_cast<std::uint32_t>(nodes_.size())); }

std::uint64_t Value::count() const {
  std::uint64_t n = 0;
  for (auto item = first(); item; item = item->next()) ++n;
  return is(Kind::kObject) ? n / 2 : n;
}

namespace {

// The last value of a key; none if `object` is no object or has no such key.
template <class AnyValue>
std::optional<AnyValue> last_of(const AnyValue& object, std::string_view key) {
  std::optional<AnyValue> found;
  if (!object.is(Kind::kObject)) return found;
  for (auto name = object.first(); name;) {
    const std::optional<AnyValue> value = name->next();
    if (name->says(key)) found = value;
    name = value->next();
  }
  return found;
}

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
  const auto end = platform::read_number(digits.data(), digits.data() + digits.size(), value);
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

std::optional<Value> Value::find(std::string_view key) const { return last_of(*this, key); }

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

std::optional<View> View::find(std::string_view key) const { return last_of(*this, key); }

bool View::says(std::string_view utf8) const {
  if (!is(Kind::kString)) return false;
  return says_text(text(), text().find('\\') != std::string_view::npos, utf8);
}

std::string View::string() const { return string_of(text()); }

std::optional<std::uint64_t> View::natural() const {
  return is(Kind::kInteger) ? natural_of(text()) : std::nullopt;
}

std::optional<std::uint64_t> View::unsigned_integer() const {
  const std::string_view digits = text();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
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

}  // namespace numpact::internal::json
