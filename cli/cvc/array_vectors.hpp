// SPDX-License-Identifier: Apache-2.0
// One array of rows without gaps, which comes piece by piece.
#ifndef NUMPACT_CLI_CVC_ARRAY_VECTORS_HPP
#define NUMPACT_CLI_CVC_ARRAY_VECTORS_HPP

#include <memory>

#include "cvc/element.hpp"
#include "cvc/vectors.hpp"
#include "files.hpp"

namespace numpact::cli {

struct VectorLayout {
  Element element;
  bool swap_bytes = false;
  std::optional<std::uint64_t> rows;  // none: up to the end
  std::uint64_t dimension = 0;        // at least 1
  Shape shape = Shape::kList;
  std::string source_type;
  std::vector<std::string> notes;
};

// From where the input is.
std::unique_ptr<VectorInput> read_vectors(std::unique_ptr<Input> input, const VectorLayout& layout);

}  // namespace numpact::cli

#endif
