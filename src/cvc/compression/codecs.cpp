// SPDX-License-Identifier: Apache-2.0
#include "cvc/compression/codecs.hpp"

#include <algorithm>
#include <cstring>

#include "base/try.hpp"
#include "cvc/compression/half.hpp"

namespace numpact::cvc {
namespace {

// In the order of the enum.
const Codec* const kCodecs[] = {&kFp16Codec,    &kInt8Codec,     &kLosslessCodec,
                                &kNoneCodec,    &kBFloat16Codec, &kInt4Codec,
                                &kInt8RowCodec, &kInt8DimCodec,  &kPcoCodec};

struct NamedType {
  Dtype dtype;
  std::string_view name;
};

constexpr NamedType kTypeNames[] = {{Dtype::kFloat32, "float32"},   {Dtype::kFloat16, "float16"},
                                    {Dtype::kBFloat16, "bfloat16"}, {Dtype::kFloat64, "float64"},
                                    {Dtype::kInt32, "int32"},       {Dtype::kInt64, "int64"},
                                    {Dtype::kInt8, "int8"},         {Dtype::kUInt8, "uint8"}};

bool is_float(Dtype dtype) {
  return dtype == Dtype::kFloat32 || dtype == Dtype::kFloat16 || dtype == Dtype::kBFloat16;
}

}  // namespace

const Codec& codec_of(Compression compression) {
  return *kCodecs[static_cast<std::size_t>(compression)];
}

std::string_view name_of(Compression compression) noexcept { return codec_of(compression).name; }

std::optional<Compression> compression_of_name(std::string_view name) noexcept {
  for (const Codec* const codec : kCodecs) {
    if (codec->name == name) return codec->compression;
  }
  return std::nullopt;
}

std::string_view name_of(Dtype dtype) noexcept {
  return kTypeNames[static_cast<std::size_t>(dtype)].name;
}

std::optional<Dtype> dtype_of_name(std::string_view name) noexcept {
  for (const NamedType& named : kTypeNames) {
    if (named.name == name) return named.dtype;
  }
  return std::nullopt;
}

Status check_size(const Encoded& encoded, std::uint64_t size) {
  if (encoded.bytes.size() == size) return {};
  return Status(ErrorKind::kCorrupt, "the payload's size is not what rows and dimension need",
                encoded.offset);
}

Status nonfinite_error() {
  return Status(ErrorKind::kInvalidArgument,
                "codes of fixed steps cannot hold NaN, infinities, or a range beyond float32 "
                "(WriteConfig::allow_nonfinite)");
}

Status put_ranges(std::span<const StepRange> ranges, BlockSink& sink) {
  std::vector<float> numbers;
  numbers.reserve(2 * ranges.size());
  for (const StepRange& range : ranges) numbers.push_back(range.min);
  for (const StepRange& range : ranges) numbers.push_back(range.scale);
  return sink.put(std::as_bytes(std::span(numbers)));
}

bool can_decode(Compression compression, Dtype dtype, Dtype out) {
  const bool is_kept = codec_of(compression).keeps_integers && !is_float(dtype);
  return is_kept ? out == dtype : is_float(out);
}

Status decode_values(const Prepared& prepared, std::uint64_t first, std::uint64_t n, Dtype out,
                     void* data) {
  constexpr std::size_t kStep = 1024;
  const Encoded& encoded = prepared.encoded;
  const Codec& codec = codec_of(encoded.compression);
  if (out == Dtype::kFloat32) return codec.decode(prepared, first, n, static_cast<float*>(data));
  const bool is_coded = codec.ranges == RangeScope::kNone && codec.code_type != nullptr;
  if (is_coded && codec.code_type(encoded.dtype) == out) {
    const std::size_t size = size_of(out);
    if (n > 0) std::memcpy(data, encoded.bytes.data() + first * size, n * size);
    return {};
  }
  auto* to = static_cast<std::uint16_t*>(data);
  while (n > 0) {
    float values[kStep];
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(n, kStep));
    NUMPACT_TRY(codec.decode(prepared, first, count, values));
    if (out == Dtype::kFloat16) {
      floats_to_halves(values, count, to);
    } else {
      floats_to_bfloats(values, count, to);
    }
    to += count;
    first += count;
    n -= count;
  }
  return {};
}

}  // namespace numpact::cvc
