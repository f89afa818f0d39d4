// SPDX-License-Identifier: Apache-2.0
// Compiler-specific functions.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace numpact::internal::platform {

#if defined(__GNUC__)

// Whether a sum or product does not fit `out`, which is unspecified then.
template <std::integral A, std::integral B, std::integral T>
constexpr bool add_overflows(A a, B b, T* out) {
  return __builtin_add_overflow(a, b, out);
}
template <std::integral A, std::integral B, std::integral T>
constexpr bool multiply_overflows(A a, B b, T* out) {
  return __builtin_mul_overflow(a, b, out);
}

// The bytes of a word in the opposite order.
constexpr std::uint64_t swapped_bytes(std::uint64_t word) { return __builtin_bswap64(word); }

// A request for memory that is read soon, for code outside the kernels; `at` need not be readable.
inline void prefetch(const void* at) { __builtin_prefetch(at); }

#else

inline void prefetch(const void*) {}

template <std::integral A, std::integral B, std::integral T>
constexpr bool add_overflows(A a, B b, T* out) {
  using Limits = std::numeric_limits<T>;
  if (!std::in_range<T>(a) || !std::in_range<T>(b)) return true;
  const T x = static_cast<T>(a);
  const T y = static_cast<T>(b);
  if (y > 0 ? x > Limits::max() - y : x < Limits::min() - y) return true;
  *out = static_cast<T>(x + y);
  return false;
}

template <std::integral A, std::integral B, std::integral T>
constexpr bool multiply_overflows(A a, B b, T* out) {
  using Limits = std::numeric_limits<T>;
  if (!std::in_range<T>(a) || !std::in_range<T>(b)) return true;
  const T x = static_cast<T>(a);
  const T y = static_cast<T>(b);
  if (x > 0 && y > 0 && x > Limits::max() / y) return true;
  if constexpr (std::is_signed_v<T>) {
    if (x > 0 && y < 0 && y < Limits::min() / x) return true;
    if (x < 0 && y > 0 && x < Limits::min() / y) return true;
    if (x < 0 && y < 0 && x < Limits::max() / y) return true;
  }
  *out = static_cast<T>(x * y);
  return false;
}

constexpr std::uint64_t swapped_bytes(std::uint64_t word) {
  constexpr std::uint64_t kOdd = 0x00ff00ff00ff00ff;
  constexpr std::uint64_t kPairs = 0x0000ffff0000ffff;
  word = (word >> 8 & kOdd) | (word & kOdd) << 8;
  word = (word >> 16 & kPairs) | (word & kPairs) << 16;
  return word >> 32 | word << 32;
}

#endif

}  // namespace numpact::internal::platform
