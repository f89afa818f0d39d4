// SPDX-License-Identifier: Apache-2.0
// Loads and stores of the kernel for CVC slices. On CPUs of either byte order they have the same
// result, and abort the program if an address is not aligned as a GPU needs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "base/internal.hpp"
#include "base/load.hpp"
#include "gpu/host_device.hpp"

// Before loops of the kernel: unroll completely, or do not unroll.
#if defined(__CUDA_ARCH__)
#define NUMPACT_UNROLL _Pragma("unroll")
#define NUMPACT_LOOP _Pragma("unroll 1")
#else
#define NUMPACT_UNROLL
#define NUMPACT_LOOP
#endif

namespace numpact::gpu {

NUMPACT_HD bool is_aligned(const void* at, std::size_t to) {
  return reinterpret_cast<std::uintptr_t>(at) % to == 0;
}

NUMPACT_HD void check_aligned([[maybe_unused]] const void* at, [[maybe_unused]] std::size_t to) {
#if !defined(__CUDA_ARCH__)
  if (!is_aligned(at, to)) std::abort();
#endif
}

// kBytes bytes as little-endian words.
template <unsigned kBytes>
struct Words {
  std::uint32_t word[(kBytes + 3) / 4];
};

// Loads bytes that are read only once (streaming). kBytes: 2, 4, 8 or 16; `at` is a multiple of it.
template <unsigned kBytes>
NUMPACT_HD Words<kBytes> load_words(const std::byte* at) {
  check_aligned(at, kBytes);
  Words<kBytes> words;
#if defined(__CUDA_ARCH__)
  if constexpr (kBytes == 16) {
    const uint4 got = __ldcs(reinterpret_cast<const uint4*>(at));
    words = {{got.x, got.y, got.z, got.w}};
  } else if constexpr (kBytes == 8) {
    const uint2 got = __ldcs(reinterpret_cast<const uint2*>(at));
    words = {{got.x, got.y}};
  } else if constexpr (kBytes == 4) {
    words = {{__ldcs(reinterpret_cast<const unsigned int*>(at))}};
  } else {
    words = {{__ldcs(reinterpret_cast<const unsigned short*>(at))}};
  }
#else
  if constexpr (kBytes == 2) {
    words.word[0] = load_le<std::uint16_t>(at);
  } else {
    for (unsigned i = 0; i < kBytes / 4; ++i) words.word[i] = load_le<std::uint32_t>(at + 4 * i);
  }
#endif
  return words;
}

// Loads through the read-only cache, for bytes that are read again soon.
NUMPACT_HD std::uint32_t load_word(const std::byte* at) {
  check_aligned(at, 4);
#if defined(__CUDA_ARCH__)
  return __ldg(reinterpret_cast<const unsigned int*>(at));
#else
  return load_le<std::uint32_t>(at);
#endif
}

NUMPACT_HD std::uint32_t load_byte(const std::byte* at) {
#if defined(__CUDA_ARCH__)
  return __ldg(reinterpret_cast<const unsigned char*>(at));
#else
  return static_cast<std::uint32_t>(*at);
#endif
}

// Loads kN floats from a multiple of 16 bytes.
template <unsigned kN>
NUMPACT_HD void load_floats(const std::byte* at, float (&floats)[kN]) {
  static_assert(kN % 4 == 0);
  check_aligned(at, 16);
#if defined(__CUDA_ARCH__)
  for (unsigned i = 0; i < kN; i += 4) {
    const float4 got = __ldg(reinterpret_cast<const float4*>(at) + i / 4);
    floats[i] = got.x;
    floats[i + 1] = got.y;
    floats[i + 2] = got.z;
    floats[i + 3] = got.w;
  }
#else
  for (unsigned i = 0; i < kN; ++i) floats[i] = load_le<float>(at + 4 * i);
#endif
}

// Loads from any address.
template <class T>
NUMPACT_HD T load_any(const std::byte* at) {
#if defined(__CUDA_ARCH__)
  if (is_aligned(at, sizeof(T))) return __ldg(reinterpret_cast<const T*>(at));
  T value = 0;
  for (unsigned i = 0; i < sizeof(T); ++i) {
    value = static_cast<T>(value | load_byte(at + i) << (8 * i));
  }
  return value;
#else
  return load_le<T>(at);
#endif
}

template <class T>
NUMPACT_HD void store_one(T* at, T value) {
#if defined(__CUDA_ARCH__)
  __builtin_assume(__isGlobal(at));  // the compiler cannot derive this from the pointer
  *at = value;
#else
  *at = value;
#endif
}

// Stores 8 or 16 bytes of values with one access.
template <class T, unsigned kN>
NUMPACT_HD void store_vector(T* at, const T (&values)[kN]) {
  static_assert(sizeof(values) == 8 || sizeof(values) == 16);
  check_aligned(at, sizeof(values));
#if defined(__CUDA_ARCH__)
  std::uint32_t word[sizeof(values) / 4];
  for (unsigned i = 0; i < sizeof(values) / 4; ++i) {
    if constexpr (sizeof(T) == 4) {
      word[i] = values[i];
    } else {
      word[i] = values[2 * i] | static_cast<std::uint32_t>(values[2 * i + 1]) << 16;
    }
  }
  if constexpr (sizeof(values) == 16) {
    store_one(reinterpret_cast<uint4*>(at), make_uint4(word[0], word[1], word[2], word[3]));
  } else {
    store_one(reinterpret_cast<uint2*>(at), make_uint2(word[0], word[1]));
  }
#else
  std::memcpy(at, values, sizeof(values));
#endif
}

}  // namespace numpact::gpu
