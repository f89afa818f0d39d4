// SPDX-License-Identifier: Apache-2.0
// The eleven number types of Pco, and untyped views of arrays.
#ifndef NUMPACT_TYPES_HPP
#define NUMPACT_TYPES_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "numpact/version.hpp"

namespace numpact {

// A number type; the value is its byte in a file.
enum class NumberType : std::uint8_t {
  kU32 = 1,
  kU64 = 2,
  kI32 = 3,
  kI64 = 4,
  kF32 = 5,
  kF64 = 6,
  kU16 = 7,
  kI16 = 8,
  kF16 = 9,
  kU8 = 10,
  kI8 = 11,
};

inline constexpr NumberType kNumberTypes[] = {NumberType::kU8,  NumberType::kI8,  NumberType::kU16,
                                              NumberType::kI16, NumberType::kF16, NumberType::kU32,
                                              NumberType::kI32, NumberType::kF32, NumberType::kU64,
                                              NumberType::kI64, NumberType::kF64};

// The bits of an IEEE binary16 number.
struct Float16 {
  std::uint16_t bits = 0;
  friend constexpr bool operator==(Float16, Float16) = default;  // compares bits
};

enum class NumberKind : std::uint8_t { kUnsigned, kSigned, kFloat };

constexpr bool is_number_type(std::uint8_t byte) noexcept { return byte >= 1 && byte <= 11; }

// Size of a number in bytes: 1, 2, 4 or 8.
constexpr std::size_t size_of(NumberType type) noexcept {
  switch (type) {
    case NumberType::kU8:
    case NumberType::kI8:
      return 1;
    case NumberType::kU16:
    case NumberType::kI16:
    case NumberType::kF16:
      return 2;
    case NumberType::kU32:
    case NumberType::kI32:
    case NumberType::kF32:
      return 4;
    case NumberType::kU64:
    case NumberType::kI64:
    case NumberType::kF64:
      return 8;
  }
  return 0;
}

constexpr NumberKind kind_of(NumberType type) noexcept {
  switch (type) {
    case NumberType::kI8:
    case NumberType::kI16:
    case NumberType::kI32:
    case NumberType::kI64:
      return NumberKind::kSigned;
    case NumberType::kF16:
    case NumberType::kF32:
    case NumberType::kF64:
      return NumberKind::kFloat;
    default:
      return NumberKind::kUnsigned;
  }
}

// "u8", "i8", "u16", ... "f64"; a static string.
NUMPACT_API std::string_view name_of(NumberType type) noexcept;
// Parses such a name or NumPy's ("uint8", "float64"); none if unknown.
NUMPACT_API std::optional<NumberType> number_type_of_name(std::string_view name) noexcept;

namespace detail {
template <class T>
constexpr std::optional<NumberType> number_type_of() {
  if constexpr (std::is_same_v<T, Float16>) {
    return NumberType::kF16;
  } else if constexpr (std::is_same_v<T, float>) {
    return NumberType::kF32;
  } else if constexpr (std::is_same_v<T, double>) {
    return NumberType::kF64;
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if constexpr (std::is_signed_v<T>) {
      return sizeof(T) == 1   ? NumberType::kI8
             : sizeof(T) == 2 ? NumberType::kI16
             : sizeof(T) == 4 ? NumberType::kI32
                              : NumberType::kI64;
    } else {
      return sizeof(T) == 1   ? NumberType::kU8
             : sizeof(T) == 2 ? NumberType::kU16
             : sizeof(T) == 4 ? NumberType::kU32
                              : NumberType::kU64;
    }
  } else {
    return std::nullopt;
  }
}
}  // namespace detail

// The C++ number types: (u)int8..64, Float16, float, double.
template <class T>
concept Number = detail::number_type_of<std::remove_cv_t<T>>()
.has_value();

template <Number T>
inline constexpr NumberType kNumberTypeOf = *detail::number_type_of<std::remove_cv_t<T>>();

// A view of an array whose type is known at run time. The memory must be aligned for the type.
struct NumberView {
  NumberType type = NumberType::kU8;
  const void* data = nullptr;
  std::size_t count = 0;

  NumberView() = default;
  NumberView(NumberType t, const void* d, std::size_t n) : type(t), data(d), count(n) {}
  template <Number T>
  NumberView(std::span<const T> numbers)  // NOLINT(google-explicit-constructor)
      : type(kNumberTypeOf<T>), data(numbers.data()), count(numbers.size()) {}
};

// The same, writable.
struct MutableNumberView {
  NumberType type = NumberType::kU8;
  void* data = nullptr;
  std::size_t count = 0;

  MutableNumberView() = default;
  MutableNumberView(NumberType t, void* d, std::size_t n) : type(t), data(d), count(n) {}
  template <Number T>
  MutableNumberView(std::span<T> numbers)  // NOLINT(google-explicit-constructor)
      : type(kNumberTypeOf<T>), data(numbers.data()), count(numbers.size()) {}
};

}  // namespace numpact

#endif
