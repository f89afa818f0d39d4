// SPDX-License-Identifier: Apache-2.0
// Latents: the unsigned integers that represent numbers. Eleven number types map to four widths.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "numpact/types.hpp"

namespace numpact::internal {

template <class L>
concept Latent = std::same_as<L, std::uint8_t> || std::same_as<L, std::uint16_t> ||
    std::same_as<L, std::uint32_t> || std::same_as<L, std::uint64_t>;

template <Latent L>
inline constexpr unsigned kBits = 8 * sizeof(L);

// Half of the range, the center of deltas and corrections.
template <Latent L>
inline constexpr L kMid = static_cast<L>(L{1} << (kBits<L> - 1));

// Bits of the offset width field of a bin in the metadata: 4, 5, 6 or 7.
template <Latent L>
inline constexpr unsigned kOffsetWidthBits = std::bit_width(kBits<L>);

constexpr unsigned latent_bits(NumberType type) { return static_cast<unsigned>(8 * size_of(type)); }

// The largest value of 0 to 64 bits.
constexpr std::uint64_t largest_latent(unsigned bits) {
  return bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - bits);
}

// Wrapping arithmetic that avoids integer promotion.
template <Latent L>
constexpr L wrapping_add(L a, L b) {
  return static_cast<L>(a + b);
}
template <Latent L>
constexpr L wrapping_sub(L a, L b) {
  return static_cast<L>(a - b);
}
template <Latent L>
constexpr L wrapping_mul(L a, L b) {
  return static_cast<L>(std::uint64_t{a} * std::uint64_t{b});
}

// The upper half of the bits of the product.
template <Latent L>
constexpr L upper_product(L a, L b) {
  if constexpr (sizeof(L) == 8) {
    const std::uint64_t mask = 0xffffffff;
    const std::uint64_t low = (a & mask) * (b & mask);
    const std::uint64_t middle = (a >> 32) * (b & mask) + (low >> 32);
    const std::uint64_t other = (a & mask) * (b >> 32) + (middle & mask);
    return (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
  } else {
    return static_cast<L>((std::uint64_t{a} * std::uint64_t{b}) >> kBits<L>);
  }
}

// Calls f with a value of the latent type that has `bits` bits (8, 16, 32 or 64).
template <class F>
decltype(auto) visit_latent(unsigned bits, F&& f) {
  switch (bits) {
    case 8:
      return std::forward<F>(f)(std::uint8_t{});
    case 16:
      return std::forward<F>(f)(std::uint16_t{});
    case 32:
      return std::forward<F>(f)(std::uint32_t{});
    default:
      return std::forward<F>(f)(std::uint64_t{});
  }
}

}  // namespace numpact::internal
