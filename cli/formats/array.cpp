// SPDX-License-Identifier: Apache-2.0
#include "formats/array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "failure.hpp"

namespace numpact::cli {
namespace {

class ArrayNumbers final : public NumberInput {
 public:
  ArrayNumbers(std::unique_ptr<Input> input, const ArrayLayout& layout)
      : input_(std::move(input)), layout_(layout) {
    numbers_.resize(kBlockNumbers * size_of(layout.type) / sizeof(std::uint64_t));
  }

  NumberView next() override {
    const std::size_t size = size_of(layout_.type);
    std::uint64_t needed = kBlockNumbers;
    if (layout_.count) needed = std::min(needed, *layout_.count - done_);
    const std::span<std::byte> out =
        std::as_writable_bytes(std::span(numbers_)).first(static_cast<std::size_t>(needed) * size);
    const std::size_t got = input_->read_full(out);
    if (got % size != 0 || (layout_.count && got < out.size())) {
      throw Failure(ExitCode::kCorrupt, input_->name(),
                    fmt::format("truncated: ends in number {}", done_ + got / size));
    }
    if (layout_.swap_bytes) {
      for (std::size_t i = 0; i < got; i += size) {
        std::reverse(out.data() + i, out.data() + i + size);
      }
    }
    done_ += got / size;
    return {layout_.type, out.data(), got / size};
  }

  std::optional<std::uint64_t> count() const override {
    if (layout_.count) return layout_.count;
    if (input_->size()) return *input_->size() / size_of(layout_.type);
    return std::nullopt;
  }

 private:
  std::unique_ptr<Input> input_;
  ArrayLayout layout_;
  std::vector<std::uint64_t> numbers_;
  std::uint64_t done_ = 0;
};

}  // namespace

std::unique_ptr<NumberInput> read_array(std::unique_ptr<Input> input, const ArrayLayout& layout) {
  return std::make_unique<ArrayNumbers>(std::move(input), layout);
}

}  // namespace numpact::cli
