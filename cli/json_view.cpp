// SPDX-License-Identifier: Apache-2.0
#include "json_view.hpp"

#include <array>
#include <charconv>
#include <system_error>

#include "text/utf8.hpp"

namespace numpact::cli {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string_view without_blanks_before(std::string_view text) {
  std::size_t blanks = 0;
  while (blanks < text.size() && is_blank(text[blanks])) ++blanks;
  return text.substr(blanks);
}

// Validates a text in one pass. Stores only the stack of open brackets.
class Checker {
 public:
  Checker(std::string_view text, std::size_t max_values) : text_(text), values_left_(max_values) {}

  bool is_json() {
    do {
      if (!take_value() || !take_ends()) return false;
    } while (depth_ > 0);
    skip_blanks();
    return at_ == text_.size();
  }

 private:
  char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view literal) {
    if (text_.substr(at_, literal.size()) != literal) return false;
    at_ += literal.size();
    return true;
  }

  // Takes a scalar or an empty container, with the brackets and the name before it.
  bool take_value() {
    for (;;) {
      skip_blanks();
      if (depth_ > 0 && open_[depth_ - 1] == '{') {
        if (!take_string()) return false;
        skip_blanks();
        if (!take(':')) return false;
        skip_blanks();
      }
      if (values_left_-- == 0) return false;
      const char opening = now();
      if (opening != '[' && opening != '{') return take_scalar();
      if (depth_ == open_.size()) return false;
      open_[depth_++] = opening;
      ++at_;
      skip_blanks();
      if (now() == closing()) return true;  // take_ends() handles it
    }
  }

  char closing() const { return open_[depth_ - 1] == '[' ? ']' : '}'; }

  // Takes closing brackets, up to a comma or the end.
  bool take_ends() {
    while (depth_ > 0) {
      skip_blanks();
      if (take(',')) return true;
      if (!take(closing())) return false;
      --depth_;
    }
    return true;
  }

  bool take_scalar() {
    if (now() == '"') return take_string();
    if (take("null") || take("true") || take("false")) return true;
    return take_number();
  }

  bool take_digits() {
    const std::size_t first = at_;
    while (is_digit(now())) ++at_;
    return at_ > first;
  }

  bool take_number() {
    take('-');
    if (!take('0') && !take_digits()) return false;
    if (take('.') && !take_digits()) return false;
    if (!take('e') && !take('E')) return true;
    if (!take('+')) take('-');
    return take_digits();
  }

  bool take_string() {
    if (!take('"')) return false;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return true;
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c != '\\') continue;
      if (at_ == text_.size()) return false;
      const char escaped = text_[at_++];
      if (escaped != 'u') {
        if (std::string_view("\"\\/bfnrt").find(escaped) == std::string_view::npos) return false;
        continue;
      }
      for (int i = 0; i < 4; ++i) {
        if (at_ == text_.size() || hex_digit(text_[at_++]) < 0) return false;
      }
    }
    return false;
  }

  std::string_view text_;
  std::size_t values_left_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::array<char, JsonView::kMaxDepth> open_{};  // brackets
};

// The length of the value at the start of a validated text.
std::size_t length_of_value(std::string_view text) {
  std::size_t depth = 0;
  std::size_t at = 0;
  do {
    const char c = text[at++];
    if (c == '"') {
      while (text[at] != '"') at += text[at] == '\\' ? 2 : 1;
      ++at;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (depth == 0) {  // a number, true, false or null
      const std::size_t end = text.find_first_of(",:]} \t\n\r", at);
      return end == std::string_view::npos ? text.size() : end;
    }
  } while (depth > 0);
  return at;
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

// Parses four hexadecimal digits of a validated text.
std::uint32_t hex4(std::string_view digits) {
  std::uint32_t code = 0;
  for (const char digit : digits.substr(0, 4)) {
    code = code << 4 | static_cast<std::uint32_t>(hex_digit(digit));
  }
  return code;
}

}  // namespace

std::optional<JsonView> JsonView::of(std::string_view text, std::size_t max_values) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";  // a byte order mark, which some editors write
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  if (!Checker(text, max_values).is_json() || first_not_utf8(text)) return std::nullopt;
  return begin_of(text);
}

// The next value; none at the end of a container.
std::optional<JsonView> JsonView::begin_of(std::string_view rest) {
  rest = without_blanks_before(rest);
  if (rest.empty() || rest[0] == ']' || rest[0] == '}') return std::nullopt;
  const std::size_t length = length_of_value(rest);
  return JsonView(rest.substr(0, length), rest.substr(length));
}

JsonView::Kind JsonView::kind() const {
  switch (text_[0]) {
    case 'n':
      return Kind::kNull;
    case 't':
    case 'f':
      return Kind::kBool;
    case '"':
      return Kind::kString;
    case '[':
      return Kind::kArray;
    case '{':
      return Kind::kObject;
    default:
      return Kind::kNumber;
  }
}

std::optional<JsonView> JsonView::first() const {
  if (text_[0] != '[' && text_[0] != '{') return std::nullopt;
  return begin_of(text_.substr(1));
}

std::optional<JsonView> JsonView::next() const {
  std::string_view rest = without_blanks_before(behind_);
  if (rest.empty() || (rest[0] != ',' && rest[0] != ':')) return std::nullopt;
  return begin_of(rest.substr(1));
}

std::size_t JsonView::count() const {
  std::size_t values = 0;
  for (auto item = first(); item; item = item->next()) ++values;
  return is(Kind::kObject) ? values / 2 : values;
}

std::optional<JsonView> JsonView::find(std::string_view name) const {
  std::optional<JsonView> found;
  if (!is(Kind::kObject)) return found;
  for (auto key = first(); key;) {
    const std::optional<JsonView> value = key->next();
    if (key->says(name)) found = value;
    key = value->next();
  }
  return found;
}

bool JsonView::says(std::string_view utf8) const {
  if (text_.find('\\') != std::string_view::npos) return string() == utf8;
  return text_.size() == utf8.size() + 2 && text_.substr(1, utf8.size()) == utf8;
}

std::string JsonView::string() const {
  const std::string_view raw = text_.substr(1, text_.size() - 2);
  if (raw.find('\\') == std::string_view::npos) return std::string(raw);
  std::string out;
  out.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      out.push_back(raw[i]);
      continue;
    }
    const char escaped = raw[++i];
    if (escaped != 'u') {
      constexpr std::string_view kNames = "bfnrt";
      const std::size_t name = kNames.find(escaped);
      out.push_back(name == std::string_view::npos ? escaped : "\b\f\n\r\t"[name]);
      continue;
    }
    std::uint32_t code = hex4(raw.substr(i + 1));
    i += 4;
    if (code >= 0xd800 && code < 0xdc00 && raw.substr(i + 1, 2) == "\\u") {
      const std::uint32_t low = hex4(raw.substr(i + 3));
      if (low >= 0xdc00 && low < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        i += 6;
      }
    }
    append_utf8(out, code);
  }
  return out;
}

std::optional<std::uint64_t> JsonView::natural() const {
  std::uint64_t number = 0;
  const char* const end = text_.data() + text_.size();
  const std::from_chars_result read = std::from_chars(text_.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

}  // namespace numpact::cli
