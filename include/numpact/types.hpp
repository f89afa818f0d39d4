// SPDX-License-Identifier: Apache-2.0
// The eleven number types of Pco, and untyped views of arrays.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

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
  constexpr std::uint8_t kSizes[] = {0, 4, 8, 4, 8, 4, 8, 2, 2, 2, 1, 1};
  const auto byte = static_cast<std::uint8_t>(type);
  return is_number_type(byte) ? kSizes[byte] : 0;
}

// The count of numbers of the type that fit into `bytes`. A value that is no type counts as 1 byte.
template <std::unsigned_integral N>
constexpr N numbers_in(N bytes, NumberType type) noexcept {
  const std::size_t size = size_of(type);
  return static_cast<N>(bytes / (size == 0 ? 1 : size));
}

constexpr NumberKind kind_of(NumberType type) noexcept {
  constexpr char kKinds[] = " uuiiffuifui";
  const auto byte = static_cast<std::uint8_t>(type);
  const char kind = is_number_type(byte) ? kKinds[byte] : 'u';
  return kind == 'i'   ? NumberKind::kSigned
         : kind == 'f' ? NumberKind::kFloat
                       : NumberKind::kUnsigned;
}

// "u8", "i8", "u16", ... "f64"; a static string.
NUMPACT_API std::string_view name_of(NumberType type) noexcept;
// Parses such a name or NumPy's ("uint8", "float64"); none if unknown.
NUMPACT_API std::optional<NumberType> number_type_of_name(std::string_view name) noexcept;

namespace detail {
template <class T>
constexpr std::optional<NumberType> number_type_of() {
  using enum NumberType;
  if constexpr (std::is_same_v<T, Float16>) return kF16;
  if constexpr (std::is_same_v<T, float>) return kF32;
  if constexpr (std::is_same_v<T, double>) return kF64;
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    constexpr NumberType kTypes[] = {kU8, kI8, kU16, kI16, kU32, kI32, kU64, kI64};
    return kTypes[2 * (std::bit_width(sizeof(T)) - 1) + std::is_signed_v<T>];
  }
  return std::nullopt;
}
}  // namespace detail

// The C++ number types: (u)int8..64, Float16, float, double.
template <class T>
concept Number = detail::number_type_of<std::remove_cv_t<T>>()
.has_value();

template <Number T>
inline constexpr NumberType kNumberTypeOf = *detail::number_type_of<std::remove_cv_t<T>>();

namespace detail {
// An array, vector, span etc. of numbers that outlives the call.
template <class R>
concept OutlivingRange =
    std::is_lvalue_reference_v<R> || std::ranges::enable_borrowed_range<std::remove_cvref_t<R>>;
// Its elements, which are contiguous; const if they cannot be written. The header <ranges> would
// say the same, and double the time to compile this one.
template <class R>
using ElementOf = std::remove_pointer_t<decltype(std::data(std::declval<R&>()))>;
template <class R>
concept NumberRange = OutlivingRange<R> && Number<ElementOf<R>> && requires(R& range) {
  std::size(range);
};
}  // namespace detail

// A view of an array whose type is known at run time, in memory of any alignment.
// Converts from every contiguous range of numbers: std::vector, std::array, std::span, T[n].
template <class Void>  // void or const void
struct BasicNumberView {
  NumberType type = NumberType::kU8;
  Void* data = nullptr;
  std::size_t count = 0;

  BasicNumberView() = default;
  BasicNumberView(NumberType t, Void* d, std::size_t n) : type(t), data(d), count(n) {}
  template <detail::NumberRange R>
  requires(std::is_const_v<Void> || !std::is_const_v<detail::ElementOf<R>>)
      BasicNumberView(R&& numbers)  // NOLINT: implicit; and no view is a range
      : type(kNumberTypeOf<detail::ElementOf<R>>),
        data(std::data(numbers)),
        count(std::size(numbers)) {}
};
using NumberView = BasicNumberView<const void>;
using MutableNumberView = BasicNumberView<void>;

}  // namespace numpact
