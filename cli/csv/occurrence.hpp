// SPDX-License-Identifier: Apache-2.0
// Records where an event occurred in a CSV file, for messages.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace numpact::cli {

// The count of an event, and its first occurrence. A column has a dozen of them, and a line
// hundreds of thousands of columns, so one that has not happened takes 16 bytes.
struct Occurrence {
  struct Place {
    std::uint64_t line = 0;
    std::string text;
  };
  std::uint64_t count = 0;
  std::unique_ptr<Place> first;  // null: none

  explicit operator bool() const { return count > 0; }
  void add(std::uint64_t at_line, std::string_view at_text) { add(1, at_line, at_text); }
  // Adds `n` > 0 of them, the first one at `at_line`.
  void add(std::uint64_t n, std::uint64_t at_line, std::string_view at_text);
  // "line 7: 'TEXT'". Long texts are truncated.
  std::string place() const;
};

}  // namespace numpact::cli
