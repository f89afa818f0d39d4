// SPDX-License-Identifier: Apache-2.0
// The names of kinds and units, and what belongs together.
#include <array>
#include <string>

#include "numpact/table.hpp"

namespace numpact::table {
namespace {

struct KindFacts {
  std::string_view name;
  std::optional<NumberType> stored;
  Unit first_unit;  // the units from the first to the last; none if they are reversed
  Unit last_unit;
};

// In the order of Kind.
constexpr std::array kKinds = {
    KindFacts{"number", std::nullopt, Unit::kNano, Unit::kSecond},
    KindFacts{"bool", NumberType::kU8, Unit::kNano, Unit::kSecond},
    KindFacts{"date32", NumberType::kI32, Unit::kNano, Unit::kSecond},
    KindFacts{"date64", NumberType::kI64, Unit::kNano, Unit::kSecond},
    KindFacts{"time32", NumberType::kI32, Unit::kSecond, Unit::kMilli},
    KindFacts{"time64", NumberType::kI64, Unit::kMicro, Unit::kNano},
    KindFacts{"timestamp", NumberType::kI64, Unit::kSecond, Unit::kNano},
    KindFacts{"duration", NumberType::kI64, Unit::kSecond, Unit::kNano},
    KindFacts{"text", std::nullopt, Unit::kNano, Unit::kSecond},
    KindFacts{"decimal", NumberType::kI64, Unit::kNano, Unit::kSecond},
};

// In the order of Unit.
constexpr std::array<std::string_view, 4> kUnits = {"s", "ms", "us", "ns"};

// In the order of TextType.
constexpr std::array<std::string_view, 4> kTextTypes = {"string", "large_string", "binary",
                                                        "large_binary"};

const KindFacts& facts_of(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

}  // namespace

std::string_view to_string(Kind kind) noexcept { return facts_of(kind).name; }

std::string_view to_string(Unit unit) noexcept { return kUnits[static_cast<std::size_t>(unit)]; }

std::optional<Kind> kind_of_name(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i].name == name) return static_cast<Kind>(i);
  }
  return std::nullopt;
}

std::optional<Unit> unit_of_name(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kUnits.size(); ++i) {
    if (kUnits[i] == name) return static_cast<Unit>(i);
  }
  return std::nullopt;
}

std::string_view to_string(TextType type) noexcept {
  return kTextTypes[static_cast<std::size_t>(type)];
}

std::optional<TextType> text_type_of_name(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kTextTypes.size(); ++i) {
    if (kTextTypes[i] == name) return static_cast<TextType>(i);
  }
  return std::nullopt;
}

std::string to_string(const DecimalType& type) {
  return "decimal" + std::to_string(type.bits) + '(' + std::to_string(type.precision) + ", " +
         std::to_string(type.scale) + ')';
}

bool is_valid(const DecimalType& type) noexcept {
  constexpr unsigned kDigitsOf32 = 9;  // all of them fit 32 bits
  const bool is_size = type.bits == 64 || type.bits == 128 || type.bits == 256 ||
                       (type.bits == 32 && type.precision <= kDigitsOf32);
  return is_size && type.precision > 0 && type.precision <= kMaxDecimalDigits &&
         type.scale <= type.precision;
}

std::optional<NumberType> stored_type(Kind kind) noexcept { return facts_of(kind).stored; }

bool has_unit(Kind kind) noexcept { return facts_of(kind).first_unit <= facts_of(kind).last_unit; }

bool may_have(Kind kind, Unit unit) noexcept {
  return facts_of(kind).first_unit <= unit && unit <= facts_of(kind).last_unit;
}

}  // namespace numpact::table
