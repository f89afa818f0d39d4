// SPDX-License-Identifier: Apache-2.0
// JSON output over several lines, for files that people may read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace numpact::internal::json {

// Appends a string in quotes: UTF-8 stays so; only quotes, backslashes and control characters are
// escaped.
void append_string(std::string& text, std::string_view utf8);

// Writes values in the order of the calls, indented by two blanks for each level. Members of
// an object begin with their name.
class IndentedText {
 public:
  void open_object() { open('{'); }
  void open_array() { open('['); }
  void close();
  void name(std::string_view utf8);
  void string(std::string_view utf8);
  void natural(std::uint64_t number);
  void boolean(bool value);
  // An array on one line.
  template <class Number>
  void naturals(std::span<const Number> numbers) {
    begin_value();
    text_ += '[';
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (i > 0) text_ += ", ";
      append(numbers[i]);
    }
    text_ += ']';
  }

  std::size_t size() const { return text_.size(); }
  // The text with a line break, after the last value is closed.
  std::string take();

 private:
  void open(char bracket);
  void begin_value();
  void new_line();
  void append(std::uint64_t number);

  std::string text_;
  std::string closing_;    // brackets of the open arrays and objects
  bool is_first_ = true;   // of the innermost one
  bool has_name_ = false;  // the value of a member follows
};

}  // namespace numpact::internal::json
