// SPDX-License-Identifier: Apache-2.0
#include "arrow_names.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace numpact::python {
namespace {

// Children and levels that a message shows: names longer than a line help nobody.
constexpr std::int64_t kMaxChildren = 8;
constexpr int kMaxDepth = 4;

using Name = std::pair<std::string_view, std::string_view>;

// Formats without parameters.
constexpr Name kNames[] = {
    {"n", "null"},
    {"b", "bool"},
    {"c", "int8"},
    {"C", "uint8"},
    {"s", "int16"},
    {"S", "uint16"},
    {"i", "int32"},
    {"I", "uint32"},
    {"l", "int64"},
    {"L", "uint64"},
    {"e", "halffloat"},
    {"f", "float"},
    {"g", "double"},
    {"z", "binary"},
    {"Z", "large_binary"},
    {"vz", "binary_view"},
    {"u", "string"},
    {"U", "large_string"},
    {"vu", "string_view"},
    {"tdD", "date32[day]"},
    {"tdm", "date64[ms]"},
    {"tiM", "month_interval"},
    {"tiD", "day_time_interval"},
    {"tin", "month_day_nano_interval"},
    {"+l", "list"},
    {"+L", "large_list"},
    {"+vl", "list_view"},
    {"+vL", "large_list_view"},
    {"+s", "struct"},
    {"+m", "map"},
    {"+r", "run_end_encoded"},
};

std::string_view unit_name(char unit) {
  switch (unit) {
    case 's':
      return "s";
    case 'm':
      return "ms";
    case 'u':
      return "us";
    case 'n':
      return "ns";
    default:
      return {};
  }
}

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (const std::string_view part : parts) out += part;
  return out;
}

// "5,2" and "5,2,256": precision, scale, and bits where these are not 128.
std::string decimal_name(std::string_view parameters) {
  const std::size_t first = parameters.find(',');
  if (first == std::string_view::npos) return "decimal";
  const std::size_t second = parameters.find(',', first + 1);
  const bool has_bits = second != std::string_view::npos;
  const std::string_view scale =
      parameters.substr(first + 1, has_bits ? second - first - 1 : second);
  const std::string_view bits = has_bits ? parameters.substr(second + 1) : "128";
  return joined({"decimal", bits, "(", parameters.substr(0, first), ", ", scale, ")"});
}

// Dates, times, timestamps and durations, by the letters before the unit.
std::string time_name(std::string_view format) {
  const std::string_view unit = unit_name(format[2]);
  const std::string_view kind = format.substr(0, 2);
  if (unit.empty()) return {};
  if (kind == "ts") {
    const std::string_view zone = format.size() > 4 ? format.substr(4) : std::string_view();
    if (zone.empty()) return joined({"timestamp[", unit, "]"});
    return joined({"timestamp[", unit, ", tz=", zone, "]"});
  }
  if (kind == "tD") return joined({"duration[", unit, "]"});
  if (kind != "tt") return {};
  return joined({unit == "s" || unit == "ms" ? "time32[" : "time64[", unit, "]"});
}

const ArrowSchema* child_of(const ArrowSchema& schema, std::int64_t index) {
  if (index >= schema.n_children || schema.children == nullptr) return nullptr;
  const ArrowSchema* const child = schema.children[index];
  return child == nullptr || child->format == nullptr ? nullptr : child;
}

std::string name_at(const ArrowSchema& schema, int level);

std::string child_name(const ArrowSchema& schema, std::int64_t index, int level) {
  const ArrowSchema* const child = child_of(schema, index);
  return child == nullptr || level >= kMaxDepth ? "..." : name_at(*child, level + 1);
}

// Maps have one child, of entries; the other kinds show the names of theirs.
std::string children_names(const ArrowSchema& schema, std::string_view format, int level) {
  if (format == "+m") {
    const ArrowSchema* const entries = child_of(schema, 0);
    if (entries == nullptr || level >= kMaxDepth) return "...";
    return joined({child_name(*entries, 0, level + 1), ", ", child_name(*entries, 1, level + 1)});
  }
  std::string out;
  const std::int64_t shown = std::min(schema.n_children, kMaxChildren);
  for (std::int64_t i = 0; i < shown; ++i) {
    const ArrowSchema* const child = child_of(schema, i);
    const char* const name = child == nullptr ? nullptr : child->name;
    out += joined({i == 0 ? "" : ", ", name == nullptr ? "" : name, ": "});
    out += child_name(schema, i, level);
  }
  return shown < schema.n_children ? out + ", ..." : out;
}

std::string name_at(const ArrowSchema& schema, int level) {
  const std::string_view format = schema.format;
  std::string own = arrow_format_name(format);
  if (schema.dictionary != nullptr && schema.dictionary->format != nullptr) {
    const std::string values = level >= kMaxDepth ? "..." : name_at(*schema.dictionary, level + 1);
    const bool is_ordered = (schema.flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0;
    return joined(
        {"dictionary<values=", values, ", indices=", own, ", ordered=", is_ordered ? "1>" : "0>"});
  }
  if (!format.starts_with('+')) return own;
  own += joined({"<", children_names(schema, format, level), ">"});
  // How many items each list has.
  if (format.starts_with("+w:")) own += joined({"[", format.substr(3), "]"});
  return own;
}

}  // namespace

std::string arrow_format_name(std::string_view format) {
  const auto* const found = std::ranges::find(kNames, format, &Name::first);
  if (found != std::end(kNames)) return std::string(found->second);
  if (format.starts_with("d:")) return decimal_name(format.substr(2));
  if (format.starts_with("w:")) return joined({"fixed_size_binary[", format.substr(2), "]"});
  if (format.starts_with("+w:")) return "fixed_size_list";
  if (format.starts_with("+ud:")) return "dense_union";
  if (format.starts_with("+us:")) return "sparse_union";
  const std::string time = format.size() > 2 ? time_name(format) : std::string();
  return time.empty() ? joined({"'", format, "'"}) : time;
}

std::string arrow_type_name(const ArrowSchema& schema) {
  return schema.format == nullptr ? std::string("unknown") : name_at(schema, 0);
}

}  // namespace numpact::python
