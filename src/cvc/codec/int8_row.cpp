// SPDX-License-Identifier: Apache-2.0
// int8_row: each row's range cut into 255 even steps.
#include <algorithm>

#include "base/try.hpp"
#include "cvc/codec/codec.hpp"

namespace numpact::cvc {
namespace {

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
                    load_float(scales + 4 * row), out, prepared.streams);
    out += run;
    first += run;
    n -= run;
  }
  return {};
}

Status plan(const Source& source, const EncodeRules& rules, Plan& plan) {
  plan.bytes = source.n() + 8 * source.rows();
  plan.allows_nonfinite = rules.allow_nonfinite;
  return {};
}

bool are_whole(const float* values, std::size_t n) {
  return std::all_of(values, values + n, [](float value) { return value == std::floor(value); });
}

// Of one row, whose pieces are those of Source::for_row_pieces.
class RowEncoder {
 public:
  RowEncoder(const Source& source, const Plan& plan, BlockSink& sink)
      : source_(source), plan_(plan), sink_(sink) {}

  Status encode(std::uint64_t row, StepRange& range) {
    NUMPACT_TRY(find_range(row, range));
    const std::uint64_t dimension = source_.dimension();
    for (std::uint64_t at = 0; at < dimension; at += kBlockValues) {
      const auto n =
          static_cast<std::size_t>(std::min<std::uint64_t>(kBlockValues, dimension - at));
      std::uint8_t codes[kBlockValues];
      if (range.is_flat()) {
        std::memset(codes, 0, n);
      } else {
        values_to_codes(floats(row, at, n), n, range.min, range.scale, codes);
      }
      NUMPACT_TRY(sink_.put({reinterpret_cast<const std::byte*>(codes), n}));
    }
    return {};
  }

 private:
  const float* floats(std::uint64_t row, std::uint64_t at, std::size_t n) {
    return source_.floats(row * source_.dimension() + at, n, buffer_);
  }

  Status find_range(std::uint64_t row, StepRange& range) {
    const std::uint64_t dimension = source_.dimension();
    ValueRange all;
    bool is_whole = true;
    for (std::uint64_t at = 0; at < dimension; at += kBlockValues) {
      const auto n =
          static_cast<std::size_t>(std::min<std::uint64_t>(kBlockValues, dimension - at));
      const float* const values = floats(row, at, n);
      const ValueRange some = range_of(values, n);
      all.low = at == 0 || some.low < all.low ? some.low : all.low;
      all.high = at == 0 || some.high > all.high ? some.high : all.high;
      all.has_nan = all.has_nan || some.has_nan;
      is_whole = is_whole && all.high - all.low <= 255.0f && are_whole(values, n);
    }
    range = fit_steps(all.low, all.high, !all.has_nan, is_whole, 255);
    if (range.is_finite() || plan_.allows_nonfinite) return {};
    return nonfinite_error();
  }

  const Source& source_;
  const Plan& plan_;
  BlockSink& sink_;
  float buffer_[kBlockValues];
};

Status encode(const Source& source, const Plan& plan, BlockSink& sink) {
  const auto rows = static_cast<std::size_t>(source.rows());
  std::vector<float> ranges(2 * rows);
  RowEncoder encoder(source, plan, sink);
  for (std::size_t row = 0; row < rows; ++row) {
    StepRange range;
    NUMPACT_TRY(encoder.encode(row, range));
    ranges[row] = range.min;
    ranges[rows + row] = range.scale;
  }
  return sink.put(std::as_bytes(std::span(ranges)));
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
                             .plan = plan,
                             .encode = encode};

}  // namespace numpact::cvc
