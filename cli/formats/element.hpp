// SPDX-License-Identifier: Apache-2.0
// Number types in vector files, and the types they are read as.
#ifndef NUMPACT_CLI_CVC_ELEMENT_HPP
#define NUMPACT_CLI_CVC_ELEMENT_HPP

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "numpact/cvc/types.hpp"
#include "numpact/types.hpp"

namespace numpact::cli {

struct Element {
  NumberType type = NumberType::kF32;  // kU16 for the bits of bfloat16
  bool is_bfloat16 = false;
};

inline std::size_t size_of(const Element& element) { return size_of(element.type); }
// Looks up "f32" or "float32", "bf16" or "bfloat16", and so on.
std::optional<Element> element_of_name(std::string_view name);
// The Element that stores a type; none for types that exist only in memory.
Element element_of(cvc::Dtype dtype);

// The type that rows of this element are read as.
cvc::Dtype dtype_read_as(const Element& element);

// Converts numbers of a file to dtype_read_as(). `place` names file and column in errors.
class Widener {
 public:
  Widener(const Element& element, bool swap_bytes, std::string place);

  // Returns the bytes themselves, converted in place, or those of a buffer; valid until the next
  // call.
  std::span<const std::byte> widen(std::span<std::byte> bytes);
  // Same for bytes that must not be changed.
  std::span<const std::byte> widen(std::span<const std::byte> bytes);

 private:
  std::span<const std::byte> convert(std::span<const std::byte> bytes);

  Element element_;
  bool swap_bytes_;
  std::string place_;
  std::vector<std::byte> swapped_;
  std::vector<std::byte> buffer_;
};

}  // namespace numpact::cli

#endif
