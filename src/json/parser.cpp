// SPDX-License-Identifier: Apache-2.0
// Checks texts, and lists their values.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "base/try.hpp"
#include "json/characters.hpp"
#include "json/json.hpp"

namespace numpact::internal::json {

class Parser {
 public:
  Parser(Document& document, std::uint64_t max_memory)
      : text_(document.text_),
        nodes_(&document.nodes_),
        max_nodes_(max_memory / sizeof(Document::Node)) {}
  explicit Parser(std::string_view text) : text_(text) {}
  Parser(std::string_view text, std::size_t max_values)
      : text_(text), is_strict_(true), max_depth_(kMaxStrictDepth), values_left_(max_values) {}

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
  bool is_strict_ = false;  // RFC 8259: neither NaN nor infinities
  std::size_t max_depth_ = kMaxDepth;
  std::size_t values_left_ = SIZE_MAX;  // how many more scalars, arrays and objects may follow
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
    if (values_left_-- == 0) return corrupt("header: JSON has too many values");
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
  if (open_.size() >= max_depth_) return corrupt("header: JSON is nested too deeply");
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
  if (!is_strict_ && (take("NaN") || take("Infinity") || take("-Infinity"))) {
    return add(Kind::kFloat, begin);
  }
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

std::optional<View> parse_strict(std::string_view text, std::size_t max_values) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";  // a byte order mark, which some editors write
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  if (!is_utf8(text) || !Parser(text, max_values).run().ok()) return std::nullopt;
  return View::root_of(text);
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

}  // namespace numpact::internal::json
