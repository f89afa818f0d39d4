// SPDX-License-Identifier: Apache-2.0
// Compares each latent with the one before it, 512 latents per word of the bit map.
#include "pco/stats/constant_blocks.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/stats/constant_blocks_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class L>
HWY_INLINE bool IsConstant(const L* block) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  for (std::size_t k = 0; k < kConstantBlockN; ++k) {
    if (block[k] != block[-1]) return false;
  }
  return true;
#else
  const hn::CappedTag<L, kConstantBlockN> d;
  const auto before = hn::Set(d, block[-1]);
  auto differences = hn::Xor(hn::LoadU(d, block), before);
  for (std::size_t k = hn::Lanes(d); k < kConstantBlockN; k += hn::Lanes(d)) {
    differences = hn::Or(differences, hn::Xor(hn::LoadU(d, block + k), before));
  }
  return hn::AllTrue(d, hn::Eq(differences, hn::Zero(d)));
#endif
}

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// Bit k of the result: byte k of the 8 bytes is 0xff.
HWY_INLINE std::uint64_t FullBytes(const std::uint8_t* bytes) {
  std::uint64_t full;
  std::memcpy(&full, bytes, sizeof full);
  full &= full >> 4;
  full &= full >> 2;
  full &= full >> 1;
  // Moves the lowest bit of byte k to bit k of the uppermost.
  return (full & 0x0101010101010101u) * 0x0102040810204080u >> 56;
}

// The bits of kBlocksPerWord blocks, none of which is the first. First one bit per latent (it
// equals the one before), then one bit per byte of these (the whole block does).
template <class L, class D>
HWY_INLINE std::uint64_t ConstantWord(D d, const L* latents) {
  std::uint8_t equal[kBlocksPerWord + 8];  // StoreMaskBits may write 8 bytes
  for (std::size_t i = 0; i < kBlocksPerWord * kConstantBlockN; i += hn::Lanes(d)) {
    const auto here = hn::LoadU(d, latents + i);
    hn::StoreMaskBits(d, hn::Eq(here, hn::LoadU(d, latents + i - 1)), equal + i / kConstantBlockN);
  }
  std::uint64_t word = 0;
  for (std::size_t b = 0; b < kBlocksPerWord; b += 8) word |= FullBytes(equal + b) << b;
  return word;
}

#endif

template <class L>
void FindConstantBlocks(const L* HWY_RESTRICT latents, std::size_t n,
                        std::uint64_t* HWY_RESTRICT words) {
  const std::size_t blocks = n / kConstantBlockN;
  for (std::size_t begin = 0; begin <= blocks; begin += kBlocksPerWord) {
    const L* const block = latents + begin * kConstantBlockN;
    std::uint64_t& word = words[begin / kBlocksPerWord];
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
    const hn::ScalableTag<L> d;
    if constexpr (hn::MaxLanes(d) >= kConstantBlockN &&
                  std::endian::native == std::endian::little) {
      if (begin > 0 && begin + kBlocksPerWord <= blocks) {
        word = ConstantWord(d, block);
        continue;
      }
    }
#endif
    const std::size_t count = std::min(kBlocksPerWord, blocks - begin);
    word = 0;
    for (std::size_t b = begin == 0 ? 1 : 0; b < count; ++b) {
      word |= std::uint64_t{IsConstant(block + b * kConstantBlockN)} << b;
    }
  }
}

#define NUMPACT_KERNEL(L, S)                                                          \
  void FindConstantBlocks##S(const L* latents, std::size_t n, std::uint64_t* words) { \
    FindConstantBlocks(latents, n, words);                                            \
  }
NUMPACT_KERNEL(std::uint8_t, 8)
NUMPACT_KERNEL(std::uint16_t, 16)
NUMPACT_KERNEL(std::uint32_t, 32)
NUMPACT_KERNEL(std::uint64_t, 64)
#undef NUMPACT_KERNEL

}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_VECTOR_KERNEL

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact::internal {

#define NUMPACT_ENTRY(L, S)                                                         \
  NUMPACT_EXPORT_VECTOR(FindConstantBlocks##S);                                     \
  template <>                                                                       \
  void find_constant_blocks<L>(std::span<const L> latents, std::uint64_t * words) { \
    NUMPACT_DISPATCH(FindConstantBlocks##S)(latents.data(), latents.size(), words); \
  }
NUMPACT_ENTRY(std::uint8_t, 8)
NUMPACT_ENTRY(std::uint16_t, 16)
NUMPACT_ENTRY(std::uint32_t, 32)
NUMPACT_ENTRY(std::uint64_t, 64)
#undef NUMPACT_ENTRY

}  // namespace numpact::internal
#endif
