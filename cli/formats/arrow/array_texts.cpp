// SPDX-License-Identifier: Apache-2.0
// Texts in arrays.
#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "arrow/bitmap.hpp"
#include "arrow/column_type.hpp"
#include "formats/arrow/arrow_arrays.hpp"

namespace numpact::cli {
namespace {

// A value of a buffer.
template <class T>
T value_at(const ArrowArray& array, std::int64_t buffer, std::size_t index) {
  T value{};
  std::memcpy(&value, static_cast<const char*>(array.buffers[buffer]) + index * sizeof(T),
              sizeof(T));
  return value;
}

// The rows of an array of texts.
class Texts {
 public:
  Texts() = default;
  // `format`: "u" or "z", of large ones "U" or "Z", of views "vu" or "vz".
  Texts(const ArrowArray& array, std::string_view format, const std::string& place)
      : array_(&array), is_view_(format[0] == 'v'), is_large_(format == "U" || format == "Z") {
    check_array(array, is_view_ ? std::max<std::int64_t>(3, array.n_buffers) : 3, 0, place);
  }

  std::size_t count() const {
    return array_ == nullptr ? 0 : static_cast<std::size_t>(array_->length);
  }
  bool is_null(std::size_t row) const { return is_null(*array_, row); }
  static bool is_null(const ArrowArray& array, std::size_t row) {
    return array.null_count != 0 && array.buffers[0] != nullptr &&
           !internal::arrow::bit_at(static_cast<const std::uint8_t*>(array.buffers[0]),
                                    static_cast<std::size_t>(array.offset) + row);
  }
  std::string_view at(std::size_t row) const {
    const std::size_t index = static_cast<std::size_t>(array_->offset) + row;
    if (is_view_) return viewed(index);
    return is_large_ ? between<std::int64_t>(index) : between<std::int32_t>(index);
  }

 private:
  template <class Offset>
  std::string_view between(std::size_t index) const {
    const auto begin = static_cast<std::size_t>(value_at<Offset>(*array_, 1, index));
    const auto end = static_cast<std::size_t>(value_at<Offset>(*array_, 1, index + 1));
    if (begin == end) return {};  // there may be no bytes at all
    return {static_cast<const char*>(array_->buffers[2]) + begin, end - begin};
  }
  // A length, and then up to 12 bytes in place, or 4 of them, a buffer and a position in it.
  std::string_view viewed(std::size_t index) const {
    constexpr std::size_t kInPlace = 12;
    const auto bytes = static_cast<std::size_t>(value_at<std::int32_t>(*array_, 1, 4 * index));
    if (bytes <= kInPlace) {
      return {static_cast<const char*>(array_->buffers[1]) + 16 * index + 4, bytes};
    }
    const auto buffer = value_at<std::int32_t>(*array_, 1, 4 * index + 2);
    const auto position = value_at<std::int32_t>(*array_, 1, 4 * index + 3);
    return {static_cast<const char*>(array_->buffers[2 + buffer]) + position, bytes};
  }

  const ArrowArray* array_ = nullptr;
  bool is_view_ = false;
  bool is_large_ = false;
};

class ArrayTexts final : public TextInput {
 public:
  ArrayTexts(NextArray next, const ArrowSchema& type, std::string place)
      : next_(std::move(next)), type_(type), place_(std::move(place)) {}

  const TextBlock& next() override {
    block_ = {};
    while (at_ == rows_) {
      array_ = next_();
      at_ = 0;
      rows_ = 0;
      if (array_->release == nullptr) return block_;
      begin();
      if (type_.dictionary == nullptr || texts_.count() == 0) continue;
      block_.are_categories = true;  // all of them are one block
      for (std::size_t i = 0; i < texts_.count(); ++i) add(texts_, i, texts_.is_null(i));
      return block_;
    }
    for (const std::size_t end = at_ + std::min<std::size_t>(rows_ - at_, kOtherBatchRows);
         at_ < end; ++at_) {
      if (type_.dictionary == nullptr) {
        add(texts_, at_, texts_.is_null(at_));
      } else {
        const bool is_null = Texts::is_null(*array_, at_);
        const std::size_t index = is_null ? 0 : index_at(at_);
        add(texts_, index, is_null || texts_.is_null(index));
      }
    }
    return block_;
  }

 private:
  // Begins with an array.
  void begin() {
    if (type_.dictionary == nullptr) {
      texts_ = Texts(*array_, type_.format, place_);
    } else {
      check_array(*array_, 2, 0, place_);
      texts_ = Texts(*array_->dictionary, type_.dictionary->format, place_);
    }
    rows_ = static_cast<std::size_t>(array_->length);
  }

  void add(const Texts& texts, std::size_t row, bool is_null) {
    if (!is_null) block_.bytes += texts.at(row);
    block_.add_row(block_.bytes.size(), is_null);
  }

  // Indices are not negative.
  std::size_t index_at(std::size_t row) const {
    const std::size_t at = static_cast<std::size_t>(array_->offset) + row;
    switch (size_of(internal::arrow::storage_of(type_.format)->type)) {
      case 1:
        return value_at<std::uint8_t>(*array_, 1, at);
      case 2:
        return value_at<std::uint16_t>(*array_, 1, at);
      case 4:
        return value_at<std::uint32_t>(*array_, 1, at);
      default:
        return static_cast<std::size_t>(value_at<std::uint64_t>(*array_, 1, at));
    }
  }

  NextArray next_;
  const ArrowSchema& type_;
  std::string place_;
  Owned<ArrowArray> array_;
  Texts texts_;  // of array_: its own, or the categories
  std::size_t rows_ = 0;
  std::size_t at_ = 0;
  TextBlock block_;
};

}  // namespace

bool has_texts(const ArrowSchema& type) {
  constexpr std::string_view kFormats[] = {"u", "z", "U", "Z", "vu", "vz"};
  const ArrowSchema& values = type.dictionary == nullptr ? type : *type.dictionary;
  return std::ranges::find(kFormats, values.format) != std::end(kFormats);
}

std::unique_ptr<TextInput> read_texts(NextArray next, const ArrowSchema& type, std::string place) {
  return std::make_unique<ArrayTexts>(std::move(next), type, std::move(place));
}

}  // namespace numpact::cli
