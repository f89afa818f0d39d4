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
  // The first keys of the file's `__metadata__`, at most kMaxMetadataKeys, and the count of all.
  std::vector<std::string> metadata;
  std::uint64_t metadata_count = 0;
};

// Keys that are kept for a note; a header of 100 MB may have millions.
inline constexpr std::size_t kMaxMetadataKeys = 8;

// Returns all tensors in the order of their bytes, which lie inside the file and match their
// shapes. Throws Failure.
Tensors read_tensors(std::span<const std::byte> file, const std::string& name);

std::string_view tensor_dtype(const Element& element);
// The header of contiguous tensors, padded to at least `size` bytes.
std::string tensor_header(std::span<const Tensor> tensors, std::size_t size);

}  // namespace numpact::cli
