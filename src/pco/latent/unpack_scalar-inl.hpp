// SPDX-License-Identifier: Apache-2.0
// Unpacks offsets one by one. Included once per instruction set, by kernels only.
#if defined(NUMPACT_PCO_LATENT_UNPACK_SCALAR_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef NUMPACT_PCO_LATENT_UNPACK_SCALAR_INL_HPP
#undef NUMPACT_PCO_LATENT_UNPACK_SCALAR_INL_HPP
#else
#define NUMPACT_PCO_LATENT_UNPACK_SCALAR_INL_HPP
#endif

#include <hwy/highway.h>

#include "pco/latent/walk-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

inline constexpr bool kLittleEndian = std::endian::native == std::endian::little;

// Reads `width` bits, 0 to 64, at bit `position`. kWide: the width may exceed 57.
template <bool kWide>
HWY_INLINE std::uint64_t Bits(const std::byte* in, std::uint64_t position, std::uint64_t width) {
  const std::byte* const at = in + position / 8;
  const std::uint64_t shift = position % 8;
  std::uint64_t word = load_le64(at) >> shift;
  if constexpr (kWide) {
    // Adds the upper bits, by a load one byte on. It has most of the other bits too; a load of only
    // the missing ones would be shifted by 64 where `shift` is 0.
    word |= load_le64(at + 1) << (8 - shift);
    if (!kLowBitsOfWholeWords && width >= 64) return word;
  }
  return LowBits(word, width);
}

// Count of offsets that one load of at least 56 valid bits holds.
enum class OffsetsPerWord { kNone = -1, kOneInTwoWords = 0, kOne = 1, kTwo = 2, kFour = 4 };

HWY_INLINE std::uint64_t OffsetBits(std::uint32_t entry) {
  return (entry >> kEntryOffsetShift) & 0xff;
}

// The parts of an entry, each loaded separately.
HWY_INLINE std::uint64_t WidthAt(const std::uint32_t* entry) {
  return reinterpret_cast<const std::uint8_t*>(entry)[kLittleEndian ? 1 : 2];
}
struct SymbolInByte {  // for kByteLayout
  HWY_INLINE std::size_t operator()(const std::uint32_t* entry) const {
    return reinterpret_cast<const std::uint8_t*>(entry)[kLittleEndian ? 3 : 0];
  }
};
struct SymbolAbove {
  unsigned shift;
  HWY_INLINE std::size_t operator()(const std::uint32_t* entry) const { return *entry >> shift; }
};

// Unpacks four latents.
template <OffsetsPerWord kOffsets, class Symbol, class L>
HWY_INLINE void UnpackFour(const Lower<L>* HWY_RESTRICT lowers, const Symbol& symbol_at,
                           const std::uint32_t* HWY_RESTRICT entries,
                           const std::byte* HWY_RESTRICT in, std::uint64_t& position,
                           L* HWY_RESTRICT out) {
  constexpr int kPerWord = kOffsets == OffsetsPerWord::kOneInTwoWords ? 1 : int(kOffsets);
  HWY_UNROLL(4)
  for (int i = 0; i < 4; i += kPerWord) {
    if constexpr (kPerWord == 1) {
      const std::uint64_t width = WidthAt(entries + i);
      constexpr bool kWide = kOffsets == OffsetsPerWord::kOneInTwoWords;
      out[i] = static_cast<L>(lowers[symbol_at(entries + i)] + Bits<kWide>(in, position, width));
      position += width;
    } else {
      std::uint64_t word = load_le64(in + position / 8) >> (position % 8);
      HWY_UNROLL(4)
      for (int j = i; j < i + kPerWord; ++j) {
        const std::uint64_t width = WidthAt(entries + j);
        out[j] = static_cast<L>(lowers[symbol_at(entries + j)] + LowBits(word, width));
        word >>= width & 63;
        position += width;
      }
    }
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();

#endif
