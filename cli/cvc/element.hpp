// SPDX-License-Identifier: Apache-2.0
// Types of numbers in vector files, and what they are read as.
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
  NumberType type = NumberType::kF32;  // bfloat16: of its bits, kU16
  bool is_bfloat16 = false;
};

inline std::size_t size_of(const Element& element) { return size_of(element.type); }
// "f32" or "float32", "bf16" or "bfloat16".
std::optional<Element> element_of_name(std::string_view name);
// The Element that is written for a type; none for those that are only for memory.
Element element_of(cvc::Dtype dtype);

// What rows of it are read as.
cvc::Dtype dtype_read_as(const Element& element);

// Numbers of a file as those of dtype_read_as. `place` names file and column for errors.
class Widener {
 public:
  Widener(const Element& element, bool swap_bytes, std::string place);

  // The bytes themselves, changed in place, or those of a buffer; valid until the next call.
  std::span<const std::byte> widen(std::span<std::byte> bytes);
  // The same of bytes that may not be changed.
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
