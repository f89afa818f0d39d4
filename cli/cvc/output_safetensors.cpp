// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "cvc/vector_formats.hpp"
#include "failure.hpp"
#include "formats/safetensors_header.hpp"

namespace numpact::cli {
namespace {

// Digits by which the header of one tensor may still grow: its rows and its end offset.
constexpr std::size_t kHeaderGrowthDigits = 48;

// The bytes of a single tensor are written in sequence. If its rows are unknown, its header is
// padded and patched at the end. Several tensors are patched in at their offsets.
class TensorOutput final : public VectorOutput {
 public:
  TensorOutput(OutputFile& file, const VectorPlan& plan)
      : file_(file), plan_(plan), planned_(plan.rows.value_or(0)) {
    const bool is_sequence = plan.columns.size() == 1;
    if ((!is_sequence || !plan.rows) && !file.can_patch()) {
      throw Failure(ExitCode::kFailure, file.name(),
                    "several tensors, or one of unknown length, need a file (-o)");
    }
    if (!is_sequence && !plan.rows) {
      throw Failure(ExitCode::kFailure, file.name(),
                    "the number of rows is not known before (choose with --column)");
    }
    const std::vector<Tensor> tensors = describe(planned_);
    const std::string head = tensor_header(tensors, 0);
    header_bytes_ = plan.rows ? head.size() : head.size() + kHeaderGrowthDigits;
    file_.put(tensor_header(tensors, header_bytes_));
    std::uint64_t offset = header_bytes_;
    for (const Tensor& tensor : tensors) {
      offsets_.push_back(offset);
      offset += tensor.bytes;
    }
  }

  void write(std::span<const cvc::Rows> columns) override {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const cvc::Rows& rows = columns[c];
      const std::span<const std::byte> bytes(
          static_cast<const std::byte*>(rows.data),
          static_cast<std::size_t>(rows.count * rows.dimension * size_of(rows.dtype)));
      if (columns.size() == 1) {
        file_.put(bytes);
      } else {
        file_.patch(offsets_[c], bytes);
      }
      offsets_[c] += bytes.size();
    }
    count_ += columns[0].count;
  }

  void finish() override {
    if (count_ == planned_) return;
    const std::string head = tensor_header(describe(count_), header_bytes_);
    file_.patch(0, std::as_bytes(std::span(head)));
  }

 private:
  std::vector<Tensor> describe(std::uint64_t rows) const {
    std::vector<Tensor> tensors;
    for (const VectorColumn& column : plan_.columns) {
      Tensor& tensor = tensors.emplace_back();
      tensor.name = column.name.empty() ? "vectors" : column.name;
      tensor.element = element_of(column.dtype);
      tensor.shape = {rows};
      if (column.shape == Shape::kList) tensor.shape.push_back(column.dimension);
      tensor.bytes = rows * column.dimension * size_of(column.dtype);
    }
    return tensors;
  }

  OutputFile& file_;
  VectorPlan plan_;
  std::uint64_t planned_;
  std::uint64_t count_ = 0;
  std::size_t header_bytes_ = 0;
  std::vector<std::uint64_t> offsets_;
};

}  // namespace

std::unique_ptr<VectorOutput> make_safetensors(OutputFile& file, const VectorPlan& plan) {
  return std::make_unique<TensorOutput>(file, plan);
}

}  // namespace numpact::cli
