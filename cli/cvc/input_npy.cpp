// SPDX-License-Identifier: Apache-2.0
// Reads NumPy arrays of one or two dimensions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "cvc/array_vectors.hpp"
#include "cvc/vector_formats.hpp"
#include "failure.hpp"
#include "formats/npy_header.hpp"
#include "formats/row_stream.hpp"

namespace numpact::cli {
namespace {

// Parses a descr such as "<f4". Returns false if it is not a number type.
bool parse_descr(const std::string& descr, VectorLayout& layout) {
  if (descr.size() != 3) return false;
  const bool little = std::endian::native == std::endian::little;
  const std::string name = fmt::format("{}{}", descr[1], 8 * (descr[2] - '0'));
  const std::optional<NumberType> type = number_type_of_name(name);
  if (!type) return false;
  layout.element = {*type};
  layout.swap_bytes = descr[0] == '<' ? !little : descr[0] == '>' ? little : false;
  layout.source_type = descr;
  if (descr[0] == '>' && size_of(*type) > 1) {
    layout.notes.emplace_back("big-endian numbers are converted");
  }
  return true;
}

// Reads Fortran order: columns are stored one after another, and rows are gathered from all of
// them.
class FortranVectors final : public VectorInput {
 public:
  FortranVectors(const Input& input, std::uint64_t offset, const VectorLayout& layout)
      : VectorInput(input.name()),
        file_(input.file()),
        size_(size_of(layout.element)),
        rows_(*layout.rows),
        widener_(layout.element, layout.swap_bytes, name_),
        numbers_(file_.bytes().subspan(static_cast<std::size_t>(offset))) {
    notes_ = layout.notes;
    columns_.push_back(
        {"", layout.shape, layout.dimension, dtype_read_as(layout.element), layout.source_type});
  }

  std::optional<std::uint64_t> rows() const override { return rows_; }

  std::span<const cvc::Rows> next() override {
    const std::uint64_t dimension = columns_[0].dimension;
    const std::uint64_t count = std::min(rows_per_block(dimension * size_), rows_ - done_);
    if (count == 0) return {};
    buffer_.resize(static_cast<std::size_t>(count * dimension * size_));
    for (std::uint64_t column = 0; column < dimension; ++column) {
      const std::byte* from = numbers_.data() + (column * rows_ + done_) * size_;
      std::byte* to = buffer_.data() + column * size_;
      for (std::uint64_t row = 0; row < count; ++row) {
        std::memcpy(to + row * dimension * size_, from + row * size_, size_);
      }
    }
    done_ += count;
    block_ = {columns_[0].dtype, widener_.widen(std::span(buffer_)).data(), count, dimension};
    return {&block_, 1};
  }

 private:
  FileBytes file_;
  std::size_t size_;
  std::uint64_t rows_;
  std::uint64_t done_ = 0;
  Widener widener_;
  std::span<const std::byte> numbers_;
  std::vector<std::byte> buffer_;
  cvc::Rows block_;
};

}  // namespace

std::unique_ptr<VectorInput> open_npy_vectors(std::unique_ptr<Input> input,
                                              const VectorOptions& options) {
  const std::string& file = input->name();
  refuse_columns(options, file);
  const NpyHeader header = read_npy_header(*input);
  VectorLayout layout;
  if (!parse_descr(header.descr, layout)) {
    throw Failure(ExitCode::kFailure, file,
                  fmt::format("NumPy type '{}' is no number type of vectors", header.descr));
  }
  const std::string shape = fmt::format("({})", fmt::join(header.shape, ", "));
  if (header.shape.empty() || header.shape.size() > 2) {
    throw Failure(ExitCode::kFailure, file,
                  fmt::format("an array of shape {} holds no vectors", shape));
  }
  layout.rows = header.shape[0];
  layout.shape = header.shape.size() == 1 ? Shape::kScalar : Shape::kList;
  layout.dimension = header.shape.size() == 1 ? 1 : header.shape[1];
  if (layout.dimension == 0) {
    throw Failure(ExitCode::kFailure, file, fmt::format("vectors of no numbers: shape {}", shape));
  }
  const std::string what = fmt::format("shape {}", shape);
  const std::uint64_t numbers = checked_bytes(*layout.rows, layout.dimension, file, what);
  const std::uint64_t bytes = checked_bytes(numbers, size_of(layout.element), file, what);
  const std::uint64_t offset = input->bytes_read();
  if (input->size() && *input->size() - std::min(*input->size(), offset) < bytes) {
    throw Failure(ExitCode::kCorrupt, file,
                  fmt::format("truncated: shape {} needs {} bytes behind the header, {} are there",
                              shape, bytes, *input->size() - offset));
  }
  if (!header.fortran_order || layout.dimension == 1 || *layout.rows <= 1) {
    return read_vectors(std::move(input), layout);
  }
  if (!input->size()) {
    throw Failure(ExitCode::kFailure, file,
                  "an array in Fortran order must be a file, it cannot come through a pipe");
  }
  return std::make_unique<FortranVectors>(*input, offset, layout);
}

}  // namespace numpact::cli
