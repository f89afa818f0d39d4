// SPDX-License-Identifier: Apache-2.0
// none: values in their own type, little-endian.
#include "base/internal.hpp"
#include "base/try.hpp"
#include "cvc/compression/codec.hpp"
#include "cvc/compression/half.hpp"

namespace numpact::cvc::internal {
namespace {

std::optional<std::uint64_t> size(const Shape& shape, Dtype dtype) {
  return shape.n() * size_of(dtype);
}
Dtype code_type(Dtype dtype) { return dtype; }
std::uint64_t code_bytes(std::uint64_t dimension, Dtype dtype) {
  return dimension * size_of(dtype);
}

Status prepare(const Encoded& encoded, Prepared& prepared) {
  prepared.encoded = encoded;
  return check_size(encoded, encoded.shape.n() * size_of(encoded.dtype));
}

Status decode(const Prepared& prepared, std::uint64_t first, std::uint64_t n, float* out) {
  const Encoded& encoded = prepared.encoded;
  const std::byte* const from = encoded.bytes.data() + first * size_of(encoded.dtype);
  if (encoded.dtype == Dtype::kFloat16) {
    stored_halves_to_floats(from, static_cast<std::size_t>(n), out);
  } else {
    copy_stored(from, static_cast<std::size_t>(n), sizeof(float), out);
  }
  return {};
}

Status plan(const Source& source, const EncodeRules&, Plan& plan) {
  plan.bytes = source.n() * size_of(source.dtype());
  return {};
}

Status encode(const Source& source, const Plan&, BlockSink& sink) {
  Status status;
  source.for_runs(0, source.n(), [&](const std::byte* at, std::uint64_t, std::size_t run) {
    const std::size_t size = size_of(source.dtype());
    if (status.ok()) status = put_values({at, run * size}, size, sink);
  });
  return status;
}

}  // namespace

const Codec kNoneCodec = {.compression = Compression::kNone,
                          .name = "none",
                          .in_single = false,
                          .keeps_integers = true,
                          .size = size,
                          .code_type = code_type,
                          .code_bytes = code_bytes,
                          .prepare = prepare,
                          .decode = decode,
                          .plan = plan_of(plan),
                          .encode = encode_of(encode)};

}  // namespace numpact::cvc::internal
