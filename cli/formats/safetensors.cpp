// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "cvc/vector_formats.hpp"
#include "failure.hpp"
#include "formats/row_stream.hpp"
#include "formats/safetensors_header.hpp"

namespace numpact::cli {
namespace {

// Reads tensors of one or two dimensions in place.
class TensorVectors final : public VectorInput {
 public:
  TensorVectors(Input& input, const VectorOptions& options) : VectorInput(input.name(), true) {
    load(input);
    std::vector<Tensor> tensors = read_tensors(bytes_, name_);
    std::vector<std::string> names;
    names.reserve(tensors.size());
    for (const Tensor& tensor : tensors) names.push_back(tensor.name);
    for (const std::size_t index : choose_columns(names, options, name_)) {
      add_tensor(tensors[index], !options.columns.empty());
    }
    if (columns_.empty()) throw Failure(ExitCode::kFailure, name_, "no tensor holds vectors");
    std::uint64_t row_bytes = 0;
    for (const VectorColumn& column : columns_)
      row_bytes += column.dimension * size_of(column.dtype);
    block_rows_ = rows_per_block(row_bytes);
    blocks_.resize(columns_.size());
  }

  std::optional<std::uint64_t> rows() const override { return rows_; }

  std::span<const cvc::Rows> next() override {
    const std::uint64_t count = std::min(block_rows_, *rows_ - done_);
    if (count == 0) return {};
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::uint64_t row_bytes = columns_[c].dimension * size_of(*tensors_[c].element);
      const std::span<const std::byte> bytes =
          bytes_.subspan(static_cast<std::size_t>(tensors_[c].offset + done_ * row_bytes),
                         static_cast<std::size_t>(count * row_bytes));
      blocks_[c] = {columns_[c].dtype, wideners_[c].widen(bytes).data(), count,
                    columns_[c].dimension};
    }
    done_ += count;
    return blocks_;
  }

 private:
  void load(Input& input) {
    if (input.size().value_or(0) > 0) {
      file_.emplace(input.file());
      bytes_ = file_->bytes();
    } else {
      read_ = input.read_rest();
      bytes_ = read_;
    }
  }

  static std::string why_unfit(const Tensor& tensor) {
    if (!tensor.element) return fmt::format("type {} is no number type of vectors", tensor.dtype);
    const bool fits = tensor.shape.size() == 1 || (tensor.shape.size() == 2 && tensor.shape[1] > 0);
    return fits ? "" : fmt::format("shape [{}]", fmt::join(tensor.shape, ", "));
  }

  void add_tensor(const Tensor& tensor, bool is_requested) {
    const std::string why = why_unfit(tensor);
    if (!why.empty() && is_requested) {
      throw Failure(ExitCode::kFailure, column_place(name_, tensor.name), why);
    }
    if (!why.empty()) {
      notes_.push_back(fmt::format("tensor '{}' is left out: {}", tensor.name, why));
      return;
    }
    const std::uint64_t rows = tensor.shape[0];
    if (rows_ && *rows_ != rows) {
      throw Failure(ExitCode::kFailure, name_,
                    fmt::format("tensors '{}' and '{}' have {} and {} rows (choose with --column)",
                                tensors_[0].name, tensor.name, *rows_, rows));
    }
    rows_ = rows;
    const bool is_scalar = tensor.shape.size() == 1;
    columns_.push_back({tensor.name, is_scalar ? Shape::kScalar : Shape::kList,
                        is_scalar ? 1 : tensor.shape[1], dtype_read_as(*tensor.element),
                        tensor.dtype});
    wideners_.emplace_back(*tensor.element, false, column_place(name_, tensor.name));
    tensors_.push_back(tensor);
  }

  std::optional<FileBytes> file_;
  std::vector<std::byte> read_;
  std::span<const std::byte> bytes_;
  std::vector<Tensor> tensors_;
  std::vector<Widener> wideners_;
  std::vector<cvc::Rows> blocks_;
  std::optional<std::uint64_t> rows_;
  std::uint64_t block_rows_ = 1;
  std::uint64_t done_ = 0;
};

}  // namespace

std::unique_ptr<VectorInput> open_safetensors(std::unique_ptr<Input> input,
                                              const VectorOptions& options) {
  return std::make_unique<TensorVectors>(*input, options);
}

}  // namespace numpact::cli
