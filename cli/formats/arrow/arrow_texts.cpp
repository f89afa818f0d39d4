// SPDX-License-Identifier: Apache-2.0
// The texts of columns of Arrow.
#include <arrow/array/array_binary.h>
#include <arrow/array/array_dict.h>
#include <arrow/chunked_array.h>
#include <arrow/compute/cast.h>

#include <algorithm>
#include <utility>

#include "formats/arrow/arrow_others.hpp"

namespace numpact::cli {
namespace {

using ArrowType = arrow::Type;

// The type that holds the texts or bytes of a type with offsets of 64 bits; null: it has none.
std::shared_ptr<arrow::DataType> large_type_of(const arrow::DataType& type) {
  switch (type.id()) {
    case ArrowType::STRING:
    case ArrowType::LARGE_STRING:
    case ArrowType::STRING_VIEW:
      return arrow::large_utf8();
    case ArrowType::BINARY:
    case ArrowType::LARGE_BINARY:
    case ArrowType::BINARY_VIEW:
      return arrow::large_binary();
    case ArrowType::DICTIONARY:
      return large_type_of(*static_cast<const arrow::DictionaryType&>(type).value_type());
    default:
      return nullptr;
  }
}

class ArrowTexts final : public TextInput {
 public:
  ArrowTexts(std::shared_ptr<arrow::DataType> large, NextArrays next, std::string place)
      : large_(std::move(large)), next_(std::move(next)), place_(std::move(place)) {}

  const TextBlock& next() override {
    block_ = {};
    while (array_ == nullptr || at_ == array_->length()) {
      if (categories_ != nullptr) {
        array_ =
            take_arrow(arrow::compute::Cast(*std::exchange(categories_, nullptr), large_), place_);
        block_.are_categories = true;
      } else if (rows_ != nullptr) {
        array_ = take_arrow(arrow::compute::Cast(*std::exchange(rows_, nullptr), large_), place_);
      } else if (!advance()) {
        return block_;
      }
      at_ = 0;
    }
    // That of bytes is the base of that of texts.
    const auto& texts = static_cast<const arrow::LargeBinaryArray&>(*array_);
    // All categories are one block.
    const auto max_rows =
        block_.are_categories ? array_->length() : static_cast<std::int64_t>(kOtherBatchRows);
    for (const std::int64_t end = std::min(at_ + max_rows, array_->length()); at_ < end; ++at_) {
      if (texts.IsValid(at_)) block_.bytes += texts.GetView(at_);
      block_.add_row(block_.bytes.size(), texts.IsNull(at_));
    }
    return block_;
  }

 private:
  // Finds the next array of rows, and its categories.
  bool advance() {
    while (chunks_ == nullptr || chunk_ == chunks_->num_chunks()) {
      chunks_ = next_();
      chunk_ = 0;
      if (chunks_ == nullptr) return false;
    }
    array_ = nullptr;
    rows_ = chunks_->chunk(chunk_++);
    check_arrow(rows_->ValidateFull(), place_);
    if (rows_->type_id() == ArrowType::DICTIONARY) {
      const auto& type = static_cast<const arrow::DictionaryType&>(*rows_->type());
      categories_ = static_cast<const arrow::DictionaryArray&>(*rows_).dictionary();
      rows_ = take_arrow(arrow::compute::Cast(*rows_, type.value_type()), place_);
    }
    return true;
  }

  std::shared_ptr<arrow::DataType> large_;
  NextArrays next_;
  std::string place_;
  std::shared_ptr<arrow::ChunkedArray> chunks_;
  int chunk_ = 0;
  std::shared_ptr<arrow::Array> categories_;  // that come next
  std::shared_ptr<arrow::Array> rows_;        // that come next
  std::shared_ptr<arrow::Array> array_;       // the texts of the current ones
  std::int64_t at_ = 0;
  TextBlock block_;
};

}  // namespace

std::unique_ptr<TextInput> texts_of(const arrow::Field& field, NextArrays next, std::string place) {
  std::shared_ptr<arrow::DataType> large = large_type_of(*field.type());
  if (large == nullptr) return nullptr;
  return std::make_unique<ArrowTexts>(std::move(large), std::move(next), std::move(place));
}

}  // namespace numpact::cli
