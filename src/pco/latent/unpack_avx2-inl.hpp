// SPDX-License-Identifier: Apache-2.0
// Unpacks eight offsets at a time by byte permutes of two windows, for AVX2. Included once per
// instruction set, by kernels only. For tables with kByteLayout and offsets of up to 32 bits.
//
// A permute of AVX2 stays within 128 bits, which hold four offsets of up to 25 bits and the shift
// of the first one. So each half of a vector has four latents and a window of its own, which begins
// at the byte of its first offset. A step for a half:
//
//   widths     the offset widths of the entries, and for each the total of those before it
//   positions  this total and the position of the first offset in its byte, which a running word of
//              the trail (CodeTrail::sums) gives
//   bytes      position / 8 and the three bytes behind it, by one byte permute of the window
//   offsets    bytes shifted right by position % 8, of which the low `width` bits are kept
//
// Positions are in bits kEntryOffsetShift and above of their lanes, like the total of offset bits
// in a running word. Offsets of 26 to 32 bits take their upper bits from a second permute, four
// bytes on.
#if defined(NUMPACT_PCO_LATENT_UNPACK_AVX2_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef NUMPACT_PCO_LATENT_UNPACK_AVX2_INL_HPP
#undef NUMPACT_PCO_LATENT_UNPACK_AVX2_INL_HPP
#else
#define NUMPACT_PCO_LATENT_UNPACK_AVX2_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "pco/latent/unpack_scalar-inl.hpp"
#include "pco/latent/walk-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX2 && HWY_TARGET > HWY_AVX3_DL

// Offset widths that a loop supports: none, up to kShortHalvesBits or up to kWideHalvesBits.
enum class HalfWidths { kNone, kShort, kWide };
inline constexpr unsigned kShortHalvesBits = 25;  // with a shift of up to 7, a lane of 32 bits
inline constexpr unsigned kWideHalvesBits = 32;

// Where lower ends are looked up: in registers of 8 words of 32 bits, or one by one in memory. Four
// registers take as long as memory on Intel, where a choice between two is three operations, but
// have fewer loads.
enum class HalfLookup { kTwoRegisters, kFourRegisters, kMemory };
inline constexpr unsigned kTwoRegistersBinN = 16;
inline constexpr unsigned kFourRegistersBinN = 32;

HWY_INLINE __m256i JoinHalves(__m128i low, __m128i high) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

// The 16 bytes at each of two places.
HWY_INLINE __m256i HalfWindows(const std::byte* low, const std::byte* high) {
  return JoinHalves(_mm_loadu_si128(reinterpret_cast<const __m128i*>(low)),
                    _mm_loadu_si128(reinterpret_cast<const __m128i*>(high)));
}

// Shifts the bits at `positions`, counted from the first bit of the window of the half, to the low
// end of each lane. The positions are in bits kEntryOffsetShift and above.
template <HalfWidths kWidths>
HWY_INLINE __m256i AlignHalves(const std::byte* low, const std::byte* high, __m256i positions) {
  const __m256i byte_selectors = _mm256_setr_epi32(0, 0x04040404, 0x08080808, 0x0c0c0c0c, 0,
                                                   0x04040404, 0x08080808, 0x0c0c0c0c);
  const __m256i first_bytes = _mm256_srli_epi32(positions, kEntryOffsetShift + 3);
  const __m256i bytes = _mm256_add_epi8(_mm256_shuffle_epi8(first_bytes, byte_selectors),
                                        _mm256_set1_epi32(0x03020100));
  const __m256i shifts =
      _mm256_and_si256(_mm256_srli_epi32(positions, kEntryOffsetShift), _mm256_set1_epi32(7));
  const __m256i words = _mm256_shuffle_epi8(HalfWindows(low, high), bytes);
  const __m256i shifted = _mm256_srlv_epi32(words, shifts);
  if constexpr (kWidths == HalfWidths::kShort) return shifted;
  const __m256i next = _mm256_shuffle_epi8(HalfWindows(low + 4, high + 4), bytes);
  // A shift of 32 gives 0.
  const __m256i upper = _mm256_sllv_epi32(next, _mm256_sub_epi32(_mm256_set1_epi32(32), shifts));
  return _mm256_or_si256(shifted, upper);
}

// Offset bits of the latents of a batch up to a running word, which has minus their sum in the 16
// bits above the lowest byte: at most 256 * 64 bits.
HWY_INLINE std::uint64_t OffsetBitsUpTo(const std::uint32_t* word) {
  std::int16_t negated;
  std::memcpy(&negated, reinterpret_cast<const std::byte*>(word) + kEntryOffsetShift / 8,
              sizeof negated);
  return static_cast<std::uint64_t>(-std::int64_t{negated});
}

template <HalfWidths kWidths, HalfLookup kLookup, class L>
struct HalvesUnpacker {
  static_assert(sizeof(L) < 8 || kLookup == HalfLookup::kMemory);

  const Lower<L>* HWY_RESTRICT lowers;
  __m256i r0, r1, r2, r3;
  const std::byte* HWY_RESTRICT in;
  std::uint64_t position;  // of the first offset of the batch
  __m256i start;           // its bit in its byte
  L repeated = 0;

  HWY_INLINE HalvesUnpacker(const LatentTables<L>& tables, const Finish<L>&,
                            const UnpackCursor<L>& cursor)
      : lowers(tables.lowers.data()),
        in(cursor.in),
        position(cursor.position),
        // All bits below the position are set, so that subtracting a word borrows nothing.
        start(_mm256_set1_epi32(static_cast<int>((position % 8) << kEntryOffsetShift | 0xff))) {
    if constexpr (kLookup == HalfLookup::kMemory) return;
    const auto* const vectors = reinterpret_cast<const __m256i*>(tables.lowers.data());
    r0 = _mm256_loadu_si256(vectors);
    r1 = _mm256_loadu_si256(vectors + 1);
    r2 = _mm256_loadu_si256(vectors + 2);
    r3 = _mm256_loadu_si256(vectors + 3);
  }

  HWY_INLINE void Sixteen(const CodeTrail& trail, std::size_t i, UnpackCursor<L>& cursor) const {
    Eight(trail.words + i, trail.sums + i - 1, cursor);
    Eight(trail.words + i + 8, trail.sums + i + 7, cursor);
  }
  HWY_INLINE void SetRepeated(Lower<L> latent) { repeated = static_cast<L>(latent); }
  HWY_INLINE void SixteenRepeated(UnpackCursor<L>& cursor) const {
    std::fill_n(cursor.out, 16, repeated);
    cursor.out += 16;
  }

 private:
  HWY_INLINE void Eight(const std::uint32_t* HWY_RESTRICT words,
                        const std::uint32_t* HWY_RESTRICT sums, UnpackCursor<L>& cursor) const {
    const __m256i entries = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words));
    __m256i offsets = _mm256_setzero_si256();
    if constexpr (kWidths != HalfWidths::kNone) offsets = Offsets(entries, sums);
    if constexpr (sizeof(L) == 8) {
      const __m256i low = _mm256_cvtepu32_epi64(_mm256_castsi256_si128(offsets));
      const __m256i high = _mm256_cvtepu32_epi64(_mm256_extracti128_si256(offsets, 1));
      auto* const out = reinterpret_cast<__m256i*>(cursor.out);
      _mm256_storeu_si256(out, _mm256_add_epi64(low, FourLowers(words)));
      _mm256_storeu_si256(out + 1, _mm256_add_epi64(high, FourLowers(words + 4)));
    } else if constexpr (kLookup == HalfLookup::kMemory) {
      Store(_mm256_add_epi32(offsets, JoinHalves(FourLowers(words), FourLowers(words + 4))),
            cursor.out);
    } else {
      Store(_mm256_add_epi32(offsets, LowersOf(entries)), cursor.out);
    }
    cursor.out += 8;
  }

  // The lower ends of four latents, looked up in memory.
  HWY_INLINE auto FourLowers(const std::uint32_t* HWY_RESTRICT words) const {
    const SymbolInByte symbol_at;
    if constexpr (sizeof(L) == 8) {
      return JoinHalves(TwoLowers(words), TwoLowers(words + 2));
    } else {
      __m128i four = _mm_cvtsi32_si128(static_cast<int>(lowers[symbol_at(words)]));
      four = _mm_insert_epi32(four, static_cast<int>(lowers[symbol_at(words + 1)]), 1);
      four = _mm_insert_epi32(four, static_cast<int>(lowers[symbol_at(words + 2)]), 2);
      return _mm_insert_epi32(four, static_cast<int>(lowers[symbol_at(words + 3)]), 3);
    }
  }
  HWY_INLINE __m128i TwoLowers(const std::uint32_t* HWY_RESTRICT words) const {
    const SymbolInByte symbol_at;
    const auto load = [&](std::size_t i) HWY_ATTR {
      return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(lowers + symbol_at(words + i)));
    };
    return _mm_unpacklo_epi64(load(0), load(1));
  }

  // sums[0] is the running word ahead of the low half, sums[4] the one ahead of the high half.
  HWY_INLINE __m256i Offsets(__m256i entries, const std::uint32_t* HWY_RESTRICT sums) const {
    constexpr char kNo = -1;  // selects a byte of zeros
    const __m256i width_bytes = _mm256_setr_epi8(
        1, kNo, kNo, kNo, 5, kNo, kNo, kNo, 9, kNo, kNo, kNo, 13, kNo, kNo, kNo,  //
        1, kNo, kNo, kNo, 5, kNo, kNo, kNo, 9, kNo, kNo, kNo, 13, kNo, kNo, kNo);
    const __m256i widths = _mm256_shuffle_epi8(entries, width_bytes);
    // All four widths in each lane, and the sum of those before the lane, times 256.
    const __m256i four = _mm256_shuffle_epi8(entries, _mm256_set1_epi32(0x0d090501));
    const __m256i is_before = _mm256_setr_epi32(0, 0x00000001, 0x00000101, 0x00010101,  //
                                                0, 0x00000001, 0x00000101, 0x00010101);
    const __m256i exclusive = _mm256_madd_epi16(_mm256_maddubs_epi16(four, is_before),
                                                _mm256_set1_epi16(1 << kEntryOffsetShift));
    const __m256i ahead = _mm256_blend_epi32(_mm256_set1_epi32(static_cast<int>(sums[0])),
                                             _mm256_set1_epi32(static_cast<int>(sums[4])), 0xf0);
    const __m256i in_byte = _mm256_and_si256(_mm256_sub_epi32(start, ahead),
                                             _mm256_set1_epi32((8 << kEntryOffsetShift) - 1));
    const __m256i aligned = AlignHalves<kWidths>(WindowBehind(sums), WindowBehind(sums + 4),
                                                 _mm256_add_epi32(in_byte, exclusive));
    return _mm256_andnot_si256(_mm256_sllv_epi32(_mm256_set1_epi32(-1), widths), aligned);
  }
  // The byte of the offset behind a running word.
  HWY_INLINE const std::byte* WindowBehind(const std::uint32_t* word) const {
    return in + (position + OffsetBitsUpTo(word)) / 8;
  }

  // Symbol bits 3 and 4 choose the register, the lower ones the lane.
  HWY_INLINE __m256i LowersOf(__m256i entries) const {
    const __m256i symbols = _mm256_srli_epi32(entries, kByteLayout.symbol_shift);
    const __m256i bit3 = _mm256_slli_epi32(symbols, 28);
    const __m256i low = Choose(bit3, _mm256_permutevar8x32_epi32(r0, symbols),
                               _mm256_permutevar8x32_epi32(r1, symbols));
    if constexpr (kLookup == HalfLookup::kTwoRegisters) return low;
    const __m256i high = Choose(bit3, _mm256_permutevar8x32_epi32(r2, symbols),
                                _mm256_permutevar8x32_epi32(r3, symbols));
    return Choose(_mm256_slli_epi32(symbols, 27), low, high);
  }
  // `b` where the highest bit of a lane of `choice` is set.
  HWY_INLINE static __m256i Choose(__m256i choice, __m256i a, __m256i b) {
    return _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b),
                                                _mm256_castsi256_ps(choice)));
  }

  HWY_INLINE static void Store(__m256i lanes, std::uint32_t* out) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), lanes);
  }
  HWY_INLINE static void Store(__m256i lanes, std::uint16_t* out) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), Pack(lanes, 0xffff));
  }
  HWY_INLINE static void Store(__m256i lanes, std::uint8_t* out) {
    const __m128i words = Pack(lanes, 0xff);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out), _mm_packus_epi16(words, words));
  }
  HWY_INLINE static __m128i Pack(__m256i lanes, int mask) {
    const __m256i kept = _mm256_and_si256(lanes, _mm256_set1_epi32(mask));
    return _mm_packus_epi32(_mm256_castsi256_si128(kept), _mm256_extracti128_si256(kept, 1));
  }
};

#endif

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();

#endif
