// SPDX-License-Identifier: Apache-2.0
// int8_dim and int4: uniform quantization of each dimension, with the range of its values in the
// slice. int4 packs two codes per byte; each row starts at a byte.
#include <array>
#include <cstring>

#include "base/internal.hpp"
#include "base/size.hpp"
#include "base/try.hpp"
#include "cvc/compression/codec.hpp"
#include "cvc/compression/shaping.hpp"

namespace numpact::cvc::internal {
namespace {

enum class Width : std::uint8_t { kByte, kNibble };

template <Width kWidth>
constexpr unsigned kMaxCode = kWidth == Width::kByte ? 255 : 15;

Dtype code_type(Dtype) { return Dtype::kUInt8; }

template <Width kWidth>
std::uint64_t code_bytes(std::uint64_t dimension, Dtype) {
  return kWidth == Width::kByte ? dimension : (dimension + 1) / 2;
}

template <Width kWidth>
std::optional<std::uint64_t> size(const Shape& shape, Dtype dtype) {
  const std::uint64_t codes =
      shape.n() == 0 ? 0 : shape.rows * code_bytes<kWidth>(shape.dimension, dtype);
  return codes + 8 * std::min(shape.dimension, kMaxValues);
}

template <Width kWidth>
Status prepare(const Encoded& encoded, Prepared& prepared) {
  prepared.encoded = encoded;
  return check_size(encoded, *size<kWidth>(encoded.shape, encoded.dtype));
}

// Decodes dimensions [first, first + n) of a row. An odd first dimension of int4 is the high half
// of a byte and is decoded separately.
template <Width kWidth>
void decode_row_part(const std::byte* row, std::uint64_t first, std::size_t n,
                     const std::byte* mins, const std::byte* scales, float* out) {
  if constexpr (kWidth == Width::kByte) {
    dim_codes_to_values(row + first, n, mins + 4 * first, scales + 4 * first, out);
    return;
  }
  if (first % 2 != 0) {
    const auto byte = static_cast<std::uint8_t>(row[first / 2]);
    *out++ = value_of_code(byte >> 4, load_float(mins + 4 * first), load_float(scales + 4 * first));
    ++first;
    --n;
  }
  dim_nibbles_to_values(row + first / 2, n, mins + 4 * first, scales + 4 * first, out);
}

template <Width kWidth>
Status decode(const Prepared& prepared, std::uint64_t first, std::uint64_t n, float* out) {
  const Encoded& encoded = prepared.encoded;
  const std::uint64_t dimension = encoded.shape.dimension;
  const std::uint64_t row_bytes = code_bytes<kWidth>(dimension, encoded.dtype);
  const std::byte* const codes = encoded.bytes.data();
  const std::byte* const mins = codes + encoded.shape.rows * row_bytes;
  const std::byte* const scales = mins + 4 * dimension;
  while (n > 0) {
    const std::uint64_t row = first / dimension;
    const std::uint64_t at = first % dimension;
    const auto run = static_cast<std::size_t>(std::min(n, dimension - at));
    decode_row_part<kWidth>(codes + row * row_bytes, at, run, mins, scales, out);
    out += run;
    first += run;
    n -= run;
  }
  return {};
}

// The range of each dimension's values, as widen_ranges() collects it.
struct ObservedRanges {
  explicit ObservedRanges(std::size_t dimension)
      : low(dimension, HUGE_VALF), high(dimension, -HUGE_VALF), poison(dimension, 0.0f) {}
  std::vector<float> low, high, poison;
};

// Finds the dimensions whose values are integers and whose range fits the codes, so that a scale
// of 1 stores them exactly. Values are read only if the range of some dimension allows it.
Status find_exact(const Source& source, const ObservedRanges& observed, float max_code,
                  std::vector<char>& is_exact) {
  bool needs_values = false;
  for (std::size_t d = 0; d < is_exact.size(); ++d) {
    const bool may_be_exact = observed.high[d] - observed.low[d] <= max_code &&
                              observed.low[d] == std::floor(observed.low[d]) &&
                              observed.high[d] == std::floor(observed.high[d]);
    is_exact[d] = may_be_exact ? 1 : 0;
    needs_values = needs_values || (may_be_exact && observed.high[d] > observed.low[d]);
  }
  if (!needs_values) return {};
  float buffer[kBlockValues];
  return source.for_row_blocks([&](std::uint64_t row, std::size_t first, std::size_t n) {
    const float* const values = source.floats(row * source.dimension() + first, n, buffer);
    for (std::size_t i = 0; i < n; ++i) {
      if (values[i] != std::floor(values[i])) is_exact[first + i] = 0;
    }
    return Status();
  });
}

template <Width kWidth>
Status plan(const Source& source, const EncodeRules& rules, Plan& plan) {
  const std::size_t dimension = to_size(source.dimension());
  plan.bytes = *size<kWidth>({source.rows(), source.dimension()}, source.dtype());
  if (plan.bytes > UINT32_MAX) return {};  // plan_chunk rejects it
  ObservedRanges observed(dimension);
  float buffer[kBlockValues];
  NUMPACT_TRY(source.for_row_blocks([&](std::uint64_t row, std::size_t first, std::size_t n) {
    widen_ranges(source.floats(row * source.dimension() + first, n, buffer), n,
                 {&observed.low[first], &observed.high[first], &observed.poison[first]});
    return Status();
  }));
  plan.is_exact.resize(dimension);
  NUMPACT_TRY(find_exact(source, observed, static_cast<float>(kMaxCode<kWidth>), plan.is_exact));
  plan.rounding = rules.rounding;
  plan.ranges.resize(dimension);
  for (std::size_t d = 0; d < dimension && source.rows() > 0; ++d) {
    StepRange& range = plan.ranges[d];
    range = fit_steps(observed.low[d], observed.high[d], observed.poison[d] == 0,
                      plan.is_exact[d] != 0, kMaxCode<kWidth>);
    if (!range.is_finite() && !rules.allow_nonfinite) {
      return refuse_nonfinite(source, {0, source.rows(), d, 1}, plan.refused);
    }
  }
  return {};
}

// Packs the codes of a row, in place; returns the bytes. codes[n] may be written.
template <Width kWidth>
std::size_t pack_row(std::uint8_t* codes, std::size_t n) {
  if constexpr (kWidth == Width::kByte) return n;
  codes[n] = 0;
  const std::size_t bytes = (n + 1) / 2;
  for (std::size_t i = 0; i < bytes; ++i) {
    codes[i] = static_cast<std::uint8_t>(codes[2 * i] | codes[2 * i + 1] << 4);
  }
  return bytes;
}

// Ranges for the division of values. An infinite scale makes all codes of a dimension 0.
struct Divisors {
  explicit Divisors(const Plan& plan) {
    for (const StepRange& range : plan.ranges) {
      mins.push_back(range.min);
      scales.push_back(range.all_codes_zero() ? HUGE_VALF : range.scale);
      if (!range.is_finite()) nonfinite.push_back(mins.size() - 1);
    }
  }
  // Sets the codes of non-finite dimensions to 0; `codes` has dimensions [first, first + n) of a
  // row.
  void clear_nonfinite(std::uint64_t first, std::size_t n, std::uint8_t* codes) const {
    for (const std::size_t d : nonfinite) {
      if (d >= first && d - first < n) codes[d - first] = 0;
    }
  }

  std::vector<float> mins;
  std::vector<float> scales;
  std::vector<std::size_t> nonfinite;  // dimensions with non-finite values
};

template <Width kWidth>
Status put_nearest(const Source& source, const Divisors& divisors, BlockSink& sink) {
  float buffer[kBlockValues];
  std::uint8_t codes[kBlockValues + 1];
  return source.for_row_blocks([&](std::uint64_t row, std::size_t first, std::size_t n) {
    const float* const values = source.floats(row * source.dimension() + first, n, buffer);
    dim_values_to_codes(values, n, &divisors.mins[first], &divisors.scales[first],
                        static_cast<float>(kMaxCode<kWidth>), codes);
    divisors.clear_nonfinite(first, n, codes);
    return sink.put({reinterpret_cast<const std::byte*>(codes), pack_row<kWidth>(codes, n)});
  });
}

template <Width kWidth>
Status put_shaped(const Source& source, const Plan& plan, const Divisors& divisors,
                  BlockSink& sink) {
  const auto dimension = static_cast<std::size_t>(source.dimension());
  std::vector<std::uint8_t> row(dimension + 1);
  Shaper shaper(source, RangeAxis::kDimension, plan.ranges, plan.is_exact, kMaxCode<kWidth>);
  for (std::uint64_t first = 0; first < source.rows(); first += kShapedRows) {
    const auto rows =
        static_cast<std::size_t>(std::min<std::uint64_t>(kShapedRows, source.rows() - first));
    const std::span<const std::uint8_t> codes = shaper.codes(to_size(first), rows);
    for (std::size_t i = 0; i < rows; ++i) {
      std::memcpy(row.data(), &codes[i * dimension], dimension);
      divisors.clear_nonfinite(0, dimension, row.data());
      const std::size_t bytes = pack_row<kWidth>(row.data(), dimension);
      NUMPACT_TRY(sink.put({reinterpret_cast<const std::byte*>(row.data()), bytes}));
    }
  }
  return {};
}

template <Width kWidth>
Status encode(const Source& source, const Plan& plan, BlockSink& sink) {
  const Divisors divisors(plan);
  for (const std::size_t d : divisors.nonfinite) {
    sink.lost += count_finite(source, {0, source.rows(), d, 1});
  }
  for (std::size_t d = 0; d < plan.ranges.size(); ++d) {
    sink.underflows += count_underflows(source, {0, source.rows(), d, 1}, plan.ranges[d]);
  }
  const bool is_shaped = Shaper::applies(plan.rounding, kMaxCode<kWidth>, source);
  NUMPACT_TRY(is_shaped ? put_shaped<kWidth>(source, plan, divisors, sink)
                        : put_nearest<kWidth>(source, divisors, sink));
  return put_ranges(plan.ranges, sink);
}

template <Width kWidth>
constexpr Codec codec(Compression compression, std::string_view name) {
  return {.compression = compression,
          .name = name,
          .ranges = RangeScope::kDimension,
          .size = size<kWidth>,
          .code_type = code_type,
          .code_bytes = code_bytes<kWidth>,
          .prepare = prepare<kWidth>,
          .decode = decode<kWidth>,
          .plan = plan_of(plan<kWidth>),
          .encode = encode_of(encode<kWidth>)};
}

}  // namespace

const Codec kInt8DimCodec = codec<Width::kByte>(Compression::kInt8Dim, "int8_dim");
const Codec kInt4Codec = codec<Width::kNibble>(Compression::kInt4, "int4");

}  // namespace numpact::cvc::internal
