// SPDX-License-Identifier: Apache-2.0
// tests/fixtures/filters: columns, and filters with the rows that they select.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "numpact/table_filter.hpp"
#include "support/half.hpp"

namespace numpact::testing {

struct FixtureColumn {
  std::string type;
  std::vector<std::optional<std::string>> values;  // none: null
};

struct FixtureLine {
  std::string filter;
  std::string expected;
};

struct FilterFixture {
  std::map<std::string, FixtureColumn> columns;
  std::vector<FixtureLine> lines;
};

inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

inline std::string unescaped(std::string text) {
  for (const auto& [from, to] : {std::pair("\\t", "\t"), std::pair("\\n", "\n")}) {
    for (std::size_t at; (at = text.find(from)) != std::string::npos;) text.replace(at, 2, to);
  }
  return text;
}

inline FilterFixture read_filter_fixture(const char* path) {
  FilterFixture fixture;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const std::vector<std::string> fields = split(line, '\t');
    if (fields[0] != "column") {
      fixture.lines.push_back({unescaped(fields[0]), fields.at(1)});
      continue;
    }
    FixtureColumn& column = fixture.columns[fields.at(1)];
    column.type = fields.at(2);
    for (const std::string& value : split(fields.at(3), '|')) {
      column.values.push_back(value == "null" ? std::nullopt : std::optional(value));
    }
  }
  return fixture;
}

// The type of a column of numbers, by Arrow's name; none for others.
inline std::optional<table::ColumnType> column_type(const std::string& name) {
  table::ColumnType column;
  const std::string kind = name.substr(0, name.find('['));
  int bits = 0;
  int precision = 0;
  int scale = 0;
  if (std::sscanf(name.c_str(), "decimal%d(%d, %d)", &bits, &precision, &scale) == 3) {
    column.kind = table::Kind::kDecimal;
    column.type = NumberType::kI64;
    column.decimal = {static_cast<std::uint8_t>(precision), static_cast<std::uint8_t>(scale),
                      static_cast<std::uint16_t>(bits)};
    return table::is_valid(column.decimal) ? std::optional(column) : std::nullopt;
  }
  if (const auto type = number_type_of_name(name)) {
    column.type = *type;
    return column;
  }
  const auto known = table::kind_of_name(kind);
  if (!known) return std::nullopt;
  column.kind = *known;
  column.type = *table::stored_type(*known);
  if (kind == name) return column;
  const std::string inside = name.substr(kind.size() + 1, name.size() - kind.size() - 2);
  column.unit = table::unit_of_name(inside.substr(0, inside.find(','))).value();
  if (inside.find(' ') != std::string::npos) column.timezone = inside.substr(inside.find(' ') + 1);
  return column;
}

// Of decimals, which are written with all their digits, the number without the point.
inline std::uint64_t bits_of(std::string value, NumberType type) {
  if (kind_of(type) != NumberKind::kFloat) std::erase(value, '.');
  if (kind_of(type) == NumberKind::kUnsigned) return std::strtoull(value.c_str(), nullptr, 10);
  if (kind_of(type) == NumberKind::kSigned) {
    return static_cast<std::uint64_t>(std::strtoll(value.c_str(), nullptr, 10));
  }
  const double number = std::strtod(value.c_str(), nullptr);
  if (type == NumberType::kF64) return std::bit_cast<std::uint64_t>(number);
  const auto single = static_cast<float>(number);
  if (type == NumberType::kF32) return std::bit_cast<std::uint32_t>(single);
  return half_bits(single);
}

}  // namespace numpact::testing
