// SPDX-License-Identifier: Apache-2.0
// bfloat16: every value rounded to the upper half of a float32.
#include <cmath>

#include "base/internal.hpp"
#include "base/try.hpp"
#include "cvc/compression/codec.hpp"
#include "cvc/compression/half.hpp"
#include "cvc/compression/two_byte_codec.hpp"

namespace numpact::cvc::internal {
namespace {

Dtype code_type(Dtype) { return Dtype::kBFloat16; }

Status decode(const Prepared& prepared, std::uint64_t first, std::uint64_t n, float* out) {
  stored_bfloats_to_floats(prepared.encoded.bytes.data() + 2 * first, static_cast<std::size_t>(n),
                           out, prepared.streams);
  return {};
}

// Rounds once, from types that a conversion to float would round first.
template <class T>
std::uint64_t wide_to_bfloats(const std::byte* at, std::size_t n, std::uint16_t* out) {
  const auto* const values = reinterpret_cast<const T*>(at);
  std::uint64_t overflows = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double value = round_to_odd_double(values[i]);
    out[i] = bfloat_of(round_to_odd_float(value));
    overflows += (out[i] & 0x7fffu) == 0x7f80u && std::isfinite(value) ? 1 : 0;
  }
  return overflows;
}

std::uint64_t wide_to_bfloats(Dtype dtype, const std::byte* at, std::size_t n, std::uint16_t* out) {
  if (dtype == Dtype::kFloat64) return wide_to_bfloats<double>(at, n, out);
  if (dtype == Dtype::kInt64) return wide_to_bfloats<std::int64_t>(at, n, out);
  return wide_to_bfloats<std::int32_t>(at, n, out);
}

bool is_wide(Dtype dtype) {
  return dtype == Dtype::kFloat64 || dtype == Dtype::kInt64 || dtype == Dtype::kInt32;
}

Status encode(const Source& source, const Plan&, BlockSink& sink) {
  return source.for_blocks([&](std::uint64_t first, std::size_t n) {
    std::uint16_t out[kBlockValues];
    float buffer[kBlockValues];
    if (source.dtype() == Dtype::kBFloat16) {
      source.copy(first, n, reinterpret_cast<std::byte*>(out));
    } else if (is_wide(source.dtype())) {
      source.for_runs(first, n, [&](const std::byte* at, std::uint64_t place, std::size_t run) {
        sink.overflows += wide_to_bfloats(source.dtype(), at, run, out + (place - first));
      });
    } else {
      sink.overflows += floats_to_bfloats(source.floats(first, n, buffer), n, out);
    }
    sink.underflows += count_underflows(source, first, n, out);
    return put_values({reinterpret_cast<const std::byte*>(out), 2 * n}, 2, sink);
  });
}

}  // namespace

const Codec kBFloat16Codec = {.compression = Compression::kBFloat16,
                              .name = "bfloat16",
                              .size = two_byte_size,
                              .code_type = code_type,
                              .code_bytes = two_byte_code_bytes,
                              .prepare = prepare_two_byte,
                              .decode = decode,
                              .plan = plan_of(plan_two_byte),
                              .encode = encode_of(encode)};

}  // namespace numpact::cvc::internal
