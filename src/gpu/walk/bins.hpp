// SPDX-License-Identifier: Apache-2.0
// Bins of a variable (DevicePlan::bins). Latents of 64 bits take two words per bin: lower bound and
// width. Others take one: lower bound in the low half, width in the high half.
#pragma once

#include "base/internal.hpp"
#include "gpu/walk/view.hpp"
#include "gpu/walk/words.hpp"

namespace numpact::gpu {

template <class L>
struct BinView {
  L lower;
  std::uint32_t width;
};

// Words of the table for each bin. Tables of two words begin at an even word of DevicePlan::bins.
template <class L>
inline constexpr std::uint32_t kBinWords = sizeof(L) == 8 ? 2 : 1;

template <class L>
NUMPACT_HD BinView<L> bin_at(const std::uint64_t* bins, std::uint32_t bin) {
  const std::uint64_t* const at = bins + std::size_t{kBinWords<L>} * bin;
  if constexpr (sizeof(L) == 8) {
#if defined(__CUDA_ARCH__)
    const ulonglong2 words = __ldg(reinterpret_cast<const ulonglong2*>(at));
    return {words.x, static_cast<std::uint32_t>(words.y)};
#else
    return {at[0], static_cast<std::uint32_t>(at[1])};
#endif
  } else {
    const std::uint64_t word = load_constant(at);
    return {static_cast<L>(word), static_cast<std::uint32_t>(word >> 32)};
  }
}

template <class L>
NUMPACT_HD std::uint32_t width_at(const std::uint64_t* bins, std::uint32_t bin) {
  const std::uint64_t* const at = bins + std::size_t{kBinWords<L>} * bin;
  const std::uint64_t word = load_constant(at + kBinWords<L> - 1);
  return static_cast<std::uint32_t>(sizeof(L) == 8 ? word : word >> 32);
}

}  // namespace numpact::gpu
