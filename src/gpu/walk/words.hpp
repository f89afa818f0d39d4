// SPDX-License-Identifier: Apache-2.0
// Reading of bits at any position of an array of little-endian words.
#pragma once

#include <cstdint>

#include "base/internal.hpp"
#include "gpu/host_device.hpp"

namespace numpact::gpu {

// A load through the read-only cache: no thread may write this memory while the kernel runs.
template <class T>
NUMPACT_HD T load_constant(const T* at) {
#if defined(__CUDA_ARCH__)
  return __ldg(at);
#else
  return *at;
#endif
}

// The same pointer; the compiler of a GPU keeps it in registers. Otherwise it computes addresses
// from the start of the table each time, with additions of 64 bits.
template <class T>
NUMPACT_HD const T* kept(const T* at) {
#if defined(__CUDA_ARCH__)
  asm("" : "+l"(at));
#endif
  return at;
}

// 32 bits of the pair high:low, starting at bit `shift` (0 to 31).
NUMPACT_HD std::uint32_t funnel(std::uint32_t low, std::uint32_t high, std::uint32_t shift) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_r(low, high, shift);
#else
  return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) >> shift);
#endif
}

NUMPACT_HD std::uint32_t low_bits(std::uint32_t word, std::uint32_t width) {
  return width >= 32 ? word : word & ((std::uint32_t{1} << width) - 1);
}

// The lowest `width` (0 to 64) bits. Shifts of PTX by 64 give 0.
NUMPACT_HD std::uint64_t low_bits(std::uint64_t word, std::uint32_t width) {
#if defined(__CUDA_ARCH__)
  asm("shl.b64 %0, %0, %1;\n\tshr.u64 %0, %0, %1;" : "+l"(word) : "r"(64 - width));
  return word;
#else
  return width >= 64 ? word : word & ((std::uint64_t{1} << width) - 1);
#endif
}

// `width` (0 to 32) bits at `position`. Two words are read.
NUMPACT_HD std::uint32_t bits32(const std::uint32_t* words, std::uint64_t position,
                                std::uint32_t width) {
  const std::uint32_t* const at = words + position / 32;
  const auto shift = static_cast<std::uint32_t>(position % 32);
  return low_bits(funnel(load_constant(at), load_constant(at + 1), shift), width);
}

// `width` (0 to 64) bits at `position`. Three words are read.
NUMPACT_HD std::uint64_t bits64(const std::uint32_t* words, std::uint64_t position,
                                std::uint32_t width) {
  const std::uint32_t* const at = words + position / 32;
  const auto shift = static_cast<std::uint32_t>(position % 32);
  const std::uint32_t middle = load_constant(at + 1);
  const std::uint32_t low = funnel(load_constant(at), middle, shift);
  const std::uint32_t high = funnel(middle, load_constant(at + 2), shift);
  return low_bits(std::uint64_t{high} << 32 | low, width);
}

// `width` bits at `position` as a latent of type L.
template <class L>
NUMPACT_HD L read_bits(const std::uint32_t* words, std::uint64_t position, std::uint32_t width) {
  if constexpr (sizeof(L) == 8) {
    return bits64(words, position, width);
  } else {
    return static_cast<L>(bits32(words, position, width));
  }
}

}  // namespace numpact::gpu
