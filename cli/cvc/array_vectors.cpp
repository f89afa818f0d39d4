// SPDX-License-Identifier: Apache-2.0
#include "cvc/array_vectors.hpp"

#include <utility>

#include "failure.hpp"
#include "formats/row_stream.hpp"

namespace numpact::cli {
namespace {

class ArrayVectors final : public VectorInput {
 public:
  ArrayVectors(std::unique_ptr<Input> input, const VectorLayout& layout)
      : VectorInput(input->name()),
        input_(std::move(input)),
        rows_(layout.rows),
        row_bytes_(checked_bytes(layout.dimension, size_of(layout.element), name_, "a row")),
        stream_(*input_, row_bytes_, layout.rows),
        widener_(layout.element, layout.swap_bytes, name_) {
    notes_ = layout.notes;
    columns_.push_back(
        {"", layout.shape, layout.dimension, dtype_read_as(layout.element), layout.source_type});
    if (!rows_ && input_->size()) rows_ = *input_->size() / row_bytes_;
  }

  std::optional<std::uint64_t> rows() const override { return rows_; }

  std::span<const cvc::Rows> next() override {
    const std::span<std::byte> bytes = stream_.next();
    if (bytes.empty()) return {};
    const VectorColumn& column = columns_[0];
    block_ = {column.dtype, widener_.widen(bytes).data(), bytes.size() / row_bytes_,
              column.dimension};
    return {&block_, 1};
  }

 private:
  std::unique_ptr<Input> input_;
  std::optional<std::uint64_t> rows_;
  std::uint64_t row_bytes_;
  RowStream stream_;
  Widener widener_;
  cvc::Rows block_;
};

}  // namespace

std::unique_ptr<VectorInput> read_vectors(std::unique_ptr<Input> input,
                                          const VectorLayout& layout) {
  return std::make_unique<ArrayVectors>(std::move(input), layout);
}

}  // namespace numpact::cli
