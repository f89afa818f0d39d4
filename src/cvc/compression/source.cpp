// SPDX-License-Identifier: Apache-2.0
#include "cvc/compression/source.hpp"

#include "base/internal.hpp"
#include "cvc/compression/half.hpp"

namespace numpact::cvc::internal {
namespace {

template <class T>
void to_floats(const std::byte* from, std::size_t count, float* out) {
  const auto* const values = reinterpret_cast<const T*>(from);
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<float>(values[i]);
}

void convert(Dtype dtype, const std::byte* from, std::size_t count, float* out) {
  switch (dtype) {
    case Dtype::kFloat32:
      std::memcpy(out, from, 4 * count);
      break;
    case Dtype::kFloat16:
      halves_to_floats(from, count, out);
      break;
    case Dtype::kFloat64:
      to_floats<double>(from, count, out);
      break;
    case Dtype::kInt32:
      to_floats<std::int32_t>(from, count, out);
      break;
    case Dtype::kInt64:
      to_floats<std::int64_t>(from, count, out);
      break;
    case Dtype::kInt8:
      to_floats<std::int8_t>(from, count, out);
      break;
    case Dtype::kUInt8:
      to_floats<std::uint8_t>(from, count, out);
      break;
    case Dtype::kBFloat16:
      bfloats_to_floats(from, count, out);
      break;
  }
}

}  // namespace

const float* Source::floats(std::uint64_t first, std::size_t count, float* buffer) const {
  const float* in_place = nullptr;
  for_runs(first, count, [&](const std::byte* at, std::uint64_t place, std::size_t run) {
    if (run == count && rows_.dtype == Dtype::kFloat32) {
      in_place = reinterpret_cast<const float*>(at);
    } else {
      convert(rows_.dtype, at, run, buffer + (place - first));
    }
  });
  return in_place != nullptr ? in_place : buffer;
}

void Source::copy(std::uint64_t first, std::size_t count, std::byte* out) const {
  const std::size_t size = size_of(rows_.dtype);
  for_runs(first, count, [&](const std::byte* at, std::uint64_t place, std::size_t run) {
    std::memcpy(out + (place - first) * size, at, run * size);
  });
}

}  // namespace numpact::cvc::internal
