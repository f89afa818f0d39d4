// SPDX-License-Identifier: Apache-2.0
// int8_row: uniform quantization of each row with its own range, in 255 steps.
#include <algorithm>

#include "base/internal.hpp"
#include "base/try.hpp"
#include "cvc/compression/codec.hpp"
#include "cvc/compression/shaping.hpp"

namespace numpact::cvc::internal {
namespace {

constexpr unsigned kMaxCode = 255;

std::optional<std::uint64_t> size(const Shape& shape, Dtype) {
  return shape.n() + 8 * std::min(shape.rows, kMaxValues);
}
Dtype code_type(Dtype) { return Dtype::kUInt8; }
std::uint64_t code_bytes(std::uint64_t dimension, Dtype) { return dimension; }

Status prepare(const Encoded& encoded, Prepared& prepared) {
  prepared.encoded = encoded;
  return check_size(encoded, *size(encoded.shape, encoded.dtype));
}

Status decode(const Prepared& prepared, std::uint64_t first, std::uint64_t n, float* out) {
  const Encoded& encoded = prepared.encoded;
  const std::uint64_t dimension = encoded.shape.dimension;
  const std::byte* const codes = encoded.bytes.data();
  const std::byte* const mins = codes + encoded.shape.n();
  const std::byte* const scales = mins + 4 * encoded.shape.rows;
  while (n > 0) {
    const std::uint64_t row = first / dimension;
    const std::uint64_t run = std::min(n, (row + 1) * dimension - first);
    codes_to_values(codes + first, static_cast<std::size_t>(run), load_float(mins + 4 * row),
                    load_float(scales + 4 * row), out);
    out += run;
    first += run;
    n -= run;
  }
  return {};
}

Status plan(const Source& source, const EncodeRules& rules, Plan& plan) {
  plan.bytes = source.n() + 8 * source.rows();
  plan.allows_nonfinite = rules.allow_nonfinite;
  plan.rounding = rules.rounding;
  return {};
}

bool are_integers(const float* values, std::size_t n) {
  return std::all_of(values, values + n, [](float value) { return value == std::floor(value); });
}

struct Row {
  StepRange range;
  bool is_exact = false;  // its values are integers that codes hold exactly
};

// Finds the ranges of rows, and encodes rows with rounding to nearest.
class RowEncoder {
 public:
  RowEncoder(const Source& source, bool allows_nonfinite)
      : source_(source), allows_nonfinite_(allows_nonfinite) {}

  Status find_range(std::uint64_t row, Row& found, BlockSink& sink) {
    ValueRange all;
    bool is_integer = true;
    (void)for_blocks(row, [&](std::uint64_t at, const float* values, std::size_t n) {
      const ValueRange some = range_of(values, n);
      all.low = at == 0 || some.low < all.low ? some.low : all.low;
      all.high = at == 0 || some.high > all.high ? some.high : all.high;
      all.has_nan = all.has_nan || some.has_nan;
      is_integer = is_integer && all.high - all.low <= static_cast<float>(kMaxCode) &&
                   are_integers(values, n);
      return Status();
    });
    found.range = fit_steps(all.low, all.high, !all.has_nan, is_integer, kMaxCode);
    found.is_exact = is_integer;
    const ValueArea area{row, 1, 0, source_.dimension()};
    sink.underflows += count_underflows(source_, area, found.range);
    if (found.range.is_finite()) return {};
    if (!allows_nonfinite_) return refuse_nonfinite(source_, area, sink.refused);
    sink.lost += count_finite(source_, area);
    return {};
  }

  Status put_nearest(std::uint64_t row, const StepRange& range, BlockSink& sink) {
    return for_blocks(row, [&](std::uint64_t, const float* values, std::size_t n) {
      std::uint8_t codes[kBlockValues];
      if (range.all_codes_zero()) {
        std::memset(codes, 0, n);
      } else {
        values_to_codes(values, n, range.min, range.scale, codes);
      }
      return sink.put({reinterpret_cast<const std::byte*>(codes), n});
    });
  }

 private:
  template <class F>
  Status for_blocks(std::uint64_t row, const F& f) {
    const std::uint64_t dimension = source_.dimension();
    for (std::uint64_t at = 0; at < dimension; at += kBlockValues) {
      const auto n =
          static_cast<std::size_t>(std::min<std::uint64_t>(kBlockValues, dimension - at));
      NUMPACT_TRY(f(at, source_.floats(row * dimension + at, n, buffer_), n));
    }
    return {};
  }

  const Source& source_;
  bool allows_nonfinite_;
  float buffer_[kBlockValues];
};

// Encodes all rows with error feedback.
Status put_shaped(const Source& source, std::span<const StepRange> ranges,
                  std::span<const char> is_exact, BlockSink& sink) {
  const auto dimension = static_cast<std::size_t>(source.dimension());
  Shaper shaper(source, RangeAxis::kRow, ranges, is_exact, kMaxCode);
  for (std::size_t first = 0; first < ranges.size(); first += kShapedRows) {
    const std::size_t rows = std::min<std::size_t>(kShapedRows, ranges.size() - first);
    const std::span<std::uint8_t> codes = shaper.codes(first, rows);
    NUMPACT_TRY(sink.put(std::as_bytes(codes.first(rows * dimension))));
  }
  return {};
}

Status encode(const Source& source, const Plan& plan, BlockSink& sink) {
  const auto rows = static_cast<std::size_t>(source.rows());
  const bool is_shaped = Shaper::applies(plan.rounding, kMaxCode, source);
  std::vector<StepRange> ranges(rows);
  std::vector<char> is_exact(rows);
  RowEncoder encoder(source, plan.allows_nonfinite);
  for (std::size_t row = 0; row < rows; ++row) {
    Row found;
    NUMPACT_TRY(encoder.find_range(row, found, sink));
    ranges[row] = found.range;
    is_exact[row] = found.is_exact ? 1 : 0;
    if (!is_shaped) NUMPACT_TRY(encoder.put_nearest(row, found.range, sink));
  }
  if (is_shaped) NUMPACT_TRY(put_shaped(source, ranges, is_exact, sink));
  return put_ranges(ranges, sink);
}

}  // namespace

const Codec kInt8RowCodec = {.compression = Compression::kInt8Row,
                             .name = "int8_row",
                             .ranges = RangeScope::kRow,
                             .size = size,
                             .code_type = code_type,
                             .code_bytes = code_bytes,
                             .prepare = prepare,
                             .decode = decode,
                             .plan = plan_of(plan),
                             .encode = encode_of(encode)};

}  // namespace numpact::cvc::internal
