// SPDX-License-Identifier: Apache-2.0
// Reads raw numbers: contiguous and little-endian, of the type that --dtype names.
#include <bit>
#include <utility>

#include "failure.hpp"
#include "formats/array.hpp"
#include "formats/formats.hpp"

namespace numpact::cli {
namespace {

class RawTable final : public TableInput {
 public:
  RawTable(std::unique_ptr<Input> input, NumberType type)
      : TableInput(false), input_(std::move(input)) {
    Column& column = columns_.emplace_back();
    column.type = type;
    column.source_type = name_of(type);
  }

  std::unique_ptr<NumberInput> open(std::size_t) override {
    ArrayLayout layout;
    layout.type = columns_[0].type;
    layout.swap_bytes = std::endian::native != std::endian::little;
    return read_array(std::move(input_), layout);
  }

 private:
  std::unique_ptr<Input> input_;
};

}  // namespace

std::unique_ptr<TableInput> open_raw(std::unique_ptr<Input> input, const InputOptions& options) {
  if (!options.dtype) fail_usage(input->name(), "raw numbers need --dtype");
  return std::make_unique<RawTable>(std::move(input), *options.dtype);
}

}  // namespace numpact::cli
