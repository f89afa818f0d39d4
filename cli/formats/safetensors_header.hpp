// SPDX-License-Identifier: Apache-2.0
// The header of .safetensors files: 8 bytes of length, JSON, then the bytes of the tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/element.hpp"
#include "formats/table.hpp"

namespace numpact::cli {

inline constexpr std::size_t kTensorHeadBytes = 8;

struct Tensor {
  std::string name;
  std::string dtype;               // as spelt in the file, e.g. "BF16"
  std::optional<Element> element;  // none: not a number type
  std::vector<std::uint64_t> shape;
  std::uint64_t offset = 0;  // from the start of the file
  std::uint64_t bytes = 0;
};

struct Tensors {
  std::vector<Tensor> tensors;
  // The object `__metadata__` as it is in the file, which it refers to; empty: there is none, or it
  // has no members.
  std::string_view metadata;
};

// Returns all tensors in the order of their bytes, which lie inside the file and match their
// shapes. Throws Failure.
Tensors read_tensors(std::span<const std::byte> file, const std::string& name);

std::string_view tensor_dtype(const Element& element);
// The header of contiguous tensors, padded to at least `size` bytes. `metadata`: texts by name.
std::string tensor_header(std::span<const Tensor> tensors, const Metadata& metadata,
                          std::size_t size);

}  // namespace numpact::cli
