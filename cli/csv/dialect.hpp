// SPDX-License-Identifier: Apache-2.0
// The dialect of a CSV file, with the rules of docs/text-to-numbers.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace numpact::cli {

struct CsvDialect {
  char delimiter = ',';
  std::optional<char> quote = '"';  // none: quotes are text
  char decimal = '.';
  bool has_header = true;
  std::vector<std::string> null_values;  // in addition to an empty unquoted field
};

// Detects the delimiter of a file that begins with `front`. It is a comma, unless the first record
// has none and all records have the same number of fields with a semicolon, a tab or a bar.
// `is_whole`: `front` is the whole file.
char detect_delimiter(std::string_view front, bool is_whole, const CsvDialect& dialect);

// The name of a delimiter in messages: "tab", or the character in quotes.
std::string delimiter_name(char delimiter);

}  // namespace numpact::cli
