// SPDX-License-Identifier: Apache-2.0
// Raw numbers: contiguous and little-endian, of the type that --dtype names; of vectors, rows of
// --dimension numbers.
#include <utility>
#include <vector>

#include "failure.hpp"
#include "formats/array.hpp"
#include "formats/formats.hpp"
#include "formats/row_stream.hpp"

namespace numpact::cli {
namespace {

class RawTable final : public TableInput {
 public:
  RawTable(std::unique_ptr<Input> input, const InputOptions& options)
      : TableInput(false), input_(std::move(input)) {
    Column& column = columns_.emplace_back();
    column.type = *options.dtype;
    column.is_bfloat16 = options.is_bfloat16;
    column.source_type = name_of(column.type);
    if (options.dimension) {
      column.is_list = true;
      column.dimension = *options.dimension;
      checked_bytes(column.dimension, size_of(column.type), input_->name(), "a row");
    }
  }

  std::unique_ptr<NumberInput> open(std::size_t) override {
    const Column& column = columns_[0];
    ArrayLayout layout;
    layout.type = column.type;
    layout.dimension = column.dimension;
    layout.swap_bytes = kSwapsBytes;
    if (column.is_list) layout.row_noun = "row";
    return read_array(std::move(input_), layout);
  }

 private:
  std::unique_ptr<Input> input_;
};

class RawOutput final : public TableOutput {
 public:
  explicit RawOutput(OutputFile& file) : file_(file) {}

  void write(std::span<const ColumnBlock> columns) override {
    const std::span<const std::byte> bytes = bytes_of(columns[0].numbers);
    if constexpr (!kSwapsBytes) return file_.put(bytes);
    std::vector<std::byte> swapped(bytes.begin(), bytes.end());
    swap_bytes(swapped, size_of(columns[0].numbers.type));
    file_.put(swapped);
  }

  void finish() override {}

 private:
  OutputFile& file_;
};

}  // namespace

std::unique_ptr<TableInput> open_raw(std::unique_ptr<Input> input, const InputOptions& options) {
  if (!options.dtype) fail_usage(input->name(), "raw numbers need --dtype");
  return std::make_unique<RawTable>(std::move(input), options);
}

std::unique_ptr<TableOutput> make_raw(OutputFile& file, const OutputPlan& plan) {
  only_column(file, plan);
  return std::make_unique<RawOutput>(file);
}

}  // namespace numpact::cli
