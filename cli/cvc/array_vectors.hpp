// SPDX-License-Identifier: Apache-2.0
// Reads a contiguous array of rows, block by block.
#ifndef NUMPACT_CLI_CVC_ARRAY_VECTORS_HPP
#define NUMPACT_CLI_CVC_ARRAY_VECTORS_HPP

#include <memory>

#include "cvc/element.hpp"
#include "cvc/vectors.hpp"
#include "io/files.hpp"

namespace numpact::cli {

struct VectorLayout {
  Element element;
  bool swap_bytes = false;
  std::optional<std::uint64_t> rows;  // none: up to the end of the input
  std::uint64_t dimension = 0;        // at least 1
  Shape shape = Shape::kList;
  std::string source_type;
  std::vector<std::string> notes;
};

// Reads from the current position of the input.
std::unique_ptr<VectorInput> read_vectors(std::unique_ptr<Input> input, const VectorLayout& layout);

}  // namespace numpact::cli

#endif
