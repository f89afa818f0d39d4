// SPDX-License-Identifier: Apache-2.0
#include "numbers/logical_type.hpp"

#include <fmt/format.h>

#include <iterator>

namespace numpact::cli {
namespace {

struct KindRow {
  std::string_view name;
  LogicalKind kind;
  bool has_unit;
  std::optional<NumberType> storage;
};

constexpr KindRow kKinds[] = {
    {"number", LogicalKind::kNumber, false, std::nullopt},
    {"bool", LogicalKind::kBool, false, NumberType::kU8},
    {"date32", LogicalKind::kDate32, false, NumberType::kI32},
    {"date64", LogicalKind::kDate64, false, NumberType::kI64},
    {"time32", LogicalKind::kTime32, true, NumberType::kI32},
    {"time64", LogicalKind::kTime64, true, NumberType::kI64},
    {"timestamp", LogicalKind::kTimestamp, true, NumberType::kI64},
    {"duration", LogicalKind::kDuration, true, NumberType::kI64},
};

const KindRow& row_of(LogicalKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

constexpr std::string_view kUnits[] = {"s", "ms", "us", "ns"};

}  // namespace

bool has_unit(LogicalKind kind) { return row_of(kind).has_unit; }

std::string_view to_string(LogicalKind kind) { return row_of(kind).name; }

std::optional<LogicalKind> logical_kind_of(std::string_view name) {
  for (const KindRow& row : kKinds) {
    if (row.name == name) return row.kind;
  }
  return std::nullopt;
}

std::string_view to_string(TimeUnit unit) { return kUnits[static_cast<std::size_t>(unit)]; }

std::optional<TimeUnit> time_unit_of(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kUnits); ++i) {
    if (kUnits[i] == name) return static_cast<TimeUnit>(i);
  }
  return std::nullopt;
}

std::optional<NumberType> storage_of(LogicalKind kind) { return row_of(kind).storage; }

std::string describe(const LogicalType& logical, NumberType type) {
  if (logical.kind == LogicalKind::kNumber) return std::string(name_of(type));
  if (!has_unit(logical.kind)) return std::string(to_string(logical.kind));
  const std::string zone = logical.timezone.empty() ? "" : ", " + logical.timezone;
  return fmt::format("{}[{}{}]", to_string(logical.kind), to_string(logical.unit), zone);
}

}  // namespace numpact::cli
