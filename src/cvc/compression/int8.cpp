// SPDX-License-Identifier: Apache-2.0
// int8: uniform quantization with one range for all values of a slice, in 255 steps.
#include <cmath>
#include <limits>

#include "base/internal.hpp"
#include "base/try.hpp"
#include "cvc/compression/codec.hpp"
#include "cvc/compression/steps.hpp"

namespace numpact::cvc::internal {
namespace {

std::optional<std::uint64_t> size(const Shape& shape, Dtype) { return shape.n(); }
Dtype code_type(Dtype) { return Dtype::kUInt8; }
std::uint64_t code_bytes(std::uint64_t dimension, Dtype) { return dimension; }

Status prepare(const Encoded& encoded, Prepared& prepared) {
  prepared.encoded = encoded;
  return check_size(encoded, encoded.shape.n());
}

Status decode(const Prepared& prepared, std::uint64_t first, std::uint64_t n, float* out) {
  const Encoded& encoded = prepared.encoded;
  codes_to_values(encoded.bytes.data() + first, static_cast<std::size_t>(n), encoded.min,
                  encoded.scale, out, prepared.streams);
  return {};
}

// The range of the values rounded to floats. Rounding is monotonic, so these are the rounded
// extremes.
ValueRange float_range(const Source& source) {
  float buffer[kBlockValues];
  ValueRange all;
  (void)source.for_blocks([&](std::uint64_t first, std::size_t n) {
    const ValueRange range = range_of(source.floats(first, n, buffer), n);
    all.low = first == 0 || range.low < all.low ? range.low : all.low;
    all.high = first == 0 || range.high > all.high ? range.high : all.high;
    all.has_nan = all.has_nan || range.has_nan;
    return Status();
  });
  return all;
}

struct DoubleRange {
  double low = 0;
  double high = 0;
  bool has_nan = false;
};

DoubleRange double_range(const Source& source) {
  if (source.dtype() != Dtype::kFloat64) {
    const ValueRange range = float_range(source);
    return {range.low, range.high, range.has_nan};
  }
  DoubleRange all;
  source.for_runs(0, source.n(), [&](const std::byte* at, std::uint64_t place, std::size_t run) {
    const auto* const values = reinterpret_cast<const double*>(at);
    if (place == 0) all = {values[0], values[0], false};
    for (std::size_t i = 0; i < run; ++i) {
      all.low = values[i] < all.low ? values[i] : all.low;
      all.high = values[i] > all.high ? values[i] : all.high;
      all.has_nan = all.has_nan || std::isnan(values[i]);
    }
  });
  return all;
}

// Decoding computes in float, where larger values would become infinite.
bool fits_float(double value) { return std::isfinite(static_cast<float>(value)); }

void plan_in_double(const Source& source, Plan& plan) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const DoubleRange range = double_range(source);
  const double width = range.high - range.low;
  const bool fits = fits_float(width) && fits_float(range.high);
  plan.min = range.has_nan ? kNan : range.low + 0.0;
  plan.scale = range.has_nan             ? kNan
               : range.low == range.high ? 1.0
               : fits                    ? width / 255.0
                                         : std::numeric_limits<double>::infinity();
  plan.in_double = source.dtype() == Dtype::kFloat64;
}

void plan_in_float(const Source& source, Plan& plan) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const ValueRange range = float_range(source);
  const float width = range.high - range.low;
  plan.min =
      range.has_nan ? kNan : range.low + 0.0f;  // -0.0 becomes 0.0, whichever was found first
  plan.scale = range.has_nan ? kNan : range.low == range.high ? 1.0f : width / 255.0f;
}

Status plan(const Source& source, const EncodeRules& rules, Plan& plan) {
  plan.bytes = source.n();
  if (source.n() == 0) {
    return Status(ErrorKind::kInvalidArgument, "int8 needs values: the dimension is 0");
  }
  if (rules.range_in_double) {
    plan_in_double(source, plan);
  } else {
    plan_in_float(source, plan);
  }
  plan.is_nonfinite = !fits_float(plan.min) || !std::isfinite(plan.scale);
  if (plan.is_nonfinite && !rules.allow_nonfinite) {
    return refuse_nonfinite(source, all_of(source), plan.refused);
  }
  plan.all_codes_zero = plan.is_nonfinite || static_cast<float>(plan.scale) == 0;
  return {};
}

void doubles_to_codes(const Source& source, std::uint64_t first, std::size_t n, const Plan& plan,
                      std::uint8_t* codes) {
  source.for_runs(first, n, [&](const std::byte* at, std::uint64_t place, std::size_t run) {
    const auto* const values = reinterpret_cast<const double*>(at);
    for (std::size_t i = 0; i < run; ++i) {
      const double code = numpact::internal::round_to_even((values[i] - plan.min) / plan.scale);
      codes[place - first + i] = static_cast<std::uint8_t>(code < 0 ? 0 : code > 255 ? 255 : code);
    }
  });
}

Status encode(const Source& source, const Plan& plan, BlockSink& sink) {
  if (plan.is_nonfinite) sink.lost += count_finite(source, all_of(source));
  const auto min = static_cast<float>(plan.min);
  const auto scale = static_cast<float>(plan.scale);
  sink.underflows += count_underflows(source, all_of(source), {min, scale});
  return source.for_blocks([&](std::uint64_t first, std::size_t n) {
    std::uint8_t codes[kBlockValues];
    float buffer[kBlockValues];
    if (plan.all_codes_zero) {
      std::memset(codes, 0, n);
    } else if (plan.in_double) {
      doubles_to_codes(source, first, n, plan, codes);
    } else {
      values_to_codes(source.floats(first, n, buffer), n, min, scale, codes);
    }
    return sink.put({reinterpret_cast<const std::byte*>(codes), n});
  });
}

}  // namespace

const Codec kInt8Codec = {.compression = Compression::kInt8,
                          .name = "int8",
                          .ranges = RangeScope::kHeader,
                          .in_v01 = true,
                          .size = size,
                          .code_type = code_type,
                          .code_bytes = code_bytes,
                          .prepare = prepare,
                          .decode = decode,
                          .plan = plan_of(plan),
                          .encode = encode_of(encode)};

}  // namespace numpact::cvc::internal
