// SPDX-License-Identifier: Apache-2.0
#include "second/json_plain.hpp"

#include <algorithm>
#include <cstdlib>

namespace numpact::second {
namespace {

constexpr int kMaxDepth = 512;

void append_utf8(std::string& out, std::uint32_t c) {
  const auto add = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    add(c);
  } else if (c < 0x800) {
    add(0xc0 | c >> 6);
    add(0x80 | (c & 63));
  } else if (c < 0x10000) {
    add(0xe0 | c >> 12);
    add(0x80 | (c >> 6 & 63));
    add(0x80 | (c & 63));
  } else {
    add(0xf0 | c >> 18);
    add(0x80 | (c >> 12 & 63));
    add(0x80 | (c >> 6 & 63));
    add(0x80 | (c & 63));
  }
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Json parse() {
    Json value = parse_value(1);
    skip_white_space();
    refuse_if(position_ != text_.size(), "JSON goes on behind its end");
    return value;
  }

 private:
  bool at_end() const { return position_ == text_.size(); }
  char peek() const {
    refuse_if(at_end(), "JSON ends early");
    return text_[position_];
  }
  char take() {
    const char c = peek();
    ++position_;
    return c;
  }
  bool take_if(std::string_view word) {
    if (!text_.substr(position_).starts_with(word)) return false;
    position_ += word.size();
    return true;
  }
  void skip_white_space() {
    while (!at_end() && is_white_space(text_[position_])) ++position_;
  }

  Json parse_value(int depth) {
    refuse_if(depth > kMaxDepth + 1, "JSON is nested too deeply");
    skip_white_space();
    Json value;
    const char c = peek();
    if (c == '{') {
      refuse_if(depth > kMaxDepth, "JSON is nested too deeply");
      value.kind = Json::Kind::kObject;
      parse_members(value, depth);
    } else if (c == '[') {
      refuse_if(depth > kMaxDepth, "JSON is nested too deeply");
      value.kind = Json::Kind::kList;
      parse_items(value, depth);
    } else if (c == '"') {
      value.kind = Json::Kind::kString;
      value.text = parse_string();
    } else if (take_if("true")) {
      value.kind = Json::Kind::kBool;
      value.boolean = true;
    } else if (take_if("false")) {
      value.kind = Json::Kind::kBool;
    } else if (!take_if("null")) {
      value.kind = Json::Kind::kNumber;
      value.text = parse_number();
    }
    return value;
  }

  void parse_members(Json& object, int depth) {
    take();
    skip_white_space();
    if (take_if("}")) return;
    do {
      skip_white_space();
      const std::string key = parse_string();
      skip_white_space();
      refuse_if(take() != ':', "JSON without a colon");
      object.members[key] = parse_value(depth + 1);
      skip_white_space();
    } while (take_if(","));
    refuse_if(take() != '}', "JSON object without an end");
  }

  void parse_items(Json& list, int depth) {
    take();
    skip_white_space();
    if (take_if("]")) return;
    do {
      list.list.push_back(parse_value(depth + 1));
      skip_white_space();
    } while (take_if(","));
    refuse_if(take() != ']', "JSON list without an end");
  }

  std::size_t skip_digits() {
    const std::size_t start = position_;
    while (!at_end() && text_[position_] >= '0' && text_[position_] <= '9') ++position_;
    return position_ - start;
  }

  std::string parse_number() {
    const std::size_t start = position_;
    if (take_if("NaN") || take_if("Infinity") || take_if("-Infinity")) {
      return std::string(text_.substr(start, position_ - start));
    }
    take_if("-");
    const bool zero = peek() == '0';
    const std::size_t digits = skip_digits();
    refuse_if(digits == 0 || (zero && digits > 1), "JSON that is no value");
    if (take_if(".")) refuse_if(skip_digits() == 0, "JSON number without a fraction");
    if (take_if("e") || take_if("E")) {
      if (!take_if("+")) take_if("-");
      refuse_if(skip_digits() == 0, "JSON number without an exponent");
    }
    return std::string(text_.substr(start, position_ - start));
  }

  std::string parse_string() {
    refuse_if(take() != '"', "JSON without a string");
    std::string out;
    while (true) {
      const auto c = static_cast<unsigned char>(take());
      if (c == '"') return out;
      refuse_if(c < 0x20, "control character in a string");
      if (c == '\\') {
        parse_escape(out);
      } else if (c < 0x80) {
        out.push_back(static_cast<char>(c));
      } else {
        append_utf8(out, parse_utf8(c));
      }
    }
  }

  void parse_escape(std::string& out) {
    static constexpr std::string_view kLetters = "\"\\/bfnrt";
    static constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
    const char letter = take();
    if (letter != 'u') {
      const std::size_t i = kLetters.find(letter);
      refuse_if(i == std::string_view::npos, "unknown escape");
      out.push_back(kMeant[i]);
      return;
    }
    std::uint32_t c = parse_hex();
    if (c >= 0xd800 && c < 0xdc00 && text_.substr(position_).starts_with("\\u")) {
      const std::size_t before = position_;
      position_ += 2;
      const std::uint32_t low = parse_hex();
      if (low >= 0xdc00 && low < 0xe000) {
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
      } else {
        position_ = before;
      }
    }
    append_utf8(out, c);
  }

  std::uint32_t parse_hex() {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) {
      const char c = take();
      const bool digit = c >= '0' && c <= '9';
      const bool lower = c >= 'a' && c <= 'f';
      const bool upper = c >= 'A' && c <= 'F';
      refuse_if(!digit && !lower && !upper, "escape that is not hexadecimal");
      const int nibble = digit ? c - '0' : lower ? c - 'a' + 10 : c - 'A' + 10;
      value = value << 4 | static_cast<std::uint32_t>(nibble);
    }
    return value;
  }

  std::uint32_t parse_utf8(unsigned char first) {
    refuse_if(first < 0xc2 || first > 0xf4, "not UTF-8");
    const int more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    std::uint32_t c = first & (0x3fu >> more);
    for (int i = 0; i < more; ++i) {
      const auto next = static_cast<unsigned char>(take());
      refuse_if((next & 0xc0) != 0x80, "not UTF-8");
      c = c << 6 | (next & 0x3fu);
    }
    const std::uint32_t min_code = more == 1 ? 0x80 : more == 2 ? 0x800 : 0x10000;
    refuse_if(c < min_code || c > 0x10ffff || (c >= 0xd800 && c < 0xe000), "not UTF-8");
    return c;
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace

Json parse_json(std::string_view text) { return Parser(text).parse(); }

const Json* Json::find(const std::string& key) const {
  const auto found = members.find(key);
  return found == members.end() ? nullptr : &found->second;
}

const Json& Json::at(const std::string& key) const {
  const Json* const value = find(key);
  if (value == nullptr) refuse("no " + key);
  return *value;
}

const Json& Json::as(Kind expected, const char* what) const {
  if (kind != expected) refuse(std::string(what) + " of another type");
  return *this;
}

const std::string& Json::string_at(const std::string& key) const {
  return at(key).as(Kind::kString, key.c_str()).text;
}

const std::vector<Json>& Json::list_at(const std::string& key) const {
  return at(key).as(Kind::kList, key.c_str()).list;
}

std::uint64_t Json::integer_at(const std::string& key) const {
  const std::string& digits = at(key).as(Kind::kNumber, key.c_str()).text;
  if (digits == "-0") return 0;
  std::uint64_t value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') refuse(key + " is not an integer from 0 on");
    value = 10 * value + static_cast<std::uint64_t>(c - '0');
    if (value >> 63 != 0 || digits.size() > 19) refuse(key + " is 2^63 or more");
  }
  return value;
}

float Json::float_at(const std::string& key) const {
  const std::string& number = at(key).as(Kind::kNumber, key.c_str()).text;
  return static_cast<float>(std::strtod(number.c_str(), nullptr));
}

}  // namespace numpact::second
