// SPDX-License-Identifier: Apache-2.0
// The formats .fbin, .u8bin, .i8bin and .ibin of billion-scale benchmarks: the count of rows and
// their dimension, each in 4 bytes, then the numbers of all rows.
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "failure.hpp"
#include "formats/array.hpp"
#include "formats/element.hpp"
#include "formats/formats.hpp"
#include "formats/row_stream.hpp"

namespace numpact::cli {
namespace {

class CountedRows final : public TableInput {
 public:
  CountedRows(std::unique_ptr<Input> input, cvc::Dtype dtype)
      : TableInput(false), input_(std::move(input)) {
    Column& column = columns_.emplace_back();
    column.is_list = true;
    column.source_type = std::string(name_of(element_of(dtype)));
    set_dtype(column, dtype);
    std::uint32_t head[2];
    const std::span<std::byte> bytes = std::as_writable_bytes(std::span(head));
    const std::size_t got = input_->read_full(bytes);
    if (got == 0) fail(input_->name(), "is empty: its dimension is not known");
    if (got < bytes.size()) fail_corrupt(input_->name(), "truncated: ends in its first 8 bytes");
    if (kSwapsBytes) swap_bytes(bytes, sizeof head[0]);
    layout_.rows = head[0];
    column.dimension = head[1];
    if (column.dimension == 0) fail_corrupt(input_->name(), "corrupt: its rows have 0 numbers");
    layout_.type = column.type;
    layout_.dimension = column.dimension;
    layout_.swap_bytes = kSwapsBytes;
    layout_.row_noun = "row";
    layout_.is_whole_file = true;
    const std::string shape = fmt::format("{} rows of {} numbers", *layout_.rows, column.dimension);
    const std::uint64_t needed = checked_bytes(*layout_.rows * column.dimension,
                                               size_of(column.type), input_->name(), shape);
    if (!input_->size()) return;
    const std::uint64_t there = *input_->size() - bytes.size();
    if (there < needed) {
      fail_corrupt(input_->name(), "truncated: {} need {} bytes behind the first 8, {} are there",
                   shape, needed, there);
    }
    // A ground truth has the distances of its neighbours there.
    if (there > needed) {
      fail_corrupt(input_->name(), "corrupt: {} bytes follow {}", there - needed, shape);
    }
  }

  std::unique_ptr<NumberInput> open(std::size_t) override {
    return read_array(std::move(input_), layout_);
  }

 private:
  std::unique_ptr<Input> input_;
  ArrayLayout layout_;
};

}  // namespace

std::unique_ptr<TableInput> open_fbin(std::unique_ptr<Input> input, const InputOptions&) {
  return std::make_unique<CountedRows>(std::move(input), cvc::Dtype::kFloat32);
}

std::unique_ptr<TableInput> open_u8bin(std::unique_ptr<Input> input, const InputOptions&) {
  return std::make_unique<CountedRows>(std::move(input), cvc::Dtype::kUInt8);
}

std::unique_ptr<TableInput> open_i8bin(std::unique_ptr<Input> input, const InputOptions&) {
  return std::make_unique<CountedRows>(std::move(input), cvc::Dtype::kInt8);
}

std::unique_ptr<TableInput> open_ibin(std::unique_ptr<Input> input, const InputOptions&) {
  return std::make_unique<CountedRows>(std::move(input), cvc::Dtype::kInt32);
}

}  // namespace numpact::cli
