// SPDX-License-Identifier: Apache-2.0
#include "json/indented.hpp"

#include <utility>

namespace numpact::internal::json {

void append_string(std::string& text, std::string_view utf8) {
  constexpr std::string_view kShort = "\"\\\b\f\n\r\t";
  constexpr std::string_view kNames = "\"\\bfnrt";
  constexpr char kDigits[] = "0123456789abcdef";
  text += '"';
  for (const char c : utf8) {
    const std::size_t index = kShort.find(c);
    if (index != std::string_view::npos) {
      text += '\\';
      text += kNames[index];
    } else if (static_cast<unsigned char>(c) < 0x20) {
      text += "\\u00";
      text += kDigits[c >> 4];
      text += kDigits[c & 15];
    } else {
      text += c;
    }
  }
  text += '"';
}

void IndentedText::new_line() {
  text_ += '\n';
  text_.append(2 * closing_.size(), ' ');
}

void IndentedText::begin_value() {
  if (std::exchange(has_name_, false) || closing_.empty()) return;
  if (!std::exchange(is_first_, false)) text_ += ',';
  new_line();
}

void IndentedText::open(char bracket) {
  begin_value();
  text_ += bracket;
  closing_ += bracket == '{' ? '}' : ']';
  is_first_ = true;
}

void IndentedText::close() {
  const char bracket = closing_.back();
  closing_.pop_back();
  if (!std::exchange(is_first_, false)) new_line();
  text_ += bracket;
}

void IndentedText::name(std::string_view utf8) {
  begin_value();
  append_string(text_, utf8);
  text_ += ": ";
  has_name_ = true;
}

void IndentedText::string(std::string_view utf8) {
  begin_value();
  append_string(text_, utf8);
}

void IndentedText::natural(std::uint64_t number) {
  begin_value();
  append(number);
}

void IndentedText::boolean(bool value) {
  begin_value();
  text_ += value ? "true" : "false";
}

std::string IndentedText::take() {
  text_ += '\n';
  return std::exchange(text_, std::string());
}

void IndentedText::append(std::uint64_t number) { text_ += std::to_string(number); }

}  // namespace numpact::internal::json
