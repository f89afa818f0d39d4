// SPDX-License-Identifier: Apache-2.0
#include "cvc/file/targets.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "base/alignment.hpp"
#include "base/internal.hpp"
#include "base/size.hpp"
#include "base/try.hpp"
#include "cvc/compression/half.hpp"
#include "platform/compiler.hpp"

namespace numpact::cvc::internal {
namespace {

Status invalid(const char* what) { return Status(ErrorKind::kInvalidArgument, what); }

Status check_target(const Info& info, Target& target, std::uint64_t rows) {
  if (target.column >= info.columns.size()) return invalid("the file has no such column");
  const Column& column = info.columns[target.column];
  MutableRows& out = target.rows;
  if (size_of(out.dtype) == 0) return invalid("there is no such type of values");
  const bool is_part = target.takes_first && out.dimension > 0 && out.dimension < column.dimension;
  if (out.dimension != column.dimension && !is_part) {
    return invalid("the output's dimension is not that of the column");
  }
  if (out.count < rows) {
    return too_few_rows(out, rows);
  }
  NUMPACT_TRY(check_fits_memory(out, rows));
  const std::size_t size = size_of(out.dtype);
  if (out.stride == 0) out.stride = row_bytes(out);
  if (out.stride < row_bytes(out)) return invalid("the output's rows overlap");
  if (rows > 0 && !is_aligned_for(out.data, out.stride, size))
    return invalid("the output is not aligned for its type");
  if (out.data == nullptr && rows > 0 && out.dimension > 0) return invalid("the output is null");
  return {};
}

template <class T>
T saturated(double value) {
  if (std::isnan(value)) return 0;
  const auto low = static_cast<double>(std::numeric_limits<T>::min());
  const auto high = static_cast<double>(std::numeric_limits<T>::max());
  if (value <= low) return std::numeric_limits<T>::min();
  if (value >= high) return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

template <class T>
void put(double value, std::byte* to) {
  const T whole = saturated<T>(value);
  std::memcpy(to, &whole, sizeof whole);
}

void put_value(Dtype dtype, double value, std::byte* to) {
  const auto rounded = static_cast<float>(value);
  const std::uint16_t half = dtype == Dtype::kFloat16 ? half_of(value) : bfloat_of(rounded);
  switch (dtype) {
    case Dtype::kFloat32:
      std::memcpy(to, &rounded, sizeof rounded);
      break;
    case Dtype::kFloat16:
    case Dtype::kBFloat16:
      std::memcpy(to, &half, sizeof half);
      break;
    case Dtype::kInt32:
      put<std::int32_t>(value, to);
      break;
    case Dtype::kInt64:
      put<std::int64_t>(value, to);
      break;
    case Dtype::kInt8:
      put<std::int8_t>(value, to);
      break;
    case Dtype::kUInt8:
      put<std::uint8_t>(value, to);
      break;
    case Dtype::kFloat64:
      break;  // never the type of an output
  }
}

}  // namespace

Status too_few_rows(const MutableRows& out, std::uint64_t rows) {
  const Status status(ErrorKind::kOutputTooSmall, "the output has too few rows");
  const std::uint64_t row = out.dimension * size_of(out.dtype);
  const std::uint64_t step = out.stride == 0 ? row : out.stride;
  std::uint64_t needed = 0;
  const bool is_known = !platform::multiply_overflows(rows - 1, step, &needed) &&
                        !platform::add_overflows(needed, row, &needed);
  return is_known ? status.needing(needed) : status;
}

Status check_fits_memory(const MutableRows& out, std::uint64_t rows) {
  if (rows == 0) return {};
  std::uint64_t row = 0;
  std::uint64_t before = 0;  // bytes before the last row
  std::uint64_t all = 0;
  const bool is_too_large =
      platform::multiply_overflows(out.dimension, size_of(out.dtype), &row) ||
      platform::multiply_overflows(rows - 1, out.stride == 0 ? row : out.stride, &before) ||
      platform::add_overflows(before, row, &all);
  if (!is_too_large && fits_memory(all)) return {};
  return Status(ErrorKind::kLimitExceeded, "more values than memory can hold");
}

Status check_amount(std::uint64_t numbers, std::uint64_t bytes, const DecodeLimits& limits) {
  if (numbers > limits.max_numbers) {
    return Status(ErrorKind::kLimitExceeded, "more numbers than the limit max_numbers");
  }
  if (bytes > limits.max_output_bytes) {
    return Status(ErrorKind::kLimitExceeded, "more bytes than the limit max_output_bytes");
  }
  return {};
}

Status check_targets(const Info& info, std::span<Target> targets, std::uint64_t rows,
                     const DecodeLimits& limits) {
  std::uint64_t numbers = 0;
  std::uint64_t bytes = 0;
  for (Target& target : targets) {
    NUMPACT_TRY(check_target(info, target, rows));
    const std::uint64_t dimension = target.rows.dimension;
    std::uint64_t values = 0;
    std::uint64_t size = 0;
    if (platform::multiply_overflows(rows, dimension, &values) ||
        platform::multiply_overflows(values, size_of(target.rows.dtype), &size) ||
        platform::add_overflows(numbers, values, &numbers) ||
        platform::add_overflows(bytes, size, &bytes)) {
      return Status(ErrorKind::kLimitExceeded, "more values than memory can hold");
    }
  }
  return check_amount(numbers, bytes, limits);
}

Status check_types(const Info& info, std::size_t chunk, std::span<const Target> targets) {
  for (const Target& target : targets) {
    const Compression compression = info.slice(chunk, target.column).compression;
    if (!can_decode(compression, info.columns[target.column].dtype, target.rows.dtype)) {
      return Status(ErrorKind::kTypeMismatch,
                    "the column's values cannot be read as this type, but as float32, float16 and "
                    "bfloat16; integers that are stored unchanged as their own")
          .at_chunk(chunk);
    }
  }
  return {};
}

Status decode_rows(const Prepared& prepared, std::uint64_t first, std::uint64_t count,
                   const MutableRows& out, std::uint64_t out_row) {
  const std::uint64_t dimension = prepared.encoded.shape.dimension;
  if (out.dimension == 0) return {};
  if (out.stride == row_bytes(out) && out.dimension == dimension) {
    return decode_values(prepared, first * dimension, count * dimension, out.dtype,
                         row_address(out, out_row));
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    NUMPACT_TRY(decode_values(prepared, (first + i) * dimension, out.dimension, out.dtype,
                              row_address(out, out_row + i)));
  }
  return {};
}

void fill_rows(const MutableRows& out, std::uint64_t first, std::uint64_t count, double value) {
  if (out.dimension == 0) return;
  std::byte bytes[8] = {};
  put_value(out.dtype, value, bytes);
  const std::size_t size = size_of(out.dtype);
  for (std::uint64_t row = 0; row < count; ++row) {
    std::byte* to = row_address(out, first + row);
    for (std::uint64_t i = 0; i < out.dimension; ++i, to += size) std::memcpy(to, bytes, size);
  }
}

void move_rows(const MutableRows& out, std::uint64_t from, std::uint64_t to, std::uint64_t count) {
  const std::size_t bytes = row_bytes(out);
  if (from == to || count == 0 || bytes == 0) return;
  if (out.stride == bytes) {
    std::memmove(row_address(out, to), row_address(out, from), to_size(bytes * count));
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    std::memmove(row_address(out, to + i), row_address(out, from + i), bytes);
  }
}

}  // namespace numpact::cvc::internal
