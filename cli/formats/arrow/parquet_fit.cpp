// SPDX-License-Identifier: Apache-2.0
#include "formats/arrow/parquet_fit.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <limits>

#include "failure.hpp"
#include "numbers/number_text.hpp"

namespace numpact::cli {
namespace {

constexpr std::int64_t kMillisPerSecond = 1'000;
constexpr std::int64_t kMillisPerDay = 86'400'000;

template <class T>
bool has_millis(T seconds) {
  return seconds >= std::numeric_limits<T>::min() / kMillisPerSecond &&
         seconds <= std::numeric_limits<T>::max() / kMillisPerSecond;
}

// Why the value does not fit into Parquet; null if it does.
const char* why_unfit(const LogicalType& logical, const NumberView& numbers, std::size_t row) {
  const bool is_seconds = logical.unit == TimeUnit::kSecond;
  if (logical.kind == LogicalKind::kTimestamp && is_seconds) {
    return has_millis(static_cast<const std::int64_t*>(numbers.data)[row])
               ? nullptr
               : "is out of the range of milliseconds, which Parquet has in place of seconds";
  }
  if (logical.kind == LogicalKind::kTime32 && is_seconds) {
    return has_millis(static_cast<const std::int32_t*>(numbers.data)[row])
               ? nullptr
               : "is out of the range of milliseconds, which Parquet has in place of seconds";
  }
  if (logical.kind == LogicalKind::kDate64) {
    return static_cast<const std::int64_t*>(numbers.data)[row] % kMillisPerDay == 0
               ? nullptr
               : "is not a whole day, and Parquet has no other date64";
  }
  return nullptr;
}

}  // namespace

void ParquetFit::check(std::span<const Column> columns, std::span<const ColumnBlock> blocks) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const LogicalType& logical = columns[c].logical;
    const bool converts = logical.kind == LogicalKind::kDate64 ||
                          (has_unit(logical.kind) && logical.unit == TimeUnit::kSecond);
    const NumberView& numbers = blocks[c].numbers;
    for (std::size_t row = 0; converts && row < numbers.count; ++row) {
      const char* const why = blocks[c].is_null(row) ? nullptr : why_unfit(logical, numbers, row);
      if (why == nullptr) continue;
      std::string value;
      append_value(value, logical, numbers, row);
      fail(column_place(file_, columns[c].name), "row {}: {} {} (Arrow IPC keeps it)", rows_ + row,
           value, why);
    }
  }
  if (!blocks.empty()) rows_ += blocks[0].rows;
}

}  // namespace numpact::cli
