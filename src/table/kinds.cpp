// SPDX-License-Identifier: Apache-2.0
// The names of kinds and units, and what belongs together.
#include <algorithm>
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

// In the order of Vectors.
constexpr std::array<std::string_view, 11> kVectorNames = {
    "pco",  "fp16", "bfloat16", "int8", "int8_row", "int8_dim",
    "int4", "rot1", "rot2",     "rot3", "rot4"};

// In the order of TextType.
constexpr std::array<std::string_view, 6> kTextTypes = {
    "string", "large_string", "binary", "large_binary", "string_view", "binary_view"};

// The types of the indices of categories, as Arrow names them.
struct IndexType {
  std::string_view name;
  NumberType type;
};
constexpr std::array kIndexTypes = {
    IndexType{"int8", NumberType::kI8},    IndexType{"int16", NumberType::kI16},
    IndexType{"int32", NumberType::kI32},  IndexType{"int64", NumberType::kI64},
    IndexType{"uint8", NumberType::kU8},   IndexType{"uint16", NumberType::kU16},
    IndexType{"uint32", NumberType::kU32}, IndexType{"uint64", NumberType::kU64},
};

// Removes what a text begins with; false: it begins otherwise.
bool take(std::string_view& text, std::string_view front) {
  if (!text.starts_with(front)) return false;
  text.remove_prefix(front.size());
  return true;
}
std::string_view take_name(std::string_view& text) {
  const std::string_view name = text.substr(0, text.find_first_of(",>"));
  text.remove_prefix(name.size());
  return name;
}

const KindFacts& facts_of(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

}  // namespace

std::string_view to_string(Kind kind) noexcept { return facts_of(kind).name; }

std::string_view to_string(Unit unit) noexcept { return kUnits[static_cast<std::size_t>(unit)]; }

std::string_view to_string(Vectors vectors) noexcept {
  return kVectorNames[static_cast<std::size_t>(vectors)];
}

std::optional<Vectors> vectors_of_name(std::string_view name) noexcept {
  const auto* const found = std::find(kVectorNames.begin(), kVectorNames.end(), name);
  if (found == kVectorNames.end()) return std::nullopt;
  return static_cast<Vectors>(found - kVectorNames.begin());
}

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

std::string type_text(const TextFile& text) {
  const std::string values(to_string(text.type));
  if (!text.index_type) return values;
  const auto* const index = std::find_if(kIndexTypes.begin(), kIndexTypes.end(),
                                         [&](auto& one) { return one.type == *text.index_type; });
  return "dictionary<values=" + values + ", indices=" + std::string(index->name) +
         ", ordered=" + (text.is_ordered ? "1>" : "0>");
}

std::uint64_t max_categories(NumberType index_type) noexcept {
  const unsigned bits = 8 * static_cast<unsigned>(size_of(index_type));
  const unsigned sign_bits = kind_of(index_type) == NumberKind::kSigned ? 1 : 0;
  return std::uint64_t{1} << std::min(bits - sign_bits, 32U);  // places have 32 bits at most
}

bool set_type(TextFile& text, std::string_view type) noexcept {
  text.index_type.reset();
  text.is_ordered = false;
  const bool is_dictionary = take(type, "dictionary<values=");
  const auto values = text_type_of_name(is_dictionary ? take_name(type) : type);
  if (!values) return false;
  text.type = *values;
  if (!is_dictionary) return true;
  if (!take(type, ", indices=")) return false;
  const std::string_view name = take_name(type);
  for (const IndexType& one : kIndexTypes) {
    if (one.name == name) text.index_type = one.type;
  }
  text.is_ordered = type == ", ordered=1>";
  return text.index_type && (text.is_ordered || type == ", ordered=0>");
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
