// SPDX-License-Identifier: Apache-2.0
// Unpacks sixteen offsets at a time by byte permutes, for AVX-512 with VBMI and VBMI2. Included
// once per instruction set, by kernels only.
//
// Invariant: before each step, cursor.position is the bit position of the first offset of the next
// sixteen latents, and words[-1] is the running word ahead of them. A step for latents i to i + 15:
//
//   entries    words[k - 1] - words[k]: symbol and offset width of latent k
//   positions  (words[-1] >> 8) - (words[k - 1] >> 8): offset bits of the latents before k
//   bytes      position / 8 and the three bytes behind it, by one byte permute of 64 bytes
//   offsets    bytes shifted right by position % 8, of which the low `width` bits are kept
//   latents    lowers[symbol] + offset
//
// Example with offset widths 5, 3, 7 at bit 6 of byte 20: the positions from byte 20 are 6, 11
// and 14. The lanes get bytes 0-3, 1-4, 1-4, are shifted by 6, 3, 6, and keep 5, 3, 7 bits.
//
// With widths of up to 25 bits, an offset and its shift fit into one word of 32 bits. Wider offsets
// are taken from two words by a double shift.
#if defined(NUMPACT_PCO_LATENT_UNPACK_VBMI_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef NUMPACT_PCO_LATENT_UNPACK_VBMI_INL_HPP
#undef NUMPACT_PCO_LATENT_UNPACK_VBMI_INL_HPP
#else
#define NUMPACT_PCO_LATENT_UNPACK_VBMI_INL_HPP
#endif

#include <hwy/highway.h>

#include <limits>

#include "pco/latent/walk-inl.hpp"
#include "simd/sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

#if HWY_TARGET <= HWY_AVX3_DL

using Lanes32 = hn::ScalableTag<std::uint32_t>;
using Lanes64 = hn::ScalableTag<std::uint64_t>;

// Offset widths that a loop supports: kShort up to 25 bits, kMedium (64-bit latents only) up to 57.
enum class Widths { kNone, kShort, kMedium, kWide };

// The ways to look up lower ends by symbol.
enum class Lookup { kTwoRegisters, kFourRegisters, kGather };

// The lower ends of the bins, in registers where they fit.
template <Lookup kLookup>
struct Lowers32 {
  __m512i r0, r1, r2, r3;
  const std::uint32_t* memory;

  HWY_INLINE explicit Lowers32(const std::uint32_t* lowers) : memory(lowers) {
    r0 = _mm512_loadu_si512(lowers);
    r1 = _mm512_loadu_si512(lowers + 16);
    r2 = _mm512_loadu_si512(lowers + 32);
    r3 = _mm512_loadu_si512(lowers + 48);
  }
  HWY_INLINE __m512i operator()(__m512i symbols) const {
    if constexpr (kLookup == Lookup::kGather) return _mm512_i32gather_epi32(symbols, memory, 4);
    const __m512i low = _mm512_permutex2var_epi32(r0, symbols, r1);
    if constexpr (kLookup == Lookup::kTwoRegisters) return low;
    const __mmask16 upper = _mm512_test_epi32_mask(symbols, _mm512_set1_epi32(32));
    return _mm512_mask_mov_epi32(low, upper, _mm512_permutex2var_epi32(r2, symbols, r3));
  }
};

template <Lookup kLookup>
struct Lowers64 {
  __m512i r0, r1, r2, r3;
  const std::uint64_t* memory;

  HWY_INLINE explicit Lowers64(const std::uint64_t* lowers) : memory(lowers) {
    r0 = _mm512_loadu_si512(lowers);
    r1 = _mm512_loadu_si512(lowers + 8);
    r2 = _mm512_loadu_si512(lowers + 16);
    r3 = _mm512_loadu_si512(lowers + 24);
  }
  // The symbols are in the low halves of the 64-bit lanes.
  HWY_INLINE __m512i operator()(__m512i symbols) const {
    if constexpr (kLookup == Lookup::kGather) {
      const __m512i indices = _mm512_maskz_mov_epi32(0x5555, symbols);
      return _mm512_i64gather_epi64(indices, memory, 8);
    }
    const __m512i low = _mm512_permutex2var_epi64(r0, symbols, r1);
    if constexpr (kLookup == Lookup::kTwoRegisters) return low;
    const __mmask8 upper = _mm512_test_epi64_mask(symbols, _mm512_set1_epi64(16));
    return _mm512_mask_mov_epi64(low, upper, _mm512_permutex2var_epi64(r2, symbols, r3));
  }
};

// The sixteen entries, as differences of the running words before and behind each latent. Before
// every fourth latent the walk refilled its buffer, which sets kRefillBits in the running word.
HWY_INLINE __m512i Entries(__m512i before, __m512i after) {
  const __m512i refilled =
      _mm512_mask_or_epi32(before, 0x1111, before, _mm512_set1_epi32(kRefillBits));
  return _mm512_sub_epi32(refilled, after);
}

HWY_INLINE __m512i WidthsOf(__m512i entries) {
  return _mm512_and_si512(_mm512_srli_epi32(entries, kEntryOffsetShift), _mm512_set1_epi32(0x7f));
}

// The 64 bytes from the byte of bit `position` on.
HWY_INLINE __m512i WindowAt(const std::byte* in, std::uint64_t position) {
  return _mm512_loadu_si512(in + position / 8);
}

// The low bits of each lane, `widths` of them.
HWY_INLINE __m512i LowBits32(__m512i words, __m512i widths) {
  return _mm512_andnot_si512(_mm512_sllv_epi32(_mm512_set1_epi32(-1), widths), words);
}
HWY_INLINE __m512i LowBits64(__m512i words, __m512i widths) {
  return _mm512_andnot_si512(_mm512_sllv_epi64(_mm512_set1_epi64(-1), widths), words);
}

// Shifts the bits at `positions`, counted from the first bit of `at`, to the low end of each lane.
template <Widths kWidths>
HWY_INLINE __m512i Align32(const std::byte* at, __m512i positions) {
  const __m512i byte_selectors = _mm512_set4_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0);
  const __m512i bytes =
      _mm512_add_epi8(_mm512_shuffle_epi8(_mm512_srli_epi32(positions, 3), byte_selectors),
                      _mm512_set1_epi32(0x03020100));
  const __m512i words = _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(at));
  const __m512i shifts = _mm512_and_si512(positions, _mm512_set1_epi32(7));
  if constexpr (kWidths == Widths::kShort) return _mm512_srlv_epi32(words, shifts);
  const __m512i next = _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(at + 4));
  return _mm512_shrdv_epi32(words, next, shifts);
}

// The same for 64-bit lanes. The position of a lane is in its low (kOdd 0) or high half (kOdd 1).
template <Widths kWidths, int kOdd>
HWY_INLINE __m512i Align64(const std::byte* at, __m512i positions) {
  constexpr long long kLow = 0x0101010101010101 * (4 * kOdd);
  constexpr long long kHigh = 0x0101010101010101 * (4 * kOdd + 8);
  const __m512i byte_selectors = _mm512_set4_epi64(kHigh, kLow, kHigh, kLow);
  const __m512i bytes =
      _mm512_add_epi8(_mm512_shuffle_epi8(_mm512_srli_epi32(positions, 3), byte_selectors),
                      _mm512_set1_epi64(0x0706050403020100));
  const __m512i words = _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(at));
  const __m512i own = kOdd ? _mm512_srli_epi64(positions, 32) : positions;
  const __m512i shifts = _mm512_and_si512(own, _mm512_set1_epi64(7));
  if constexpr (kWidths != Widths::kWide) return _mm512_srlv_epi64(words, shifts);
  const __m512i next = _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(at + 8));
  return _mm512_shrdv_epi64(words, next, shifts);
}

HWY_INLINE void StoreLanes32(__m512i lanes, std::uint32_t* out) { _mm512_storeu_si512(out, lanes); }
HWY_INLINE void StoreLanes32(__m512i lanes, std::uint16_t* out) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm512_cvtepi32_epi16(lanes));
}
HWY_INLINE void StoreLanes32(__m512i lanes, std::uint8_t* out) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm512_cvtepi32_epi8(lanes));
}

// Bit positions of sixteen offsets, from the byte of the first one. Only the low bits, which hold
// the sums, are valid. `first` is the running word ahead of them.
HWY_INLINE __m512i Positions(__m512i before, std::uint32_t first, std::uint64_t position) {
  const std::uint32_t start =
      (first >> kEntryOffsetShift) + static_cast<std::uint32_t>(position & 7);
  return _mm512_sub_epi32(_mm512_set1_epi32(static_cast<int>(start)),
                          _mm512_srli_epi32(before, kEntryOffsetShift));
}

// from_ordered() of floats as a ternary function: x ^ (~sign | mid).
inline constexpr int kFlipToFloat = 0x4b;
template <FinishKind kFinish>
HWY_INLINE __m512i ToNumbers32(__m512i v) {
  if constexpr (!makes_floats(kFinish)) return v;
  const __m512i mid = _mm512_set1_epi32(std::numeric_limits<std::int32_t>::min());
  return _mm512_ternarylogic_epi32(v, _mm512_srai_epi32(v, 31), mid, kFlipToFloat);
}
template <FinishKind kFinish>
HWY_INLINE __m512i ToNumbers64(__m512i v) {
  if constexpr (!makes_floats(kFinish)) return v;
  const __m512i mid = _mm512_set1_epi64(std::numeric_limits<std::int64_t>::min());
  return _mm512_ternarylogic_epi64(v, _mm512_srai_epi64(v, 63), mid, kFlipToFloat);
}

// FloatMult (pco/mode/float_mult.hpp), for primary latents that represent small integers. SwapOrder
// converts between the sign and magnitude of a float and a signed integer that sorts the same:
// negative ones have all other bits inverted.
inline constexpr int kXorAnd = 0x78;  // a ^ (b & c)
inline constexpr int kOrAnd = 0xf8;   // a | (b & c)

HWY_INLINE __m512i SwapOrder32(__m512i v) {
  const __m512i magnitude = _mm512_set1_epi32(std::numeric_limits<std::int32_t>::max());
  return _mm512_ternarylogic_epi32(v, _mm512_srai_epi32(v, 31), magnitude, kXorAnd);
}
HWY_INLINE __m512i SwapOrder64(__m512i v) {
  const __m512i magnitude = _mm512_set1_epi64(std::numeric_limits<std::int64_t>::max());
  return _mm512_ternarylogic_epi64(v, _mm512_srai_epi64(v, 63), magnitude, kXorAnd);
}
HWY_INLINE __m512i FloatMult32(__m512i primary, __m512i secondary, __m512i base) {
  const __m512i mid = _mm512_set1_epi32(std::numeric_limits<std::int32_t>::min());
  const __m512i signed_latents = _mm512_xor_si512(primary, mid);
  const __m512i negative = _mm512_srai_epi32(signed_latents, 31);  // latent -1 represents -0.0
  const __m512 magnitude = _mm512_cvtepi32_ps(_mm512_sub_epi32(signed_latents, negative));
  const __m512i factor =
      _mm512_ternarylogic_epi32(_mm512_castps_si512(magnitude), negative, mid, kOrAnd);
  const __m512 product = _mm512_mul_ps(_mm512_castsi512_ps(factor), _mm512_castsi512_ps(base));
  return SwapOrder32(_mm512_add_epi32(SwapOrder32(_mm512_castps_si512(product)),
                                      _mm512_xor_si512(secondary, mid)));
}
HWY_INLINE __m512i FloatMult64(__m512i primary, __m512i secondary, __m512i base) {
  const __m512i mid = _mm512_set1_epi64(std::numeric_limits<std::int64_t>::min());
  const __m512i signed_latents = _mm512_xor_si512(primary, mid);
  const __m512i negative = _mm512_srai_epi64(signed_latents, 63);
  const __m512d magnitude = _mm512_cvtepi64_pd(_mm512_sub_epi64(signed_latents, negative));
  const __m512i factor =
      _mm512_ternarylogic_epi64(_mm512_castpd_si512(magnitude), negative, mid, kOrAnd);
  const __m512d product = _mm512_mul_pd(_mm512_castsi512_pd(factor), _mm512_castsi512_pd(base));
  return SwapOrder64(_mm512_add_epi64(SwapOrder64(_mm512_castpd_si512(product)),
                                      _mm512_xor_si512(secondary, mid)));
}

// FloatQuant (pco/mode/float_quant.hpp). `k` is broadcast to all lanes.
HWY_INLINE __m512i FloatQuant32(__m512i primary, __m512i secondary, __m512i k) {
  const __m512i mid = _mm512_set1_epi32(std::numeric_limits<std::int32_t>::min());
  const __m512i high = _mm512_sllv_epi32(primary, k);
  const __mmask16 positive = _mm512_cmpge_epu32_mask(primary, _mm512_srlv_epi32(mid, k));
  const __m512i ones = _mm512_set1_epi32(-1);
  const __m512i negative_bits =
      _mm512_andnot_si512(high, _mm512_sllv_epi32(ones, k));  // ~(high | low_mask)
  return _mm512_xor_si512(secondary, _mm512_mask_xor_epi32(negative_bits, positive, high, mid));
}
HWY_INLINE __m512i FloatQuant64(__m512i primary, __m512i secondary, __m512i k) {
  const __m512i mid = _mm512_set1_epi64(std::numeric_limits<std::int64_t>::min());
  const __m512i high = _mm512_sllv_epi64(primary, k);
  const __mmask8 positive = _mm512_cmpge_epu64_mask(primary, _mm512_srlv_epi64(mid, k));
  const __m512i ones = _mm512_set1_epi64(-1);
  const __m512i negative_bits = _mm512_andnot_si512(high, _mm512_sllv_epi64(ones, k));
  return _mm512_xor_si512(secondary, _mm512_mask_xor_epi64(negative_bits, positive, high, mid));
}

// Loads the running words from `words` on. The empty asm keeps compilers from loading them again
// instead of keeping the register.
HWY_INLINE __m512i LoadWords(const std::uint32_t* words) {
  __m512i loaded = _mm512_loadu_si512(words);
#if HWY_COMPILER_GCC || HWY_COMPILER_CLANG
  asm("" : "+v"(loaded));
#endif
  return loaded;
}

// Unpacks latents of up to 32 bits.
template <Widths kWidths, Lookup kLookup, FinishKind kFinish, class L>
struct VectorUnpacker {
  Lowers32<kLookup> lowers;
  std::uint32_t sum_mask;
  __m512i symbol_shifts;
  __m512i carry;
  __m512i parameter;
  __m512i repeated;      // for SixteenRepeated()
  __m512i repeated_sum;  // sum of sixteen repeated latents

  HWY_INLINE VectorUnpacker(const LatentTables<L>& tables, const Finish<L>& finish,
                            const UnpackCursor<L>&)
      : lowers(tables.lowers.data()),
        sum_mask(tables.layout.sum_mask()),
        symbol_shifts(_mm512_set1_epi32(static_cast<int>(tables.layout.symbol_shift))),
        carry(_mm512_set1_epi32(static_cast<int>(finish.moment))),
        parameter(_mm512_set1_epi32(static_cast<int>(finish.parameter))) {}

  HWY_INLINE void Sixteen(const CodeTrail& trail, std::size_t i, UnpackCursor<L>& cursor) {
    const std::uint32_t* const HWY_RESTRICT words = trail.words + i;
    const __m512i before = LoadWords(words - 1);
    const __m512i entries = Entries(before, _mm512_load_si512(words));
    __m512i latents = lowers(_mm512_srlv_epi32(entries, symbol_shifts));
    if constexpr (kWidths != Widths::kNone) {
      const std::uint32_t first = words[-1];
      const __m512i offsets =
          LowBits32(Align32<kWidths>(cursor.At(), Positions(before, first, cursor.position)),
                    WidthsOf(entries));
      latents = _mm512_add_epi32(latents, offsets);
      cursor.position += OffsetBitsBetween(first, words[15], sum_mask);
    }
    if constexpr (sums(kFinish)) {
      const __m512i totals = InclusiveSum(Lanes32(), hn::Vec<Lanes32>{latents}).raw;
      latents = _mm512_add_epi32(carry, _mm512_sub_epi32(totals, latents));
      carry = _mm512_add_epi32(carry, LastLane(totals, std::uint32_t{}));
    }
    Put(latents, cursor);
  }

  HWY_INLINE void Put(__m512i latents, UnpackCursor<L>& cursor) const {
    if constexpr (joins(kFinish)) {
      const __m512i primary = _mm512_loadu_si512(cursor.primary);
      latents = kFinish == FinishKind::kFloatMult ? FloatMult32(primary, latents, parameter)
                                                  : FloatQuant32(primary, latents, parameter);
      cursor.primary += 16;
    }
    StoreLanes32(ToNumbers32<kFinish>(latents), cursor.out);
    cursor.out += 16;
  }

  // Sets the latent that SixteenRepeated() emits sixteen times.
  HWY_INLINE void SetRepeated(std::uint32_t latent) {
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    repeated = _mm512_set1_epi32(static_cast<int>(latent));
    if constexpr (sums(kFinish)) {
      repeated_sum = _mm512_slli_epi32(repeated, 4);
      repeated = _mm512_mullo_epi32(repeated, lanes);
    }
  }
  HWY_INLINE void SixteenRepeated(UnpackCursor<L>& cursor) {
    __m512i latents = repeated;
    if constexpr (sums(kFinish)) {
      latents = _mm512_add_epi32(carry, latents);
      carry = _mm512_add_epi32(carry, repeated_sum);
    }
    Put(latents, cursor);
  }

  HWY_INLINE L Moment() const {
    return static_cast<L>(_mm_cvtsi128_si32(_mm512_castsi512_si128(carry)));
  }
};

// Unpacks latents of 64 bits. Short offsets are computed for the even and the odd latents, one
// vector each, and interleaved. Wider offsets do not fit one window of 64 bytes: the first and the
// last eight latents are computed from a window each.
template <Widths kWidths, Lookup kLookup, FinishKind kFinish>
struct VectorUnpacker<kWidths, kLookup, kFinish, std::uint64_t> {
  using Cursor = UnpackCursor<std::uint64_t>;

  Lowers64<kLookup> lowers;
  std::uint32_t sum_mask;
  __m512i symbol_shifts;
  __m512i odd_symbol_shifts;
  __m512i carry;
  __m512i parameter;
  __m512i repeated;
  __m512i repeated_sum;

  HWY_INLINE VectorUnpacker(const LatentTables<std::uint64_t>& tables,
                            const Finish<std::uint64_t>& finish, const Cursor&)
      : lowers(tables.lowers.data()),
        sum_mask(tables.layout.sum_mask()),
        symbol_shifts(_mm512_set1_epi32(static_cast<int>(tables.layout.symbol_shift))),
        odd_symbol_shifts(_mm512_set1_epi64(32 + tables.layout.symbol_shift)),
        carry(_mm512_set1_epi64(static_cast<long long>(finish.moment))),
        parameter(_mm512_set1_epi64(static_cast<long long>(finish.parameter))) {}

  HWY_INLINE void Sixteen(const CodeTrail& trail, std::size_t i, Cursor& cursor) {
    const std::uint32_t* const HWY_RESTRICT words = trail.words + i;
    if constexpr (kWidths == Widths::kNone || kWidths == Widths::kShort) {
      EvenAndOdd(words, cursor);
    } else {
      LowAndHigh(words, cursor);
    }
  }

  HWY_INLINE void Put(__m512i latents, Cursor& cursor) const {
    if constexpr (joins(kFinish)) {
      const __m512i primary = _mm512_loadu_si512(cursor.primary);
      latents = kFinish == FinishKind::kFloatMult ? FloatMult64(primary, latents, parameter)
                                                  : FloatQuant64(primary, latents, parameter);
      cursor.primary += 8;
    }
    _mm512_storeu_si512(cursor.out, ToNumbers64<kFinish>(latents));
    cursor.out += 8;
  }

  HWY_INLINE void EvenAndOdd(const std::uint32_t* HWY_RESTRICT words, Cursor& cursor) {
    const __m512i before = LoadWords(words - 1);
    const __m512i entries = Entries(before, _mm512_load_si512(words));
    __m512i even = lowers(_mm512_srlv_epi32(entries, symbol_shifts));
    __m512i odd = lowers(_mm512_srlv_epi64(entries, odd_symbol_shifts));
    if constexpr (kWidths == Widths::kShort) {
      const std::uint32_t first = words[-1];
      const __m512i offsets =
          LowBits32(Align32<kWidths>(cursor.At(), Positions(before, first, cursor.position)),
                    WidthsOf(entries));
      even = _mm512_add_epi64(even, _mm512_maskz_mov_epi32(0x5555, offsets));
      odd = _mm512_add_epi64(odd, _mm512_srli_epi64(offsets, 32));
      cursor.position += OffsetBitsBetween(first, words[15], sum_mask);
    }
    if constexpr (sums(kFinish)) {
      const __m512i pairs = _mm512_add_epi64(even, odd);
      const __m512i totals = InclusiveSum(Lanes64(), hn::Vec<Lanes64>{pairs}).raw;
      const __m512i start = _mm512_add_epi64(carry, _mm512_sub_epi64(totals, pairs));
      odd = _mm512_add_epi64(start, even);
      even = start;
      carry = _mm512_add_epi64(carry, LastLane(totals, std::uint64_t{}));
    }
    const __m512i first_half = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    const __m512i second_half = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
    Put(_mm512_permutex2var_epi64(even, first_half, odd), cursor);
    Put(_mm512_permutex2var_epi64(even, second_half, odd), cursor);
  }

  HWY_INLINE void LowAndHigh(const std::uint32_t* HWY_RESTRICT words, Cursor& cursor) {
    // Moves latents 0 to 7 to the even 32-bit lanes and 8 to 15 to the odd ones.
    const __m512i order = _mm512_setr_epi32(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
    const __m512i before = LoadWords(words - 1);
    const __m512i entries =
        _mm512_permutexvar_epi32(order, Entries(before, _mm512_load_si512(words)));
    __m512i low = lowers(_mm512_srlv_epi32(entries, symbol_shifts));
    __m512i high = lowers(_mm512_srlv_epi64(entries, odd_symbol_shifts));
    const std::uint32_t first = words[-1];
    const std::uint32_t seventh = words[7];
    const std::uint64_t position = cursor.position;
    const std::uint64_t middle = position + OffsetBitsBetween(first, seventh, sum_mask);
    const std::uint32_t start =
        (first >> kEntryOffsetShift) + static_cast<std::uint32_t>(position & 7);
    const std::uint32_t second =
        (seventh >> kEntryOffsetShift) + static_cast<std::uint32_t>(middle & 7);
    const __m512i starts = _mm512_mask_set1_epi32(_mm512_set1_epi32(static_cast<int>(start)),
                                                  0xff00, static_cast<int>(second));
    const __m512i positions = _mm512_permutexvar_epi32(
        order, _mm512_sub_epi32(starts, _mm512_srli_epi32(before, kEntryOffsetShift)));
    const __m512i widths = WidthsOf(entries);
    const __m512i low_widths = _mm512_maskz_mov_epi32(0x5555, widths);
    const __m512i high_widths = _mm512_srli_epi64(widths, 32);
    low = _mm512_add_epi64(low, LowBits64(Align64<kWidths, 0>(cursor.At(), positions), low_widths));
    high = _mm512_add_epi64(
        high, LowBits64(Align64<kWidths, 1>(cursor.in + middle / 8, positions), high_widths));
    cursor.position = middle + OffsetBitsBetween(seventh, words[15], sum_mask);
    if constexpr (sums(kFinish)) {
      low = AddUp(low);
      high = AddUp(high);
    }
    Put(low, cursor);
    Put(high, cursor);
  }

  HWY_INLINE __m512i AddUp(__m512i latents) {
    const __m512i totals = InclusiveSum(Lanes64(), hn::Vec<Lanes64>{latents}).raw;
    const __m512i result = _mm512_add_epi64(carry, _mm512_sub_epi64(totals, latents));
    carry = _mm512_add_epi64(carry, LastLane(totals, std::uint64_t{}));
    return result;
  }

  HWY_INLINE void SetRepeated(std::uint64_t latent) {
    repeated = _mm512_set1_epi64(static_cast<long long>(latent));
    if constexpr (sums(kFinish)) {
      repeated_sum = _mm512_slli_epi64(repeated, 3);
      repeated = _mm512_mullo_epi64(repeated, _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
    }
  }
  HWY_INLINE void SixteenRepeated(Cursor& cursor) {
    for (int half = 0; half < 2; ++half) {
      __m512i latents = repeated;
      if constexpr (sums(kFinish)) {
        latents = _mm512_add_epi64(carry, latents);
        carry = _mm512_add_epi64(carry, repeated_sum);
      }
      Put(latents, cursor);
    }
  }

  HWY_INLINE std::uint64_t Moment() const {
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm512_castsi512_si128(carry)));
  }
};

// Unpacks latents of a single bin. All offsets have the same width, so every group of 16 (64-bit
// latents: 8) starts at the same bit of a byte. Returns the position behind the whole groups; the
// remaining latents are not unpacked.
template <class L>
HWY_INLINE std::uint64_t UnpackOneBin(L lower, std::uint64_t width, const std::byte* in,
                                      std::uint64_t position, std::size_t n, L* out) {
  const std::byte* at = in + position / 8;
  const __m512i first = _mm512_set1_epi32(static_cast<int>(position & 7));
  const auto bits = static_cast<int>(width);
  std::size_t i = 0;
  if constexpr (sizeof(L) == 8) {
    const __m512i lowers = _mm512_set1_epi64(static_cast<long long>(lower));
    const __m512i lanes = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    const __m512i positions =
        _mm512_add_epi32(first, _mm512_mullo_epi32(lanes, _mm512_set1_epi32(bits)));
    const __m512i widths = _mm512_set1_epi64(bits);
    for (; i + 8 <= n; i += 8) {
      const __m512i words = width <= 57 ? Align64<Widths::kMedium, 0>(at, positions)
                                        : Align64<Widths::kWide, 0>(at, positions);
      _mm512_storeu_si512(out + i, _mm512_add_epi64(lowers, LowBits64(words, widths)));
      at += width;
    }
  } else {
    const __m512i lowers = _mm512_set1_epi32(static_cast<int>(lower));
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i positions =
        _mm512_add_epi32(first, _mm512_mullo_epi32(lanes, _mm512_set1_epi32(bits)));
    const __m512i widths = _mm512_set1_epi32(bits);
    for (; i + 16 <= n; i += 16) {
      const __m512i words = width <= 25 ? Align32<Widths::kShort>(at, positions)
                                        : Align32<Widths::kWide>(at, positions);
      StoreLanes32(_mm512_add_epi32(lowers, LowBits32(words, widths)), out + i);
      at += 2 * width;
    }
  }
  return position + i * width;
}

#endif

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();

#endif
