// SPDX-License-Identifier: Apache-2.0
#include "formats/array.hpp"

#include <algorithm>
#include <utility>

#include "failure.hpp"
#include "formats/row_stream.hpp"

namespace numpact::cli {
namespace {

class StoredNumbers final : public NumberInput {
 public:
  StoredNumbers(std::unique_ptr<Input> input, const ArrayLayout& layout)
      : input_(std::move(input)),
        layout_(layout),
        stream_(*input_, layout.dimension * size_of(layout.type), layout.rows, layout.row_noun) {}

  NumberView next() override {
    const std::size_t size = size_of(layout_.type);
    const std::span<std::byte> bytes =
        stream_.next(std::max<std::uint64_t>(1, block_numbers() / layout_.dimension));
    if (bytes.empty() && layout_.is_whole_file && !input_->peek(1).empty()) {
      fail_corrupt(input_->name(), "corrupt: bytes follow the last row");
    }
    if (layout_.swap_bytes) swap_bytes(bytes, size);
    return {layout_.type, bytes.data(), numbers_in(bytes.size(), layout_.type)};
  }

  std::optional<std::uint64_t> count() const override {
    if (layout_.rows) return *layout_.rows * layout_.dimension;
    if (!input_->size()) return std::nullopt;
    return *input_->size() / (layout_.dimension * size_of(layout_.type)) * layout_.dimension;
  }

 private:
  std::unique_ptr<Input> input_;
  ArrayLayout layout_;
  RowStream stream_;
};

}  // namespace

std::unique_ptr<NumberInput> read_array(std::unique_ptr<Input> input, const ArrayLayout& layout) {
  return std::make_unique<StoredNumbers>(std::move(input), layout);
}

void swap_bytes(std::span<std::byte> numbers, std::size_t size) {
  for (std::size_t i = 0; i + size <= numbers.size(); i += size) {
    std::reverse(numbers.data() + i, numbers.data() + i + size);
  }
}

}  // namespace numpact::cli
