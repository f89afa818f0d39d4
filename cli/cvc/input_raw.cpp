// SPDX-License-Identifier: Apache-2.0
// Reads raw vectors: contiguous rows of little-endian numbers of the type that --dtype names.
#include <bit>
#include <utility>

#include "cvc/array_vectors.hpp"
#include "cvc/vector_formats.hpp"
#include "failure.hpp"

namespace numpact::cli {

std::unique_ptr<VectorInput> open_raw_vectors(std::unique_ptr<Input> input,
                                              const VectorOptions& options) {
  refuse_columns(options, input->name());
  const std::optional<Element> element = element_of_name(options.dtype);
  if (options.dtype.empty() || !options.dimension) {
    fail_usage(input->name(), "raw vectors need --dtype and --dimension");
  }
  if (!element) fail_usage("--dtype", "'" + options.dtype + "' is no number type");
  if (*options.dimension == 0) fail_usage("--dimension", "is 0");
  VectorLayout layout;
  layout.element = *element;
  layout.swap_bytes = std::endian::native != std::endian::little;
  layout.dimension = *options.dimension;
  layout.source_type = options.dtype;
  return read_vectors(std::move(input), layout);
}

}  // namespace numpact::cli
