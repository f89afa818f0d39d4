// SPDX-License-Identifier: Apache-2.0
#include "formats/element.hpp"

#include <string>

namespace numpact::cli {

using cvc::Dtype;

std::optional<Element> element_of_name(std::string_view name) {
  if (name == "bf16" || name == "bfloat16") return Element{NumberType::kU16, true};
  const std::optional<NumberType> type = number_type_of_name(name);
  return type ? std::optional(Element{*type, false}) : std::nullopt;
}

Element element_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat32:
      return {NumberType::kF32};
    case Dtype::kFloat16:
      return {NumberType::kF16};
    case Dtype::kBFloat16:
      return {NumberType::kU16, true};
    case Dtype::kFloat64:
      return {NumberType::kF64};
    case Dtype::kInt32:
      return {NumberType::kI32};
    case Dtype::kInt64:
      return {NumberType::kI64};
    case Dtype::kInt8:
      return {NumberType::kI8};
    case Dtype::kUInt8:
      break;
  }
  return {NumberType::kU8};
}

Dtype dtype_read_as(const Element& element) {
  if (element.is_bfloat16) return Dtype::kFloat32;
  switch (element.type) {
    case NumberType::kU8:
      return Dtype::kUInt8;
    case NumberType::kI8:
      return Dtype::kInt8;
    case NumberType::kF16:
      return Dtype::kFloat16;
    case NumberType::kU16:
    case NumberType::kI16:
    case NumberType::kI32:
      return Dtype::kInt32;
    case NumberType::kF32:
      return Dtype::kFloat32;
    case NumberType::kU32:
    case NumberType::kU64:
    case NumberType::kI64:
      return Dtype::kInt64;
    case NumberType::kF64:
      break;
  }
  return Dtype::kFloat64;
}

std::string name_of(const Element& element) {
  if (element.is_bfloat16) return "bfloat16";
  const std::string bits = std::to_string(8 * size_of(element));
  switch (element.type) {
    case NumberType::kF16:
    case NumberType::kF32:
    case NumberType::kF64:
      return "float" + bits;
    case NumberType::kI8:
    case NumberType::kI16:
    case NumberType::kI32:
    case NumberType::kI64:
      return "int" + bits;
    default:
      return "uint" + bits;
  }
}

Dtype dtype_of(const Column& column) {
  return column.is_bfloat16 ? Dtype::kBFloat16 : dtype_read_as(element_of(column));
}

void set_dtype(Column& column, Dtype dtype) {
  const Element element = element_of(dtype);
  column.type = element.type;
  column.is_bfloat16 = element.is_bfloat16;
}

}  // namespace numpact::cli
