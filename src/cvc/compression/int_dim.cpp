// SPDX-License-Identifier: Apache-2.0
// int8_dim and int4: each dimension's range, over the rows of a slice, cut into even steps. int4
// has two codes a byte; its rows start at bytes.
#include <array>
#include <cstring>

#include "base/size.hpp"
#include "base/try.hpp"
#include "cvc/compression/codec.hpp"
#include "cvc/compression/shaping.hpp"

namespace numpact::cvc {
namespace {

enum class Width : std::uint8_t { kByte, kNibble };

template <Width kWidth>
constexpr unsigned kMost = kWidth == Width::kByte ? 255 : 15;

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

// Stretches of one row: from any dimension on, though a byte of two codes begins with an even one.
template <Width kWidth>
void decode_stretch(const std::byte* row, std::uint64_t first, std::size_t n, const std::byte* mins,
                    const std::byte* scales, float* out) {
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
    decode_stretch<kWidth>(codes + row * row_bytes, at, run, mins, scales, out);
    out += run;
    first += run;
    n -= run;
  }
  return {};
}

struct Seen {
  explicit Seen(std::size_t dimension)
      : low(dimension, HUGE_VALF), high(dimension, -HUGE_VALF), poison(dimension, 0.0f) {}
  std::vector<float> low, high, poison;
};

// Whether the values of those dimensions are whole where the range alone would let them be kept.
Status find_whole(const Source& source, const Seen& seen, float most, std::vector<char>& is_whole) {
  bool is_wanted = false;
  for (std::size_t d = 0; d < is_whole.size(); ++d) {
    const bool could_be = seen.high[d] - seen.low[d] <= most &&
                          seen.low[d] == std::floor(seen.low[d]) &&
                          seen.high[d] == std::floor(seen.high[d]);
    is_whole[d] = could_be ? 1 : 0;
    is_wanted = is_wanted || (could_be && seen.high[d] > seen.low[d]);
  }
  if (!is_wanted) return {};
  float buffer[kBlockValues];
  return source.for_row_pieces([&](std::uint64_t row, std::size_t first, std::size_t n) {
    const float* const values = source.floats(row * source.dimension() + first, n, buffer);
    for (std::size_t i = 0; i < n; ++i) {
      if (values[i] != std::floor(values[i])) is_whole[first + i] = 0;
    }
    return Status();
  });
}

template <Width kWidth>
Status plan(const Source& source, const EncodeRules& rules, Plan& plan) {
  const std::size_t dimension = to_size(source.dimension());
  plan.bytes = *size<kWidth>({source.rows(), source.dimension()}, source.dtype());
  if (plan.bytes > UINT32_MAX) return {};  // refused soon
  Seen seen(dimension);
  float buffer[kBlockValues];
  NUMPACT_TRY(source.for_row_pieces([&](std::uint64_t row, std::size_t first, std::size_t n) {
    widen_ranges(source.floats(row * source.dimension() + first, n, buffer), n,
                 {&seen.low[first], &seen.high[first], &seen.poison[first]});
    return Status();
  }));
  plan.is_kept.resize(dimension);
  NUMPACT_TRY(find_whole(source, seen, static_cast<float>(kMost<kWidth>), plan.is_kept));
  plan.rounding = rules.rounding;
  plan.ranges.resize(dimension);
  for (std::size_t d = 0; d < dimension && source.rows() > 0; ++d) {
    StepRange& range = plan.ranges[d];
    range = fit_steps(seen.low[d], seen.high[d], seen.poison[d] == 0, plan.is_kept[d] != 0,
                      kMost<kWidth>);
    if (!range.is_finite() && !rules.allow_nonfinite) {
      return refuse_nonfinite(source, {0, source.rows(), d, 1}, plan.refused);
    }
  }
  return {};
}

// A row's codes to bytes, in place; one more than n may be written.
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

// Ranges as values are divided: infinite scales where all codes are 0.
struct Divisors {
  explicit Divisors(const Plan& plan) {
    for (const StepRange& range : plan.ranges) {
      mins.push_back(range.min);
      scales.push_back(range.is_flat() ? HUGE_VALF : range.scale);
      if (!range.is_finite()) broken.push_back(mins.size() - 1);
    }
  }
  // Of dimensions [first, first + n) of a row.
  void clear_broken(std::uint64_t first, std::size_t n, std::uint8_t* codes) const {
    for (const std::size_t d : broken) {
      if (d >= first && d - first < n) codes[d - first] = 0;
    }
  }

  std::vector<float> mins;
  std::vector<float> scales;
  std::vector<std::size_t> broken;  // dimensions with values that are not finite
};

template <Width kWidth>
Status put_nearest(const Source& source, const Divisors& divisors, BlockSink& sink) {
  float buffer[kBlockValues];
  std::uint8_t codes[kBlockValues + 1];
  return source.for_row_pieces([&](std::uint64_t row, std::size_t first, std::size_t n) {
    const float* const values = source.floats(row * source.dimension() + first, n, buffer);
    dim_values_to_codes(values, n, &divisors.mins[first], &divisors.scales[first],
                        static_cast<float>(kMost<kWidth>), codes);
    divisors.clear_broken(first, n, codes);
    return sink.put({reinterpret_cast<const std::byte*>(codes), pack_row<kWidth>(codes, n)});
  });
}

template <Width kWidth>
Status put_shaped(const Source& source, const Plan& plan, const Divisors& divisors,
                  BlockSink& sink) {
  const auto dimension = static_cast<std::size_t>(source.dimension());
  std::vector<std::uint8_t> row(dimension + 1);
  Shaper shaper(source, RangeOf::kDimension, plan.ranges, plan.is_kept, kMost<kWidth>);
  for (std::uint64_t first = 0; first < source.rows(); first += kShapedRows) {
    const auto rows =
        static_cast<std::size_t>(std::min<std::uint64_t>(kShapedRows, source.rows() - first));
    const std::span<const std::uint8_t> codes = shaper.codes(to_size(first), rows);
    for (std::size_t i = 0; i < rows; ++i) {
      std::memcpy(row.data(), &codes[i * dimension], dimension);
      divisors.clear_broken(0, dimension, row.data());
      const std::size_t bytes = pack_row<kWidth>(row.data(), dimension);
      NUMPACT_TRY(sink.put({reinterpret_cast<const std::byte*>(row.data()), bytes}));
    }
  }
  return {};
}

template <Width kWidth>
Status encode(const Source& source, const Plan& plan, BlockSink& sink) {
  const Divisors divisors(plan);
  for (const std::size_t d : divisors.broken) {
    sink.lost += count_finite(source, {0, source.rows(), d, 1});
  }
  const bool is_shaped = plan.rounding == Rounding::kForSearch && Shaper::is_worth_it(source);
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
          .plan = plan<kWidth>,
          .encode = encode<kWidth>};
}

}  // namespace

const Codec kInt8DimCodec = codec<Width::kByte>(Compression::kInt8Dim, "int8_dim");
const Codec kInt4Codec = codec<Width::kNibble>(Compression::kInt4, "int4");

}  // namespace numpact::cvc
