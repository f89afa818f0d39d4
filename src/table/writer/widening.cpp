// SPDX-License-Identifier: Apache-2.0
#include "table/writer/widening.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/try.hpp"
#include "number/float_traits.hpp"

namespace numpact::internal {
namespace {

using table::DecimalType;
using table::Kind;
using table::Unit;

constexpr std::int64_t kMillisADay = 86'400'000;
constexpr NumberType kSigned[] = {NumberType::kI8, NumberType::kI16, NumberType::kI32,
                                  NumberType::kI64};

// The type of floats that holds all integers of a type; none for 64 bits.
std::optional<NumberType> float_for(NumberType type) {
  if (kind_of(type) == NumberKind::kFloat) return type;
  switch (size_of(type)) {
    case 1:
      return NumberType::kF16;
    case 2:
      return NumberType::kF32;
    case 4:
      return NumberType::kF64;
    default:
      return std::nullopt;
  }
}

std::optional<NumberType> common_number(NumberType one, NumberType other) {
  if (kind_of(one) == kind_of(other)) return size_of(one) >= size_of(other) ? one : other;
  if (kind_of(one) == NumberKind::kFloat || kind_of(other) == NumberKind::kFloat) {
    const auto first = float_for(one);
    const auto second = float_for(other);
    if (!first || !second) return std::nullopt;
    return size_of(*first) >= size_of(*second) ? first : second;
  }
  const bool is_first = kind_of(one) == NumberKind::kUnsigned;
  const std::size_t size = size_of(is_first ? one : other);  // of the one without a sign
  const NumberType with_sign = is_first ? other : one;
  for (const NumberType type : kSigned) {
    if (size_of(type) > size && size_of(type) >= size_of(with_sign)) return type;
  }
  return std::nullopt;
}

// Kinds of the same meaning, of which the later one of two holds the values of both.
constexpr Kind kFamilies[][2] = {{Kind::kDate32, Kind::kDate64}, {Kind::kTime32, Kind::kTime64}};

std::optional<Kind> common_kind(Kind one, Kind other) {
  if (one == other) return one;
  for (const auto& [narrow, wide] : kFamilies) {
    if (std::minmax(one, other) == std::minmax(narrow, wide)) return wide;
  }
  return std::nullopt;
}

// Decimals of the digits before and behind the point that either has.
std::optional<DecimalType> common_decimal(const DecimalType& one, const DecimalType& other) {
  const int scale = std::max(one.scale, other.scale);
  const int whole = std::max(one.precision - one.scale, other.precision - other.scale);
  const DecimalType made{static_cast<std::uint8_t>(whole + scale), static_cast<std::uint8_t>(scale),
                         std::max(one.bits, other.bits)};
  return is_valid(made) ? std::optional(made) : std::nullopt;
}

// How many of the smallest unit of its family a value counts.
std::int64_t size_of_unit(const ValueType& type) {
  if (type.kind == Kind::kDecimal) {
    std::int64_t size = 1;
    for (unsigned i = type.decimal.scale; i < table::kMaxDecimalDigits; ++i) size *= 10;
    return size;
  }
  if (type.kind == Kind::kDate32) return kMillisADay;
  if (!has_unit(type.kind)) return 1;
  constexpr std::int64_t kNanos[] = {1'000'000'000, 1'000'000, 1'000, 1};
  return kNanos[static_cast<std::size_t>(type.unit)];
}

template <class From>
void load_integers(const void* from, std::span<std::uint64_t> out) {
  const auto* at = static_cast<const std::byte*>(from);
  for (std::size_t i = 0; i < out.size(); ++i) {
    From value;
    std::memcpy(&value, at + i * sizeof(From), sizeof(From));
    out[i] = static_cast<std::uint64_t>(value);  // extends the sign
  }
}

void load_integers(NumberType type, const void* from, std::span<std::uint64_t> out) {
  switch (type) {
    case NumberType::kU8:
      return load_integers<std::uint8_t>(from, out);
    case NumberType::kI8:
      return load_integers<std::int8_t>(from, out);
    case NumberType::kU16:
      return load_integers<std::uint16_t>(from, out);
    case NumberType::kI16:
      return load_integers<std::int16_t>(from, out);
    case NumberType::kU32:
      return load_integers<std::uint32_t>(from, out);
    case NumberType::kI32:
      return load_integers<std::int32_t>(from, out);
    default:
      return load_integers<std::uint64_t>(from, out);
  }
}

// Writes convert(value) for each value.
template <class From, class Convert>
void store(const void* from, std::size_t n, void* out, const Convert& convert) {
  const auto* read = static_cast<const std::byte*>(from);
  auto* at = static_cast<std::byte*>(out);
  for (std::size_t i = 0; i < n; ++i) {
    From value;
    std::memcpy(&value, read + i * sizeof(From), sizeof(From));
    const auto made = convert(value);
    std::memcpy(at + i * sizeof(made), &made, sizeof(made));
  }
}

void store_integers(std::span<const std::uint64_t> from, NumberType type, void* out) {
  const auto as = [&]<class To>(To) {
    store<std::uint64_t>(from.data(), from.size(), out,
                         [](std::uint64_t value) { return static_cast<To>(value); });
  };
  const auto as_float = [&](const auto& convert) {
    store<std::int64_t>(from.data(), from.size(), out, convert);
  };
  switch (type) {
    case NumberType::kF16:
      return as_float([](std::int64_t v) { return float_to_half(static_cast<float>(v)); });
    case NumberType::kF32:
      return as_float([](std::int64_t v) { return static_cast<float>(v); });
    case NumberType::kF64:
      return as_float([](std::int64_t v) { return static_cast<double>(v); });
    default:
      break;
  }
  switch (size_of(type)) {
    case 1:
      return as(std::uint8_t{});
    case 2:
      return as(std::uint16_t{});
    case 4:
      return as(std::uint32_t{});
    default:
      return as(std::uint64_t{});
  }
}

// The bits of the double with the same value. Signalling NaNs stay such.
std::uint64_t double_bits(std::uint32_t bits) {
  constexpr std::uint32_t kInfinity = 0x7f800000;
  const std::uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > kInfinity) {
    return std::uint64_t{bits >> 31} << 63 | std::uint64_t{0x7ff} << 52 |
           std::uint64_t{bits & 0x7fffff} << 29;
  }
  return std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(bits)));
}

void store_floats(const NumberView& from, NumberType type, void* out) {
  if (from.type == NumberType::kF32) {
    return store<std::uint32_t>(from.data, from.count, out, double_bits);
  }
  if (type == NumberType::kF32) {
    return store<std::uint16_t>(from.data, from.count, out, half_to_float_bits);
  }
  store<std::uint16_t>(from.data, from.count, out,
                       [](std::uint16_t half) { return double_bits(half_to_float_bits(half)); });
}

}  // namespace

ValueType value_type_of(const table::Column& column) {
  ValueType type{column.type, column.kind, Unit::kSecond};
  if (has_unit(column.kind)) type.unit = column.unit;
  if (column.kind == Kind::kDecimal) type.decimal = column.decimal;
  return type;
}

std::string text_of(const ValueType& type, const std::string& timezone) {
  if (type.kind == Kind::kNumber) return std::string(name_of(type.type));
  if (type.kind == Kind::kDecimal) return to_string(type.decimal);
  std::string text(to_string(type.kind));
  if (!has_unit(type.kind)) return text;
  text += '[' + std::string(to_string(type.unit));
  if (!timezone.empty()) text += ", " + timezone;
  return text + ']';
}

std::optional<ValueType> common_type(const ValueType& one, const ValueType& other) {
  const std::optional<Kind> kind = common_kind(one.kind, other.kind);
  if (!kind) return std::nullopt;
  const std::optional<NumberType> type =
      *kind == Kind::kNumber ? common_number(one.type, other.type) : table::stored_type(*kind);
  if (!type) return std::nullopt;
  ValueType made{*type, *kind, std::max(one.unit, other.unit)};
  if (*kind == Kind::kDecimal) {
    const std::optional<DecimalType> decimal = common_decimal(one.decimal, other.decimal);
    if (!decimal) return std::nullopt;
    made.decimal = *decimal;
  }
  return made;
}

Widening::Widening(const ValueType& from, const ValueType& to)
    : from_(from.type), to_(to), factor_(size_of_unit(from) / size_of_unit(to)) {}

std::string Widening::problem() const {
  if (!bad_) return "";
  return "the value " + std::to_string(*bad_) + " does not fit " + text_of(to_, "");
}

Status Widening::scale(std::span<const std::uint8_t> valid) {
  const bool is_narrow = size_of(to_.type) == 4;
  const std::int64_t most = is_narrow ? std::numeric_limits<std::int32_t>::max()
                                      : std::numeric_limits<std::int64_t>::max();
  const std::int64_t limit = most / factor_;
  for (std::size_t i = 0; i < wide_.size(); ++i) {
    if (!valid.empty() && valid[i] == 0) wide_[i] = 0;
    const auto value = static_cast<std::int64_t>(wide_[i]);
    if (value > limit || value < -limit) {
      bad_ = value;
      return Status(ErrorKind::kTypeMismatch, "a value is out of the range of the new type");
    }
    wide_[i] *= static_cast<std::uint64_t>(factor_);
  }
  return {};
}

Status Widening::convert(const NumberView& numbers, std::span<const std::uint8_t> valid,
                         NumberView& out) {
  made_.resize((numbers.count * size_of(to_.type) + 7) / 8);
  out = NumberView(to_.type, made_.data(), numbers.count);
  if (kind_of(from_) == NumberKind::kFloat) {
    store_floats(numbers, to_.type, made_.data());
    return {};
  }
  wide_.resize(numbers.count);
  load_integers(from_, numbers.data, wide_);
  if (factor_ > 1) NUMPACT_TRY(scale(valid));
  store_integers(wide_, to_.type, made_.data());
  return {};
}

}  // namespace numpact::internal
