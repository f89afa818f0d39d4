// SPDX-License-Identifier: Apache-2.0
// How a CSV file is written: the rules are those of docs/text-to-numbers.md.
#ifndef NUMPACT_CLI_CSV_DIALECT_HPP
#define NUMPACT_CLI_CSV_DIALECT_HPP

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
  std::vector<std::string> null_values;  // besides an empty field without quotes
};

// The delimiter of a file that begins with `front`: a comma, unless the first record has none and
// it and all other records have the same number of fields by a semicolon, a tab or a bar.
// `is_whole`: the file ends with `front`.
char recognise_delimiter(std::string_view front, bool is_whole, const CsvDialect& dialect);

// How messages call a delimiter: "tab", or the character in quotes.
std::string delimiter_name(char delimiter);

}  // namespace numpact::cli

#endif
