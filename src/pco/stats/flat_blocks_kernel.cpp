// SPDX-License-Identifier: Apache-2.0
#include "pco/stats/flat_blocks.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/stats/flat_blocks_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace numpact {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class L>
HWY_INLINE bool IsFlat(const L* block) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  for (std::size_t k = 0; k < kFlatBlockN; ++k) {
    if (block[k] != block[-1]) return false;
  }
  return true;
#else
  const hn::CappedTag<L, kFlatBlockN> d;
  const auto before = hn::Set(d, block[-1]);
  auto differences = hn::Xor(hn::LoadU(d, block), before);
  for (std::size_t k = hn::Lanes(d); k < kFlatBlockN; k += hn::Lanes(d)) {
    differences = hn::Or(differences, hn::Xor(hn::LoadU(d, block + k), before));
  }
  return hn::AllTrue(d, hn::Eq(differences, hn::Zero(d)));
#endif
}

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// Of 8 bytes those that have all bits set.
HWY_INLINE std::uint64_t FullBytes(const std::uint8_t* bytes) {
  std::uint64_t full;
  std::memcpy(&full, bytes, sizeof full);
  full &= full >> 4;
  full &= full >> 2;
  full &= full >> 1;
  // Moves the lowest bit of byte k to bit k of the uppermost.
  return (full & 0x0101010101010101u) * 0x0102040810204080u >> 56;
}

// Of a whole word's blocks, which are not the first ones: a bit for each latent, then for each
// byte of these.
template <class L, class D>
HWY_INLINE std::uint64_t FlatWord(D d, const L* latents) {
  std::uint8_t equal[kFlatWordBlocks + 8];  // storing bits may touch as many more
  for (std::size_t i = 0; i < kFlatWordBlocks * kFlatBlockN; i += hn::Lanes(d)) {
    const auto here = hn::LoadU(d, latents + i);
    hn::StoreMaskBits(d, hn::Eq(here, hn::LoadU(d, latents + i - 1)), equal + i / kFlatBlockN);
  }
  std::uint64_t word = 0;
  for (std::size_t b = 0; b < kFlatWordBlocks; b += 8) word |= FullBytes(equal + b) << b;
  return word;
}

#endif

template <class L>
void FindFlatBlocks(const L* HWY_RESTRICT latents, std::size_t n,
                    std::uint64_t* HWY_RESTRICT words) {
  const std::size_t blocks = n / kFlatBlockN;
  for (std::size_t begin = 0; begin <= blocks; begin += kFlatWordBlocks) {
    const L* const block = latents + begin * kFlatBlockN;
    std::uint64_t& word = words[begin / kFlatWordBlocks];
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
    const hn::ScalableTag<L> d;
    if constexpr (hn::MaxLanes(d) >= kFlatBlockN && std::endian::native == std::endian::little) {
      if (begin > 0 && begin + kFlatWordBlocks <= blocks) {
        word = FlatWord(d, block);
        continue;
      }
    }
#endif
    const std::size_t count = std::min(kFlatWordBlocks, blocks - begin);
    word = 0;
    for (std::size_t b = begin == 0 ? 1 : 0; b < count; ++b) {
      word |= std::uint64_t{IsFlat(block + b * kFlatBlockN)} << b;
    }
  }
}

#define NUMPACT_KERNEL(L, S)                                                      \
  void FindFlatBlocks##S(const L* latents, std::size_t n, std::uint64_t* words) { \
    FindFlatBlocks(latents, n, words);                                            \
  }
NUMPACT_KERNEL(std::uint8_t, 8)
NUMPACT_KERNEL(std::uint16_t, 16)
NUMPACT_KERNEL(std::uint32_t, 32)
NUMPACT_KERNEL(std::uint64_t, 64)
#undef NUMPACT_KERNEL

}  // namespace HWY_NAMESPACE
}  // namespace numpact
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact {

#define NUMPACT_DOOR(L, S)                                                      \
  NUMPACT_EXPORT(FindFlatBlocks##S);                                            \
  template <>                                                                   \
  void find_flat_blocks<L>(std::span<const L> latents, std::uint64_t * words) { \
    NUMPACT_DISPATCH(FindFlatBlocks##S)(latents.data(), latents.size(), words); \
  }
NUMPACT_DOOR(std::uint8_t, 8)
NUMPACT_DOOR(std::uint16_t, 16)
NUMPACT_DOOR(std::uint32_t, 32)
NUMPACT_DOOR(std::uint64_t, 64)
#undef NUMPACT_DOOR

}  // namespace numpact
#endif
