// SPDX-License-Identifier: Apache-2.0
// The formats .fvecs, .bvecs and .ivecs: each row is its dimension in 4 bytes, then its numbers.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "failure.hpp"
#include "formats/element.hpp"
#include "formats/formats.hpp"
#include "formats/row_stream.hpp"

namespace numpact::cli {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are taken as they lie");

constexpr std::size_t kVecsHeadBytes = 4;

std::int32_t dimension_at(std::span<const std::byte> row) {
  std::int32_t dimension = 0;
  std::memcpy(&dimension, row.data(), kVecsHeadBytes);
  return dimension;
}

// Returns rows in place, with the stride that they have in the file.
class VecsNumbers final : public NumberInput {
 public:
  VecsNumbers(std::unique_ptr<Input> input, const Column& column)
      : input_(std::move(input)),
        type_(column.type),
        dimension_(column.dimension),
        row_bytes_(kVecsHeadBytes + dimension_ * size_of(type_)),
        stream_(*input_, row_bytes_, std::nullopt, "row") {
    if (!input_->size()) return;
    rows_ = *input_->size() / row_bytes_;
    if (*input_->size() % row_bytes_ != 0) {
      fail_corrupt(input_->name(),
                   "corrupt: {} bytes are not a whole number of rows of {} numbers, "
                   "as the first has",
                   *input_->size(), dimension_);
    }
  }

  std::optional<std::uint64_t> count() const override {
    return rows_ ? std::optional(*rows_ * dimension_) : std::nullopt;
  }
  std::size_t row_stride() const override { return static_cast<std::size_t>(row_bytes_); }

  NumberView next() override {
    const std::uint64_t first = stream_.done();
    const std::span<const std::byte> bytes =
        stream_.next(std::max<std::uint64_t>(1, block_numbers() / dimension_));
    if (bytes.empty()) return {type_, nullptr, 0};
    const std::uint64_t count = bytes.size() / row_bytes_;
    for (std::uint64_t row = 0; row < count; ++row) {
      const std::int32_t dimension = dimension_at(bytes.subspan(row * row_bytes_));
      if (dimension == static_cast<std::int64_t>(dimension_)) continue;
      fail_corrupt(input_->name(), "corrupt: row {} has {} numbers, the first has {}", first + row,
                   dimension, dimension_);
    }
    return {type_, bytes.data() + kVecsHeadBytes, static_cast<std::size_t>(count * dimension_)};
  }

 private:
  std::unique_ptr<Input> input_;
  NumberType type_;
  std::uint64_t dimension_;
  std::uint64_t row_bytes_;
  RowStream stream_;
  std::optional<std::uint64_t> rows_;
};

class VecsTable final : public TableInput {
 public:
  VecsTable(std::unique_ptr<Input> input, cvc::Dtype dtype)
      : TableInput(false), input_(std::move(input)) {
    Column& column = columns_.emplace_back();
    column.is_list = true;
    column.dimension = first_dimension(*input_);
    column.source_type = std::string(name_of(element_of(dtype)));
    set_dtype(column, dtype);
  }

  std::unique_ptr<NumberInput> open(std::size_t) override {
    return std::make_unique<VecsNumbers>(std::move(input_), columns_[0]);
  }

 private:
  static std::uint64_t first_dimension(Input& input) {
    const std::span<const std::byte> front = input.peek(kVecsHeadBytes);
    if (front.empty()) fail(input.name(), "is empty: its dimension is not known");
    if (front.size() < kVecsHeadBytes) fail_corrupt(input.name(), "truncated: ends in row 0");
    const std::int32_t dimension = dimension_at(front);
    if (dimension < 1) fail_corrupt(input.name(), "corrupt: row 0 has {} numbers", dimension);
    return static_cast<std::uint64_t>(dimension);
  }

  std::unique_ptr<Input> input_;
};

class VecsOutput final : public TableOutput {
 public:
  VecsOutput(OutputFile& file, const Column& column, cvc::Dtype dtype)
      : file_(file), dimension_(column.dimension) {
    if (dtype_of(column) != dtype) {
      fail_usage(file.name(), "this format holds {}, not {}", name_of(element_of(dtype)),
                 name_of(element_of(dtype_of(column))));
    }
    if (dimension_ < 1 || dimension_ > std::numeric_limits<std::int32_t>::max()) {
      fail_usage(file.name(), "this format has no rows of {} numbers", dimension_);
    }
  }

  void write(std::span<const ColumnBlock> columns) override {
    const NumberView& numbers = columns[0].numbers;
    const std::size_t bytes = static_cast<std::size_t>(dimension_) * size_of(numbers.type);
    const auto dimension = static_cast<std::int32_t>(dimension_);
    std::byte head[kVecsHeadBytes];
    std::memcpy(head, &dimension, sizeof head);
    const auto* from = static_cast<const std::byte*>(numbers.data);
    for (std::uint64_t row = 0; row < columns[0].rows; ++row) {
      file_.put(head);
      file_.put(std::span(from + row * bytes, bytes));
    }
  }
  void finish() override {}

 private:
  OutputFile& file_;
  std::uint64_t dimension_;
};

std::unique_ptr<TableOutput> make_vecs(OutputFile& file, const OutputPlan& plan, cvc::Dtype dtype) {
  return std::make_unique<VecsOutput>(file, only_column(file, plan), dtype);
}

}  // namespace

std::unique_ptr<TableInput> open_fvecs(std::unique_ptr<Input> input, const InputOptions&) {
  return std::make_unique<VecsTable>(std::move(input), cvc::Dtype::kFloat32);
}

std::unique_ptr<TableInput> open_bvecs(std::unique_ptr<Input> input, const InputOptions&) {
  return std::make_unique<VecsTable>(std::move(input), cvc::Dtype::kUInt8);
}

std::unique_ptr<TableInput> open_ivecs(std::unique_ptr<Input> input, const InputOptions&) {
  return std::make_unique<VecsTable>(std::move(input), cvc::Dtype::kInt32);
}

std::unique_ptr<TableOutput> make_fvecs(OutputFile& file, const OutputPlan& plan) {
  return make_vecs(file, plan, cvc::Dtype::kFloat32);
}

std::unique_ptr<TableOutput> make_bvecs(OutputFile& file, const OutputPlan& plan) {
  return make_vecs(file, plan, cvc::Dtype::kUInt8);
}

std::unique_ptr<TableOutput> make_ivecs(OutputFile& file, const OutputPlan& plan) {
  return make_vecs(file, plan, cvc::Dtype::kInt32);
}

}  // namespace numpact::cli
