// SPDX-License-Identifier: Apache-2.0
#include "source.hpp"

#include <cstring>

#include "nearest.hpp"

namespace numpact::cli {

InputOptions parse_source_words(const SourceWords& words) {
  InputOptions options;
  options.dtype = parse_dtype(words.dtype);
  if (!words.column.empty()) options.column = words.column;
  if (words.nulls != "error" && words.nulls != "drop") {
    fail_choice("--nulls", words.nulls, {"error", "drop"});
  }
  options.drop_nulls = words.nulls == "drop";
  options.flatten = words.flatten;
  options.has_header = !words.no_header;
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
