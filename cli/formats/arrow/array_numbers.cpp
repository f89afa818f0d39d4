// SPDX-License-Identifier: Apache-2.0
// Numbers in arrays.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow/bitmap.hpp"
#include "failure.hpp"
#include "formats/arrow/arrow_arrays.hpp"

namespace numpact::cli {
namespace {

using internal::arrow::bit_at;
using internal::arrow::count_zeros;
using internal::arrow::for_each_run;

std::size_t nulls_in(const ArrowArray& array, std::size_t first, std::size_t count) {
  if (array.null_count == 0 || array.buffers[0] == nullptr) return 0;
  return count_zeros(static_cast<const std::uint8_t*>(array.buffers[0]), first, first + count);
}

// `first`, `count`: the rows that are meant.
Rows part_of(const ArrowArray& array, std::size_t first, std::size_t count,
             const std::string& place) {
  check_array(array, 2, 0, place);
  if (first + count > static_cast<std::size_t>(array.length)) refuse_array(place);
  if (count > 0 && array.buffers[1] == nullptr) refuse_array(place);
  first += static_cast<std::size_t>(array.offset);
  const std::size_t nulls = nulls_in(array, first, count);
  return {static_cast<const std::uint8_t*>(array.buffers[1]),
          nulls == 0 ? nullptr : static_cast<const std::uint8_t*>(array.buffers[0]), first, count,
          nulls};
}

// The lists of an array, which must not be null, and their numbers.
class Lists {
 public:
  Lists(const ArrowArray& array, const ArrowSchema& type, const std::string& place)
      : array_(array),
        length_(stated_length(type)),
        is_large_(std::string_view(type.format) == "+L"),
        place_(place) {
    check_array(array, length_ ? 1 : 2, 1, place);
    if (!length_ && array.length > 0 && array.buffers[1] == nullptr) refuse_array(place);
  }

  std::size_t count() const { return static_cast<std::size_t>(array_.length); }
  std::uint64_t length(std::size_t row) const {
    return length_ ? *length_ : static_cast<std::uint64_t>(offset(row + 1) - offset(row));
  }
  // The numbers of all lists, of which there is one, and which have the same length.
  Rows numbers() const {
    const std::int64_t first =
        length_ ? array_.offset * static_cast<std::int64_t>(*length_) : offset(0);
    const ArrowArray& numbers = *array_.children[0];
    if (first < 0 || first > numbers.length) refuse_array(place_);
    return part_of(numbers, static_cast<std::size_t>(first),
                   count() * static_cast<std::size_t>(length(0)), place_);
  }

 private:
  std::int64_t offset(std::size_t row) const {
    const std::size_t at = static_cast<std::size_t>(array_.offset) + row;
    return is_large_ ? static_cast<const std::int64_t*>(array_.buffers[1])[at]
                     : static_cast<const std::int32_t*>(array_.buffers[1])[at];
  }

  const ArrowArray& array_;
  std::optional<std::uint64_t> length_;  // of a type that states it
  bool is_large_;
  const std::string& place_;
};

// Reads the numbers of a column's arrays. Nulls are refused, dropped, or recorded as runs.
class ArrayNumbers final : public NumberInput {
 public:
  ArrayNumbers(NextArray next, const ArrowSchema& type, const Column& column,
               std::optional<std::uint64_t> rows, NullPolicy nulls, std::string place)
      : next_(std::move(next)),
        type_(type),
        column_(column),
        policy_(nulls),
        place_(std::move(place)) {
    if (rows && policy_ != NullPolicy::kDrop) count_ = *rows * column.dimension;
  }

  NumberView next() override {
    for (;;) {
      while (at_ == rows_.count) {
        if (!advance()) return {column_.type, nullptr, 0};
      }
      const std::size_t count = std::min(rows_.count - at_, block_size());
      const NumberView block = view(rows_.first + at_, count);
      at_ += count;
      if (block.count > 0) return block;
    }
  }

  std::optional<std::uint64_t> count() const override { return count_; }
  std::uint64_t null_count() const override { return nulls_; }
  NullRuns* null_runs() override { return policy_ == NullPolicy::kKeep ? &runs_ : nullptr; }

 private:
  std::size_t block_size() const {
    return static_cast<std::size_t>(std::min<std::uint64_t>(block_numbers(), SIZE_MAX));
  }

  // Moves to the next array. Returns false at the end.
  bool advance() {
    row_ += array_rows_;
    at_ = 0;
    rows_ = {};
    array_ = next_();
    if (array_->release == nullptr) {
      array_rows_ = 0;
      return false;
    }
    array_rows_ = static_cast<std::uint64_t>(array_->length);
    if (!column_.is_list) {
      rows_ = rows_of(*array_, place_);
      count_nulls(rows_.nulls, rows_.first, *array_, 1);
      return true;
    }
    const Lists lists(*array_, type_, place_);
    const auto first = static_cast<std::size_t>(array_->offset);
    count_nulls(nulls_in(*array_, first, lists.count()), first, *array_, 1);
    if (lists.count() == 0) return true;
    check_lengths(lists);
    rows_ = lists.numbers();
    count_nulls(rows_.nulls, rows_.first, *array_->children[0], column_.dimension);
    return true;
  }

  void check_lengths(const Lists& lists) const {
    for (std::size_t row = 0; row < lists.count(); ++row) {
      if (lists.length(row) == column_.dimension) continue;
      fail(place_, "row {} has {} numbers, row 0 has {}: vectors have one length", row_ + row,
           lists.length(row), column_.dimension);
    }
  }

  // `first`: of the bits of `array`; `numbers_in_row`: of them per row.
  void count_nulls(std::size_t nulls, std::size_t first, const ArrowArray& array,
                   std::uint64_t numbers_in_row) {
    if (nulls == 0) return;
    if (policy_ == NullPolicy::kError) {
      const auto* const bits = static_cast<const std::uint8_t*>(array.buffers[0]);
      std::size_t at = first;
      while (bit_at(bits, at)) ++at;
      refuse_nulls(nulls, row_ + (at - first) / numbers_in_row);
    }
    nulls_ += nulls;
  }

  // Counts the remaining nulls too, so that the message names their total.
  [[noreturn]] void refuse_nulls(std::uint64_t nulls, std::uint64_t row) {
    for (Owned<ArrowArray> array = next_(); array->release != nullptr; array = next_()) {
      check_array(*array, array->n_buffers, array->n_children, place_);
      nulls += nulls_in(*array, static_cast<std::size_t>(array->offset),
                        static_cast<std::size_t>(array->length));
    }
    fail(place_, "{} null{}, the first in row {}{}", nulls, nulls == 1 ? "" : "s", row,
         column_.is_list ? "" : kNullAdvice);
  }

  // The numbers of rows from `at` on in the buffers.
  NumberView view(std::size_t at, std::size_t count) {
    const std::size_t size = size_of(column_.type);
    const bool is_stored =
        column_.logical.kind != LogicalKind::kBool && column_.logical.kind != LogicalKind::kDecimal;
    const std::uint8_t* const stored = rows_.values + at * size;
    const bool is_kept = policy_ == NullPolicy::kKeep;
    if (rows_.nulls == 0 && is_stored && reinterpret_cast<std::uintptr_t>(stored) % size == 0) {
      if (is_kept) runs_.add_numbers(count);
      return {column_.type, stored, count};
    }
    buffer_.resize((count * size + 7) / 8);
    auto* const out = reinterpret_cast<std::uint8_t*>(buffer_.data());
    std::size_t kept = 0;
    for_each_run(rows_.validity, at, at + count, [&](bool is_null, std::size_t rows) {
      if (is_kept) is_null ? runs_.add_nulls(rows) : runs_.add_numbers(rows);
      if (!is_null && rows > 0) {
        copy(at, rows, out + kept * size);
        kept += rows;
      }
      at += rows;
    });
    return {column_.type, out, kept};
  }

  void copy(std::size_t at, std::size_t count, std::uint8_t* out) const {
    if (column_.logical.kind == LogicalKind::kBool) {
      for (std::size_t i = 0; i < count; ++i) out[i] = bit_at(rows_.values, at + i) ? 1 : 0;
    } else if (column_.logical.kind == LogicalKind::kDecimal) {
      copy_decimals(at, count, out);
    } else {
      const std::size_t size = size_of(column_.type);
      std::memcpy(out, rows_.values + at * size, count * size);
    }
  }

  // The low bytes of each value.
  void copy_decimals(std::size_t at, std::size_t count, std::uint8_t* out) const {
    const std::size_t size = column_.logical.decimal.bits / 8;
    for (std::size_t i = 0; i < count; ++i, out += sizeof(std::int64_t)) {
      const std::uint8_t* const from = rows_.values + (at + i) * size;
      std::int64_t number = 0;
      if (size == sizeof(std::int32_t)) {
        std::int32_t narrow = 0;
        std::memcpy(&narrow, from, sizeof narrow);
        number = narrow;
      } else {
        std::memcpy(&number, from, sizeof number);
        check_digits(from + sizeof number, size - sizeof number, number);
      }
      std::memcpy(out, &number, sizeof number);
    }
  }

  // Arrow does not check that values have the digits of their type: the sign fills the other bytes.
  void check_digits(const std::uint8_t* rest, std::size_t size, std::int64_t number) const {
    const std::uint8_t fill = number < 0 ? 255 : 0;
    if (std::all_of(rest, rest + size, [fill](std::uint8_t byte) { return byte == fill; })) return;
    fail_corrupt(place_, "corrupt: a value of type {} has more digits",
                 to_string(column_.logical.decimal));
  }

  NextArray next_;
  const ArrowSchema& type_;
  Column column_;
  std::optional<std::uint64_t> count_;
  NullPolicy policy_;
  std::string place_;
  Owned<ArrowArray> array_;
  Rows rows_;                     // of array_: numbers, also those of lists
  std::size_t at_ = 0;            // of them
  std::uint64_t row_ = 0;         // first row of array_
  std::uint64_t array_rows_ = 0;  // rows of array_
  std::uint64_t nulls_ = 0;
  NullRuns runs_;
  std::vector<std::uint64_t> buffer_;
};

}  // namespace

Rows rows_of(const ArrowArray& array, const std::string& place) {
  return part_of(array, 0, static_cast<std::size_t>(array.length), place);
}

void refuse_array(const std::string& place) {
  fail_corrupt(place, "corrupt: the Arrow array lacks values of its type");
}

void check_array(const ArrowArray& array, std::int64_t buffers, std::int64_t children,
                 const std::string& place) {
  const char* const fault = internal::arrow::fault_in(array, buffers, children);
  if (fault != nullptr) fail_corrupt(place, "corrupt: {}", fault);
}

std::unique_ptr<NumberInput> read_arrays(NextArray next, const ArrowSchema& type,
                                         const Column& column, std::optional<std::uint64_t> rows,
                                         NullPolicy nulls, const std::string& place) {
  return std::make_unique<ArrayNumbers>(std::move(next), type, column, rows, nulls, place);
}

std::uint64_t first_length(const NextArray& next, const ArrowSchema& type,
                           const std::string& place) {
  for (Owned<ArrowArray> array = next(); array->release != nullptr; array = next()) {
    const Lists lists(*array, type, place);
    if (lists.count() == 0) continue;
    const bool is_null = nulls_in(*array, static_cast<std::size_t>(array->offset), 1) > 0;
    return is_null ? 0 : lists.length(0);
  }
  return 0;
}

}  // namespace numpact::cli
