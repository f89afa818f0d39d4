// SPDX-License-Identifier: Apache-2.0
// Tensors of one or two dimensions in .safetensors files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "failure.hpp"
#include "formats/element.hpp"
#include "formats/formats.hpp"
#include "formats/safetensors_header.hpp"

namespace numpact::cli {
namespace {

// All bytes of the file: a regular file is mapped, others are read.
class TensorBytes {
 public:
  explicit TensorBytes(Input& input) {
    if (input.size().value_or(0) > 0) {
      file_.emplace(input.file());
      bytes_ = file_->bytes();
    } else {
      read_ = input.read_rest();
      bytes_ = read_;
    }
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::optional<FileBytes> file_;
  std::vector<std::byte> read_;
  std::span<const std::byte> bytes_;
};

// Returns numbers in place where they are aligned.
class TensorNumbers final : public NumberInput {
 public:
  // `numbers` must outlive this object.
  TensorNumbers(const Column& column, std::span<const std::byte> numbers)
      : type_(column.type), dimension_(column.dimension), rest_(numbers) {
    count_ = numbers_in(numbers.size(), type_);
  }

  std::optional<std::uint64_t> count() const override { return count_; }

  NumberView next() override {
    const std::size_t size = size_of(type_);
    const std::uint64_t rows = std::max<std::uint64_t>(1, block_numbers() / dimension_);
    const std::span<const std::byte> bytes =
        rest_.first(std::min(rest_.size(), static_cast<std::size_t>(rows * dimension_ * size)));
    rest_ = rest_.subspan(bytes.size());
    const void* numbers = bytes.data();
    if (reinterpret_cast<std::uintptr_t>(numbers) % size != 0) {
      aligned_.assign(bytes.begin(), bytes.end());
      numbers = aligned_.data();
    }
    return {type_, numbers, numbers_in(bytes.size(), type_)};
  }

 private:
  NumberType type_;
  std::uint64_t dimension_;
  std::span<const std::byte> rest_;
  std::uint64_t count_ = 0;
  std::vector<std::byte> aligned_;
};

std::string why_unfit(const Tensor& tensor) {
  const std::string shape = fmt::format("shape [{}]", fmt::join(tensor.shape, ", "));
  if (!tensor.element) {
    return fmt::format("type {} is not a number type of vectors ({})", tensor.dtype, shape);
  }
  const bool fits = tensor.shape.size() == 1 || (tensor.shape.size() == 2 && tensor.shape[1] > 0);
  return fits ? "" : fmt::format("{} of {}", shape, tensor.dtype);
}

class TensorTable final : public TableInput {
 public:
  TensorTable(Input& input, const InputOptions& options) : TableInput(true), file_(input) {
    Tensors found = read_tensors(file_.bytes(), input.name());
    json_metadata_ = found.metadata;
    for (Tensor& tensor : found.tensors) {
      std::string why = why_unfit(tensor);
      if (!why.empty() && options.skips_unfit) {
        notes_.push_back(left_out_note("tensor", tensor.name, why));
        continue;
      }
      numbers_.push_back(file_.bytes().subspan(static_cast<std::size_t>(tensor.offset),
                                               static_cast<std::size_t>(tensor.bytes)));
      add_column(std::move(tensor), std::move(why));
    }
  }

  std::unique_ptr<NumberInput> open(std::size_t index) override {
    return std::make_unique<TensorNumbers>(columns_[index], numbers_[index]);
  }

 private:
  void add_column(Tensor tensor, std::string why) {
    Column& column = columns_.emplace_back();
    column.name = std::move(tensor.name);
    column.source_type = std::move(tensor.dtype);
    column.unfit = std::move(why);
    if (!column.unfit.empty()) return;
    column.type = tensor.element->type;
    column.is_bfloat16 = tensor.element->is_bfloat16;
    column.is_list = tensor.shape.size() == 2;
    column.dimension = column.is_list ? tensor.shape[1] : 1;
  }

  TensorBytes file_;
  std::vector<std::span<const std::byte>> numbers_;  // of each column
};

// Digits by which the header of one tensor may still grow: its rows and its end offset.
constexpr std::size_t kHeaderGrowthDigits = 48;

// The bytes of a single tensor are written in sequence. If its rows are unknown, its header is
// padded and patched at the end. Several tensors are patched in at their offsets.
class TensorOutput final : public TableOutput {
 public:
  TensorOutput(OutputFile& file, const OutputPlan& plan)
      : file_(file), plan_(plan), planned_(plan.count.value_or(0)) {
    const bool is_sequence = plan.columns.size() == 1;
    if ((!is_sequence || !plan.count) && !file.can_patch()) {
      fail(file.name(), "several tensors, or one of unknown length, need a file (-o)");
    }
    if (!is_sequence && !plan.count) {
      fail(file.name(), "the number of rows is not known before (choose with --column)");
    }
    const std::vector<Tensor> tensors = describe(planned_);
    const std::string head = tensor_header(tensors, plan.metadata, 0);
    header_bytes_ = plan.count ? head.size() : head.size() + kHeaderGrowthDigits;
    file_.put(tensor_header(tensors, plan.metadata, header_bytes_));
    std::uint64_t offset = header_bytes_;
    for (const Tensor& tensor : tensors) {
      offsets_.push_back(offset);
      offset += tensor.bytes;
    }
  }

  void write(std::span<const ColumnBlock> columns) override {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::span<const std::byte> bytes = bytes_of(columns[c].numbers);
      if (columns.size() == 1) {
        file_.put(bytes);
      } else {
        file_.patch(offsets_[c], bytes);
      }
      offsets_[c] += bytes.size();
    }
    count_ += columns[0].rows;
  }

  void finish() override {
    if (count_ == planned_) return;
    const std::string head = tensor_header(describe(count_), plan_.metadata, header_bytes_);
    file_.patch(0, std::as_bytes(std::span(head)));
  }

 private:
  std::vector<Tensor> describe(std::uint64_t rows) const {
    std::vector<Tensor> tensors;
    for (const Column& column : plan_.columns) {
      Tensor& tensor = tensors.emplace_back();
      tensor.name = column.name;
      tensor.element = element_of(column);
      tensor.shape = {rows};
      if (column.is_list) tensor.shape.push_back(column.dimension);
      tensor.bytes = rows * column.dimension * size_of(column.type);
    }
    return tensors;
  }

  OutputFile& file_;
  OutputPlan plan_;
  std::uint64_t planned_;
  std::uint64_t count_ = 0;
  std::size_t header_bytes_ = 0;
  std::vector<std::uint64_t> offsets_;
};

}  // namespace

std::unique_ptr<TableInput> open_safetensors(std::unique_ptr<Input> input,
                                             const InputOptions& options) {
  return std::make_unique<TensorTable>(*input, options);
}

std::unique_ptr<TableOutput> make_safetensors(OutputFile& file, const OutputPlan& plan) {
  return std::make_unique<TensorOutput>(file, plan);
}

}  // namespace numpact::cli
