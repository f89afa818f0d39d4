// SPDX-License-Identifier: Apache-2.0
#include "source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "nearest.hpp"

namespace numpact::cli {
namespace {

NullPolicy parse_nulls(const std::string& word, NullPolicy by_default) {
  if (word.empty()) return by_default;
  if (word == "keep") return NullPolicy::kKeep;
  if (word == "error") return NullPolicy::kError;
  if (word == "drop") return NullPolicy::kDrop;
  fail_choice("--nulls", word, {"keep", "error", "drop"});
}

void parse_dtypes(const std::vector<std::string>& words, InputOptions& options) {
  for (const std::string& word : words) {
    const std::size_t equals = word.rfind('=');
    if (equals == std::string::npos) {
      options.dtype = parse_dtype(word);
    } else {
      options.column_dtypes.emplace_back(word.substr(0, equals),
                                         *parse_dtype(word.substr(equals + 1)));
    }
  }
}

// One character that is no line end; "tab" and "\t" are the tab.
char parse_character(const char* option, const std::string& word) {
  if (word == "tab" || word == "\\t") return '\t';
  const bool fits = word.size() == 1 && word != "\n" && word != "\r" &&
                    static_cast<unsigned char>(word[0]) < 0x80;
  if (!fits) fail_usage(option, fmt::format("'{}' is not one ASCII character", word));
  return word[0];
}

std::vector<std::string> split(const std::string& words) {
  std::vector<std::string> list;
  for (std::size_t from = 0; from <= words.size();) {
    const std::size_t comma = std::min(words.find(',', from), words.size());
    list.push_back(words.substr(from, comma - from));
    from = comma + 1;
  }
  return list;
}

CsvOptions parse_csv_words(const SourceWords& words) {
  CsvOptions csv;
  csv.has_header = !words.no_header;
  if (!words.delimiter.empty()) csv.delimiter = parse_character("--delimiter", words.delimiter);
  csv.quote.reset();
  if (!words.quote.empty() && words.quote != "none") {
    csv.quote = parse_character("--quote", words.quote);
  }
  csv.decimal = parse_character("--decimal", words.decimal);
  if (csv.decimal != '.' && csv.decimal != ',') {
    fail_usage("--decimal", fmt::format("'{}' is neither . nor ,", words.decimal));
  }
  if (csv.quote && csv.quote == csv.delimiter) {
    fail_usage("--quote", fmt::format("'{}' is the delimiter too", *csv.quote));
  }
  if (csv.delimiter && csv.decimal == *csv.delimiter) {
    fail_usage("--decimal", fmt::format("'{}' is the delimiter too", csv.decimal));
  }
  if (!words.null_values.empty()) csv.null_values = split(words.null_values);
  if (!words.memory.empty()) csv.memory_bytes = parse_size("--memory", words.memory);
  return csv;
}

}  // namespace

InputOptions parse_source_words(const SourceWords& words, NullPolicy nulls_by_default) {
  InputOptions options;
  parse_dtypes(words.dtypes, options);
  options.column = words.column;
  options.skip = words.skip;
  options.nulls = parse_nulls(words.nulls, nulls_by_default);
  options.flatten = words.flatten;
  options.csv = parse_csv_words(words);
  return options;
}

std::size_t read_all(NumberInput& input, NumberType type, std::vector<std::uint64_t>& numbers) {
  const std::size_t size = size_of(type);
  std::size_t used = 0;  // bytes
  for (;;) {
    const NumberView piece = input.next();
    if (piece.count == 0) break;
    const std::size_t bytes = piece.count * size;
    const std::size_t words = (used + bytes + 7) / 8;
    if (words > numbers.capacity()) numbers.reserve(words + words / 2);
    numbers.resize(words);
    std::memcpy(reinterpret_cast<std::byte*>(numbers.data()) + used, piece.data, bytes);
    used += bytes;
  }
  return used / size;
}

}  // namespace numpact::cli
