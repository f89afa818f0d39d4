// SPDX-License-Identifier: Apache-2.0
// Parquet's old timestamps of 96 bits. Arrow computes modulo 2^64, so that nanoseconds wrap outside
// the years 1677 to 2262. Milliseconds never wrap, which reveals the wrapping.
#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "arrow/bitmap.hpp"
#include "failure.hpp"
#include "formats/arrow/arrow_arrays.hpp"
#include "numbers/floor_divide.hpp"
#include "numbers/number_text.hpp"

namespace numpact::cli {
namespace {

// Timestamps of all arrays of a column, row by row.
class Timestamps {
 public:
  Timestamps(NextArray next, const std::string& place) : next_(std::move(next)), place_(place) {}

  // Moves to the next row. Returns false at the end.
  bool advance() {
    for (++at_; at_ >= rows_.count; at_ = 0) {
      array_ = next_();
      if (array_->release == nullptr) return false;
      rows_ = rows_of(*array_, place_);
    }
    return true;
  }
  bool is_null() const {
    return rows_.validity != nullptr && !internal::arrow::bit_at(rows_.validity, rows_.first + at_);
  }
  std::int64_t value() const {
    std::int64_t value = 0;
    std::memcpy(&value, rows_.values + (rows_.first + at_) * sizeof value, sizeof value);
    return value;
  }

 private:
  NextArray next_;
  const std::string& place_;
  Owned<ArrowArray> array_;
  Rows rows_;
  std::size_t at_ = 0;
};

}  // namespace

TimeUnit unit_for(NextArray nanos, NextArray micros, NextArray millis, const std::string& place) {
  constexpr std::int64_t kMicrosInMilli = 1'000;
  constexpr std::int64_t kNanosInMilli = 1'000'000;
  constexpr std::uint64_t kNanosInMicro = 1'000;
  Timestamps in_nanos(std::move(nanos), place);
  Timestamps in_micros(std::move(micros), place);
  Timestamps in_millis(std::move(millis), place);
  std::optional<std::uint64_t> bad_row;  // that nanoseconds do not hold
  std::int64_t bad_value = 0;
  bool micros_fit = true;
  for (std::uint64_t row = 0; in_nanos.advance(); ++row) {
    if (!in_micros.advance() || !in_millis.advance()) refuse_array(place);
    if (in_nanos.is_null()) continue;
    const std::int64_t value = in_millis.value();
    if (!bad_row && floor_divide(in_nanos.value(), kNanosInMilli) != value) {
      bad_row = row;
      bad_value = value;
    }
    // Wrapped nanoseconds are still correct modulo 2^64.
    const bool is_finer = static_cast<std::uint64_t>(in_micros.value()) * kNanosInMicro !=
                          static_cast<std::uint64_t>(in_nanos.value());
    if (floor_divide(in_micros.value(), kMicrosInMilli) != value || is_finer) micros_fit = false;
  }
  if (!bad_row) return TimeUnit::kNano;
  if (micros_fit) return TimeUnit::kMicro;
  std::string text;
  append_value(text, {LogicalKind::kTimestamp, TimeUnit::kMilli, ""},
               NumberView(NumberType::kI64, &bad_value, 1), 0);
  fail(place,
       "row {}: INT96 timestamp {} is out of the range of 64-bit nanoseconds, "
       "and microseconds do not hold all rows either",
       *bad_row, text);
}

}  // namespace numpact::cli
