// SPDX-License-Identifier: Apache-2.0
#include "cvc/compression/codecs.hpp"

#include <algorithm>
#include <cstring>

#include "base/internal.hpp"
#include "base/load.hpp"
#include "base/try.hpp"
#include "cvc/compression/half.hpp"

namespace numpact::cvc::internal {
namespace {

// In the order of the enumeration.
const Codec* const kCodecs[] = {&kFp16Codec,     &kInt8Codec, &kLosslessCodec, &kNoneCodec,
                                &kBFloat16Codec, &kInt4Codec, &kInt8RowCodec,  &kInt8DimCodec,
                                &kPcoCodec,      &kRot1Codec, &kRot2Codec,     &kRot3Codec,
                                &kRot4Codec};

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

// Bytes of a buffer on the stack for values whose byte order is changed.
constexpr std::size_t kSwapBytes = 2048;

// Calls f(at, first, count) for runs of stored halves in the byte order of this machine.
template <class F>
void for_native_runs(const std::byte* halves, std::size_t n, const F& f) {
  std::byte buffer[kSwapBytes];
  for (std::size_t i = 0; i < n; i += kSwapBytes / 2) {
    const std::size_t count = std::min(n - i, kSwapBytes / 2);
    copy_stored(halves + 2 * i, count, 2, buffer);
    f(buffer, i, count);
  }
}

}  // namespace

const Codec& codec_of(Compression compression) {
  return *kCodecs[static_cast<std::size_t>(compression)];
}

Status check_size(const Encoded& encoded, std::uint64_t size) {
  if (encoded.bytes.size() == size) return {};
  return Status(ErrorKind::kCorrupt, "the payload's size is not what rows and dimension need",
                encoded.offset);
}

Status put_ranges(std::span<const StepRange> ranges, BlockSink& sink) {
  std::vector<float> numbers;
  numbers.reserve(2 * ranges.size());
  for (const StepRange& range : ranges) numbers.push_back(range.min);
  for (const StepRange& range : ranges) numbers.push_back(range.scale);
  return put_values(std::as_bytes(std::span(numbers)), sizeof(float), sink);
}

Status put_values(std::span<const std::byte> values, std::size_t size, BlockSink& sink) {
  if constexpr (!kIsBigEndian) return sink.put(values);
  std::byte buffer[kSwapBytes];
  while (!values.empty()) {
    const std::size_t bytes = std::min(values.size(), kSwapBytes);
    copy_stored(values.data(), bytes / size, size, buffer);
    NUMPACT_TRY(sink.put({buffer, bytes}));
    values = values.subspan(bytes);
  }
  return {};
}

void copy_stored(const std::byte* from, std::size_t n, std::size_t size, void* out) {
  if (n == 0) return;
  std::memcpy(out, from, n * size);
  swap_file_order(static_cast<std::byte*>(out), n, size);
}

void stored_halves_to_floats(const std::byte* halves, std::size_t n, float* out, bool streams) {
  if constexpr (!kIsBigEndian) return halves_to_floats(halves, n, out, streams);
  for_native_runs(halves, n, [&](const std::byte* at, std::size_t first, std::size_t count) {
    halves_to_floats(at, count, out + first);
  });
}

void stored_bfloats_to_floats(const std::byte* bfloats, std::size_t n, float* out, bool streams) {
  if constexpr (!kIsBigEndian) return bfloats_to_floats(bfloats, n, out, streams);
  for_native_runs(bfloats, n, [&](const std::byte* at, std::size_t first, std::size_t count) {
    bfloats_to_floats(at, count, out + first);
  });
}

bool can_decode(Compression compression, Dtype dtype, Dtype out) {
  const bool keeps_type = codec_of(compression).keeps_integers && !is_float(dtype);
  return keeps_type ? out == dtype : is_float(out);
}

Status decode_values(const Prepared& prepared, std::uint64_t first, std::uint64_t n, Dtype out,
                     void* data) {
  constexpr std::size_t kBufferValues = 1024;  // values of a buffer on the stack
  const Encoded& encoded = prepared.encoded;
  const Codec& codec = codec_of(encoded.compression);
  if (out == Dtype::kFloat32) return codec.decode(prepared, first, n, static_cast<float*>(data));
  const bool is_coded = codec.ranges == RangeScope::kNone && codec.code_type != nullptr;
  if (is_coded && codec.code_type(encoded.dtype) == out) {
    const std::size_t size = size_of(out);
    copy_stored(encoded.bytes.data() + first * size, static_cast<std::size_t>(n), size, data);
    return {};
  }
  auto* to = static_cast<std::uint16_t*>(data);
  while (n > 0) {
    float values[kBufferValues];
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(n, kBufferValues));
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

}  // namespace numpact::cvc::internal

namespace numpact::cvc {

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

}  // namespace numpact::cvc
