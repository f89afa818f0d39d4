// SPDX-License-Identifier: Apache-2.0
// Maps a number type known at run time to a C++ type.
#pragma once

#include <cstdint>
#include <type_traits>

#include "numpact/types.hpp"

namespace numpact::cli {

// Calls `function` with a std::type_identity of the C++ type.
template <class Function>
decltype(auto) with_type(NumberType type, Function&& function) {
  switch (type) {
    case NumberType::kU8:
      return function(std::type_identity<std::uint8_t>());
    case NumberType::kI8:
      return function(std::type_identity<std::int8_t>());
    case NumberType::kU16:
      return function(std::type_identity<std::uint16_t>());
    case NumberType::kI16:
      return function(std::type_identity<std::int16_t>());
    case NumberType::kF16:
      return function(std::type_identity<Float16>());
    case NumberType::kU32:
      return function(std::type_identity<std::uint32_t>());
    case NumberType::kI32:
      return function(std::type_identity<std::int32_t>());
    case NumberType::kF32:
      return function(std::type_identity<float>());
    case NumberType::kU64:
      return function(std::type_identity<std::uint64_t>());
    case NumberType::kI64:
      return function(std::type_identity<std::int64_t>());
    case NumberType::kF64:
      break;
  }
  return function(std::type_identity<double>());
}

}  // namespace numpact::cli
