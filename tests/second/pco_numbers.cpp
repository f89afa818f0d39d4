// SPDX-License-Identifier: Apache-2.0
// docs/format/pco.md, "Ordered latents", and arithmetic on the bits of floats.
#include <bit>

#include "second/pco_parts.hpp"
#include "support/half.hpp"

namespace numpact::second {

bool is_number_type(std::uint64_t byte) { return byte >= 1 && byte <= 11; }

NumberKind kind_of_type(std::uint64_t byte) {
  switch (byte) {
    case 10:
      return {Family::kUnsigned, 8};
    case 7:
      return {Family::kUnsigned, 16};
    case 1:
      return {Family::kUnsigned, 32};
    case 2:
      return {Family::kUnsigned, 64};
    case 11:
      return {Family::kSigned, 8};
    case 8:
      return {Family::kSigned, 16};
    case 3:
      return {Family::kSigned, 32};
    case 4:
      return {Family::kSigned, 64};
    case 9:
      return {Family::kFloat, 16};
    case 5:
      return {Family::kFloat, 32};
    case 6:
      return {Family::kFloat, 64};
    default:
      refuse("unknown number type " + std::to_string(byte));
  }
}

unsigned mantissa_bits(unsigned bits) { return bits == 16 ? 10 : bits == 32 ? 23 : 52; }

std::uint64_t number_of_ordered(std::uint64_t ordered, NumberKind kind) {
  const std::uint64_t mid = mid_of(kind.bits);
  switch (kind.family) {
    case Family::kUnsigned:
      return ordered;
    case Family::kSigned:
      return ordered ^ mid;
    default:
      return ordered >= mid ? ordered ^ mid : ~ordered & mask_of(kind.bits);
  }
}

std::uint64_t ordered_of_float(std::uint64_t b, unsigned bits) {
  const std::uint64_t mid = mid_of(bits);
  return (b & mid) == 0 ? b ^ mid : ~b & mask_of(bits);
}

std::uint64_t float_of_whole(std::uint64_t value, unsigned bits) {
  if (bits == 16) return testing::half_bits(static_cast<double>(value));
  if (bits == 32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return std::bit_cast<std::uint64_t>(static_cast<double>(value));
}

bool is_finite(std::uint64_t b, unsigned bits) {
  const std::uint64_t infinity = (mid_of(bits) - 1) >> mantissa_bits(bits) << mantissa_bits(bits);
  return (b & (mid_of(bits) - 1)) < infinity;
}

bool is_nan(std::uint64_t b, unsigned bits) {
  const std::uint64_t mantissa = b & mask_of(mantissa_bits(bits));
  return !is_finite(b, bits) && mantissa != 0;
}

namespace {

// `volatile` rounds each result to its type, also on processors with wider registers.
template <class Float, class Bits>
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  const volatile Float x = std::bit_cast<Float>(static_cast<Bits>(a));
  const volatile Float y = std::bit_cast<Float>(static_cast<Bits>(b));
  const volatile Float z = x * y;
  return std::bit_cast<Bits>(static_cast<Float>(z));
}

}  // namespace

// The second factor must be finite.
std::uint64_t product_of_floats(std::uint64_t a, std::uint64_t b, unsigned bits) {
  if (is_nan(a, bits)) return a | mid_of(mantissa_bits(bits));  // quiet
  if (bits == 32) return product<float, std::uint32_t>(a, b);
  if (bits == 64) return product<double, std::uint64_t>(a, b);
  const double x = testing::half_value(static_cast<std::uint16_t>(a));
  return testing::half_bits(x * testing::half_value(static_cast<std::uint16_t>(b)));
}

}  // namespace numpact::second
