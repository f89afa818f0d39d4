// SPDX-License-Identifier: Apache-2.0
// Number types in files of vectors, and the types of CVC that stand for them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "formats/table.hpp"
#include "numpact/cvc/types.hpp"
#include "numpact/types.hpp"

namespace numpact::cli {

struct Element {
  NumberType type = NumberType::kF32;  // kU16 for the bits of bfloat16
  bool is_bfloat16 = false;

  friend bool operator==(const Element& a, const Element& b) = default;
};

inline std::size_t size_of(const Element& element) { return size_of(element.type); }
// "float32", "bfloat16", "uint16", ...
std::string name_of(const Element& element);
// Looks up "f32" or "float32", "bf16" or "bfloat16", and so on.
std::optional<Element> element_of_name(std::string_view name);
// The Element that stores a type; none for types that exist only in memory.
Element element_of(cvc::Dtype dtype);
inline Element element_of(const Column& column) { return {column.type, column.is_bfloat16}; }

// The type that rows of this element are read as.
cvc::Dtype dtype_read_as(const Element& element);
// The type of a column whose numbers have a type of CVC.
cvc::Dtype dtype_of(const Column& column);
void set_dtype(Column& column, cvc::Dtype dtype);

}  // namespace numpact::cli
