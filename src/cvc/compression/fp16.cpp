// SPDX-License-Identifier: Apache-2.0
// fp16: every value rounded to half precision.
#include <cmath>

#include "base/internal.hpp"
#include "base/try.hpp"
#include "cvc/compression/codec.hpp"
#include "cvc/compression/half.hpp"
#include "cvc/compression/two_byte_codec.hpp"

namespace numpact::cvc::internal {
namespace {

Dtype code_type(Dtype) { return Dtype::kFloat16; }

Status decode(const Prepared& prepared, std::uint64_t first, std::uint64_t n, float* out) {
  stored_halves_to_floats(prepared.encoded.bytes.data() + 2 * first, static_cast<std::size_t>(n),
                          out, prepared.streams);
  return {};
}

// Rounds once, from the type of the values.
template <class T>
std::uint64_t wide_to_halves(const T* values, std::size_t n, std::uint16_t* out) {
  std::uint64_t overflows = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto value = static_cast<double>(values[i]);
    out[i] = half_of(value);
    overflows += (out[i] & 0x7fffu) == 0x7c00u && std::isfinite(value) ? 1 : 0;
  }
  return overflows;
}

void block_to_halves(const Source& source, std::uint64_t first, std::size_t n, std::uint16_t* out,
                     std::uint64_t& overflows) {
  if (source.dtype() == Dtype::kFloat16) {
    source.copy(first, n, reinterpret_cast<std::byte*>(out));
    return;
  }
  if (source.dtype() == Dtype::kFloat64) {
    source.for_runs(first, n, [&](const std::byte* at, std::uint64_t place, std::size_t run) {
      overflows += wide_to_halves(reinterpret_cast<const double*>(at), run, out + (place - first));
    });
    return;
  }
  // Integers that float rounds are larger than every half, so rounding twice is harmless.
  float buffer[kBlockValues];
  overflows += floats_to_halves(source.floats(first, n, buffer), n, out);
}

Status encode(const Source& source, const Plan&, BlockSink& sink) {
  return source.for_blocks([&](std::uint64_t first, std::size_t n) {
    std::uint16_t halves[kBlockValues];
    block_to_halves(source, first, n, halves, sink.overflows);
    sink.underflows += count_underflows(source, first, n, halves);
    return put_values({reinterpret_cast<const std::byte*>(halves), 2 * n}, 2, sink);
  });
}

}  // namespace

const Codec kFp16Codec = {.compression = Compression::kFp16,
                          .name = "fp16",
                          .in_v01 = true,
                          .size = two_byte_size,
                          .code_type = code_type,
                          .code_bytes = two_byte_code_bytes,
                          .prepare = prepare_two_byte,
                          .decode = decode,
                          .plan = plan_of(plan_two_byte),
                          .encode = encode_of(encode)};

}  // namespace numpact::cvc::internal
