// SPDX-License-Identifier: Apache-2.0
// JSON output like that of Python's json.dumps.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/json.hpp"

namespace numpact::internal::json {

// kOrdered: keys in the given order, separators `, ` and `: `. kSorted: keys by code point,
// separators without blanks.
enum class Style : std::uint8_t { kOrdered, kSorted };

// Strings are escaped to ASCII. Numbers have the shortest digits that parse to the same double.
std::string string_text(std::string_view utf8);
std::string number_text(double number);
// A parsed value in this style. Repeated keys: the last value at the position of the first.
std::string value_text(const Value& value, Style style);

// Builders of an object and of an array from the texts of their elements.
class ObjectText {
 public:
  void add(std::string_view key, std::string value) {
    members_.emplace_back(std::string(key), std::move(value));
  }
  std::string text(Style style);

 private:
  std::vector<std::pair<std::string, std::string>> members_;
};

class ArrayText {
 public:
  explicit ArrayText(Style style) : separator_(style == Style::kSorted ? "," : ", ") {}
  void add(std::string_view value) {
    if (text_.size() > 1) text_ += separator_;
    text_ += value;
  }
  bool is_empty() const { return text_.size() == 1; }
  std::string text() const { return text_ + "]"; }

 private:
  std::string_view separator_;
  std::string text_ = "[";
};

}  // namespace numpact::internal::json
