// SPDX-License-Identifier: Apache-2.0
// Descriptions of types.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow/column_type.hpp"
#include "formats/arrow/arrow_arrays.hpp"

namespace numpact::cli {
namespace {

using internal::arrow::storage_of;

constexpr std::string_view kFixedList = "+w:";

// Numbers that have no other meaning.
std::optional<NumberType> plain_number_type(const ArrowSchema& type) {
  const std::string_view format = type.format;
  if (format.size() != 1 || format == "b" || type.dictionary != nullptr) return std::nullopt;
  const auto storage = storage_of(format);
  return storage ? std::optional(storage->type) : std::nullopt;
}

// "d:18,2" or "d:18,2,256": decimals that numbers hold; none for other types and more digits.
std::optional<LogicalType> decimal_type(std::string_view format) {
  int values[] = {0, 0, 128};  // precision, scale, bits
  if (!format.starts_with("d:")) return std::nullopt;
  const char* at = format.data() + 2;
  const char* const end = format.data() + format.size();
  for (int& value : values) {
    at = std::from_chars(at, end, value).ptr;
    if (at != end) ++at;
  }
  const bool is_byte = std::max(values[0], values[1]) <= 255 && std::min(values[0], values[1]) >= 0;
  const table::DecimalType found{static_cast<std::uint8_t>(values[0]),
                                 static_cast<std::uint8_t>(values[1]),
                                 static_cast<std::uint16_t>(values[2])};
  if (!is_byte || !table::is_valid(found)) return std::nullopt;
  return LogicalType{LogicalKind::kDecimal, {}, "", found};
}

// What numbers of a type mean that storage_of() knows, or decimals.
std::optional<LogicalType> logical_type(const ArrowSchema& type) {
  const std::string_view format = type.format;
  if (type.dictionary != nullptr) return std::nullopt;
  if (!storage_of(format)) return decimal_type(format);
  if (format == "b") return LogicalType{LogicalKind::kBool, {}, ""};
  if (format == "tdD") return LogicalType{LogicalKind::kDate32, {}, ""};
  if (format == "tdm") return LogicalType{LogicalKind::kDate64, {}, ""};
  const auto unit = static_cast<TimeUnit>(std::string_view("smun").find(format[2]));
  if (format.starts_with("tD")) return LogicalType{LogicalKind::kDuration, unit, ""};
  if (format.starts_with("ts")) {
    return LogicalType{LogicalKind::kTimestamp, unit, std::string(format.substr(4))};
  }
  const bool is_long = unit == TimeUnit::kMicro || unit == TimeUnit::kNano;
  return LogicalType{is_long ? LogicalKind::kTime64 : LogicalKind::kTime32, unit, ""};
}

bool is_list_of_numbers(const ArrowSchema& type) {
  const std::string_view format = type.format;
  return (format.starts_with(kFixedList) || format == "+l" || format == "+L") &&
         plain_number_type(*type.children[0]);
}

// Collects the names of the leaf fields of a nested column.
void add_leaves(const std::string& path, const ArrowSchema& type,
                std::vector<std::string>& leaves) {
  if (type.n_children == 0) leaves.push_back(fmt::format("'{}'", path));
  for (std::int64_t i = 0; i < type.n_children; ++i) {
    add_leaves(path + "." + type.children[i]->name, *type.children[i], leaves);
  }
}

std::string why_unfit(const ArrowField& field, const ArrowSchema& type) {
  std::string of_type = fmt::format("values of type {} cannot be compressed", field.type);
  if (type.n_children == 0 || field.is_extension) return of_type;
  std::vector<std::string> leaves;
  add_leaves(field.name, type, leaves);
  return fmt::format("{} (with it {})", of_type, fmt::join(leaves, ", "));
}

}  // namespace

// A count of 32 bits, then texts: a count of bytes of 32 bits before each.
Metadata metadata_in(const char* at) {
  Metadata pairs;
  if (at == nullptr) return pairs;
  const auto count = [&at] {
    std::int32_t found = 0;
    std::memcpy(&found, at, sizeof found);
    at += sizeof found;
    return found;
  };
  const auto text = [&] {
    const auto bytes = static_cast<std::size_t>(count());
    return std::string(std::exchange(at, at + bytes), bytes);
  };
  for (std::int32_t left = count(); left > 0; --left) {
    std::string key = text();
    pairs.emplace_back(std::move(key), text());
  }
  return pairs;
}

std::optional<std::uint64_t> stated_length(const ArrowSchema& lists) {
  const std::string_view format = lists.format;
  if (!format.starts_with(kFixedList)) return std::nullopt;
  std::uint64_t length = 0;
  std::from_chars(format.data() + kFixedList.size(), format.data() + format.size(), length);
  return length;
}

Column describe(const ArrowField& field, const ArrowSchema& type, Purpose purpose) {
  Column column;
  column.name = field.name;
  column.nullable = (type.flags & ARROW_FLAG_NULLABLE) != 0;
  column.metadata = metadata_in(type.metadata);
  column.source_type = field.type;
  const bool is_for_vectors = purpose == Purpose::kVectors;
  if (is_for_vectors && is_list_of_numbers(type)) {
    column.type = *plain_number_type(*type.children[0]);
    column.is_list = true;
    column.dimension = stated_length(type).value_or(1);
  } else if (const std::optional<NumberType> number = plain_number_type(type)) {
    column.type = *number;
  } else if (std::optional<LogicalType> logical = logical_type(type)) {
    column.type = *table::stored_type(logical->kind);
    column.logical = std::move(*logical);
  } else {
    column.unfit = is_for_vectors ? no_vectors(column.source_type) : why_unfit(field, type);
  }
  return column;
}

}  // namespace numpact::cli
