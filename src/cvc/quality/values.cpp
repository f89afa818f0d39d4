// SPDX-License-Identifier: Apache-2.0
#include "cvc/quality/values.hpp"
#include "base/internal.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "number/float_traits.hpp"

namespace numpact::cvc::quality {
namespace {

template <class To, class From>
To value_of(From value) {
  if constexpr (std::is_same_v<From, Float16>) {
    return static_cast<To>(half_to_float(value.bits));
  } else {
    return static_cast<To>(value);
  }
}

template <class From, class To>
void convert(std::span<const std::byte> values, std::span<To> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    From value;
    std::memcpy(&value, values.data() + i * sizeof(From), sizeof(From));
    out[i] = value_of<To>(value);
  }
}

template <class To>
void convert_any(std::span<const std::byte> values, Dtype dtype, std::span<To> out) {
  switch (dtype) {
    case Dtype::kFloat32:
      return convert<float>(values, out);
    case Dtype::kFloat16:
      return convert<Float16>(values, out);
    case Dtype::kFloat64:
      return convert<double>(values, out);
    case Dtype::kInt32:
      return convert<std::int32_t>(values, out);
    case Dtype::kInt64:
      return convert<std::int64_t>(values, out);
    case Dtype::kInt8:
      return convert<std::int8_t>(values, out);
    case Dtype::kUInt8:
      return convert<std::uint8_t>(values, out);
    case Dtype::kBFloat16:  // can only be read into
      return;
  }
}

}  // namespace

void doubles_of(std::span<const std::byte> values, Dtype dtype, std::span<double> out) {
  convert_any(values, dtype, out);
}

void floats_of(std::span<const std::byte> values, Dtype dtype, std::span<float> out) {
  convert_any(values, dtype, out);
}

}  // namespace numpact::cvc::quality
