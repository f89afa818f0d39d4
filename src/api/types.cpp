// SPDX-License-Identifier: Apache-2.0
#include "numpact/types.hpp"

namespace numpact {
namespace {

struct Names {
  NumberType type;
  std::string_view name;
  std::string_view numpy;
};

constexpr Names kNames[] = {
    {NumberType::kU8, "u8", "uint8"},     {NumberType::kI8, "i8", "int8"},
    {NumberType::kU16, "u16", "uint16"},  {NumberType::kI16, "i16", "int16"},
    {NumberType::kF16, "f16", "float16"}, {NumberType::kU32, "u32", "uint32"},
    {NumberType::kI32, "i32", "int32"},   {NumberType::kF32, "f32", "float32"},
    {NumberType::kU64, "u64", "uint64"},  {NumberType::kI64, "i64", "int64"},
    {NumberType::kF64, "f64", "float64"},
};

}  // namespace

std::string_view name_of(NumberType type) noexcept {
  for (const Names& names : kNames) {
    if (names.type == type) return names.name;
  }
  return "unknown";
}

std::optional<NumberType> number_type_of_name(std::string_view name) noexcept {
  for (const Names& names : kNames) {
    if (names.name == name || names.numpy == name) return names.type;
  }
  return std::nullopt;
}

}  // namespace numpact
