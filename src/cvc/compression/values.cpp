// SPDX-License-Identifier: Apache-2.0
#include "cvc/compression/values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "base/internal.hpp"
#include "cvc/compression/half.hpp"
#include "platform/write_number.hpp"

namespace numpact::cvc::internal {
namespace {

// Calls f(row, first dimension, address, count) for the runs without gaps of an area until it
// returns true.
template <class F>
void for_area_runs(const Source& source, const ValueArea& area, const F& f) {
  bool is_done = area.dimensions == 0;
  for (std::uint64_t i = 0; i < area.rows && !is_done; ++i) {
    const std::uint64_t row = area.row + i;
    source.for_runs(row * source.dimension() + area.dimension, area.dimensions,
                    [&](const std::byte* at, std::uint64_t place, std::size_t run) {
                      if (!is_done) is_done = f(row, place % source.dimension(), at, run);
                    });
  }
}

bool is_finite_as_float(Dtype dtype, const std::byte* at, std::size_t i) {
  switch (dtype) {
    case Dtype::kFloat32:
      return std::isfinite(reinterpret_cast<const float*>(at)[i]);
    case Dtype::kFloat64:
      return std::isfinite(static_cast<float>(reinterpret_cast<const double*>(at)[i]));
    case Dtype::kFloat16:
      return (reinterpret_cast<const std::uint16_t*>(at)[i] & 0x7c00u) != 0x7c00u;
    case Dtype::kBFloat16:
      return (reinterpret_cast<const std::uint16_t*>(at)[i] & 0x7f80u) != 0x7f80u;
    default:
      return true;
  }
}

bool is_finite(Dtype dtype, const std::byte* at, std::size_t i) {
  if (dtype == Dtype::kFloat64) return std::isfinite(reinterpret_cast<const double*>(at)[i]);
  return is_finite_as_float(dtype, at, i);
}

float float_at(Dtype dtype, const std::byte* at, std::size_t i) {
  float value = 0;
  if (dtype == Dtype::kFloat16) halves_to_floats(at + 2 * i, 1, &value);
  if (dtype == Dtype::kBFloat16) bfloats_to_floats(at + 2 * i, 1, &value);
  return value;
}

double double_at(Dtype dtype, const std::byte* at, std::size_t i) {
  switch (dtype) {
    case Dtype::kFloat32:
      return reinterpret_cast<const float*>(at)[i];
    case Dtype::kFloat64:
      return reinterpret_cast<const double*>(at)[i];
    case Dtype::kInt32:
      return reinterpret_cast<const std::int32_t*>(at)[i];
    case Dtype::kInt64:
      return static_cast<double>(reinterpret_cast<const std::int64_t*>(at)[i]);
    case Dtype::kInt8:
      return reinterpret_cast<const std::int8_t*>(at)[i];
    case Dtype::kUInt8:
      return reinterpret_cast<const std::uint8_t*>(at)[i];
    default:
      return float_at(dtype, at, i);
  }
}

std::string value_text(Dtype dtype, const std::byte* at, std::size_t i) {
  switch (dtype) {
    case Dtype::kFloat32:
      return platform::number_text(reinterpret_cast<const float*>(at)[i]);
    case Dtype::kFloat64:
      return platform::number_text(reinterpret_cast<const double*>(at)[i]);
    case Dtype::kInt32:
      return std::to_string(reinterpret_cast<const std::int32_t*>(at)[i]);
    case Dtype::kInt64:
      return std::to_string(reinterpret_cast<const std::int64_t*>(at)[i]);
    default:
      return platform::number_text(float_at(dtype, at, i));
  }
}

// Whether a value has the same bits after conversion to float and back.
template <class T>
bool is_exact_as_float(T value) {
  const auto rounded = static_cast<float>(value);
  if constexpr (std::is_integral_v<T>) {
    // Converting back a float past the largest integer is undefined.
    constexpr auto kEnd = -static_cast<float>(std::numeric_limits<T>::min());
    return rounded < kEnd && static_cast<T>(rounded) == value;
  } else {
    using Bits = std::uint64_t;
    return std::bit_cast<Bits>(static_cast<T>(rounded)) == std::bit_cast<Bits>(value);
  }
}

template <class T>
std::size_t first_inexact(const std::byte* at, std::size_t n) {
  const auto* const values = reinterpret_cast<const T*>(at);
  return static_cast<std::size_t>(
      std::find_if(values, values + n, [](T value) { return !is_exact_as_float(value); }) - values);
}

std::size_t first_inexact(Dtype dtype, const std::byte* at, std::size_t n) {
  if (dtype == Dtype::kFloat64) return first_inexact<double>(at, n);
  if (dtype == Dtype::kInt32) return first_inexact<std::int32_t>(at, n);
  return dtype == Dtype::kInt64 ? first_inexact<std::int64_t>(at, n) : n;
}

const char* rounding_text(Compression compression, Dtype dtype) {
  const bool is_pco = compression == Compression::kPco;
  if (dtype == Dtype::kInt32) {
    return is_pco ? "pco keeps float32 in files of one array: a value of int32 would be rounded "
                    "(columns keep int32 by pco or none)"
                  : "lossless keeps float32: a value of int32 would be rounded (columns keep int32 "
                    "by pco or none)";
  }
  if (dtype == Dtype::kInt64) {
    return is_pco ? "pco keeps float32 in files of one array: a value of int64 would be rounded "
                    "(columns keep int64 by pco or none)"
                  : "lossless keeps float32: a value of int64 would be rounded (columns keep int64 "
                    "by pco or none)";
  }
  return is_pco ? "pco keeps float32 and float16: a value of float64 would be rounded (convert to "
                  "float32 first if that may be)"
                : "lossless keeps float32: a value of float64 would be rounded (convert to float32 "
                  "first if that may be)";
}

}  // namespace

Status refuse_nonfinite(const Source& source, const ValueArea& area,
                        std::optional<Refused>& refused) {
  Refused& found = refused.emplace();
  if (area.rows == 1) found.row = area.row;
  if (area.dimensions == 1) found.dimension = area.dimension;
  for_area_runs(source, area,
                [&](std::uint64_t row, std::uint64_t first, const std::byte* at, std::size_t n) {
                  for (std::size_t i = 0; i < n; ++i) {
                    if (is_finite_as_float(source.dtype(), at, i)) continue;
                    found = {row, first + i, value_text(source.dtype(), at, i)};
                    return true;
                  }
                  return false;
                });
  return Status(ErrorKind::kInvalidArgument,
                found.value.empty()
                    ? "steps of a range cannot hold one that is wider than float32 "
                      "(allow_nonfinite takes it, and loses its values)"
                    : "steps of a range cannot hold NaN, infinities or values beyond float32 "
                      "(allow_nonfinite takes them, and loses what shares their range)");
}

std::uint64_t count_finite(const Source& source, const ValueArea& area) {
  std::uint64_t count = 0;
  for_area_runs(source, area,
                [&](std::uint64_t, std::uint64_t, const std::byte* at, std::size_t n) {
                  for (std::size_t i = 0; i < n; ++i) {
                    count += is_finite(source.dtype(), at, i) ? 1 : 0;
                  }
                  return false;
                });
  return count;
}

std::uint64_t count_underflows(const Source& source, const ValueArea& area,
                               const StepRange& range) {
  // Only float64 has values that are not 0, but are as floats. The scale is 1 if all are the same.
  const bool is_zero = range.min == 0 && range.scale == 1 && source.dtype() == Dtype::kFloat64;
  if (!range.is_finite() || (range.scale != 0 && !is_zero)) return 0;
  std::uint64_t count = 0;
  for_area_runs(source, area,
                [&](std::uint64_t, std::uint64_t, const std::byte* at, std::size_t n) {
                  for (std::size_t i = 0; i < n; ++i) {
                    const double value = double_at(source.dtype(), at, i);
                    const auto rounded = static_cast<float>(value);
                    const bool is_lost = rounded == 0 && value != 0;
                    const bool is_moved = range.scale == 0 && rounded != range.min;
                    count += is_lost || is_moved ? 1 : 0;
                  }
                  return false;
                });
  return count;
}

std::uint64_t count_underflows(const Source& source, std::uint64_t first, std::size_t n,
                               const std::uint16_t* codes) {
  constexpr std::uint16_t kMagnitude = 0x7fff;
  // Most blocks have no zeros at all.
  std::size_t zeros = 0;
  for (std::size_t i = 0; i < n; ++i) zeros += (codes[i] & kMagnitude) == 0 ? 1 : 0;
  if (zeros == 0) return 0;
  std::uint64_t count = 0;
  source.for_runs(first, n, [&](const std::byte* at, std::uint64_t place, std::size_t run) {
    for (std::size_t i = 0; i < run; ++i) {
      const bool is_zero = (codes[place - first + i] & kMagnitude) == 0;
      count += is_zero && double_at(source.dtype(), at, i) != 0 ? 1 : 0;
    }
  });
  return count;
}

Status check_floats(const Source& source, Compression compression,
                    std::optional<Refused>& refused) {
  const Dtype dtype = source.dtype();
  source.for_runs(0, source.n(), [&](const std::byte* at, std::uint64_t place, std::size_t run) {
    if (refused) return;
    const std::size_t i = first_inexact(dtype, at, run);
    if (i == run) return;
    const std::uint64_t value = place + i;
    refused = {value / source.dimension(), value % source.dimension(), value_text(dtype, at, i)};
  });
  if (!refused) return {};
  return Status(ErrorKind::kInvalidArgument, rounding_text(compression, dtype));
}

}  // namespace numpact::cvc::internal
