// SPDX-License-Identifier: Apache-2.0
#include "pco/latent/symbols_kernel.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/latent/symbols_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "pco/stats/known_values.hpp"

HWY_BEFORE_NAMESPACE();
namespace numpact {
namespace HWY_NAMESPACE {

void LookUpBytes(const std::uint8_t* HWY_RESTRICT table, const std::uint8_t* HWY_RESTRICT latents,
                 std::size_t n, std::uint16_t* HWY_RESTRICT symbols) {
  std::size_t i = 0;
#if HWY_TARGET <= HWY_AVX3_DL && HWY_ARCH_X86
  __m512i quarters[4];
  for (std::size_t q = 0; q < 4; ++q) quarters[q] = _mm512_loadu_si512(table + 64 * q);
  for (; i + 64 <= n; i += 64) {
    const __m512i some = _mm512_loadu_si512(latents + i);
    // By the lower seven bits, then by the top one.
    const __m512i low = _mm512_permutex2var_epi8(quarters[0], some, quarters[1]);
    const __m512i high = _mm512_permutex2var_epi8(quarters[2], some, quarters[3]);
    const __m512i found = _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(some), high);
    const __m256i halves[2] = {_mm512_castsi512_si256(found), _mm512_extracti64x4_epi64(found, 1)};
    _mm512_storeu_si512(symbols + i, _mm512_cvtepu8_epi16(halves[0]));
    _mm512_storeu_si512(symbols + i + 32, _mm512_cvtepu8_epi16(halves[1]));
  }
#endif
  for (; i < n; ++i) symbols[i] = table[latents[i]];
}

#if HWY_TARGET <= HWY_AVX3_DL && HWY_ARCH_X86

HWY_INLINE __m512i InFront(__mmask16 some, const std::uint32_t* latents) {
  return _mm512_maskz_compress_epi32(some, _mm512_loadu_si512(latents));
}
HWY_INLINE __m512i InFront(__mmask8 some, const std::uint64_t* latents) {
  return _mm512_maskz_compress_epi64(some, _mm512_loadu_si512(latents));
}

// Of 32 latents.
template <class L>
HWY_INLINE std::size_t TakeSome(std::uint32_t bits, const L* latents, L* taken) {
  using Mask = std::conditional_t<sizeof(L) == 4, __mmask16, __mmask8>;
  constexpr std::size_t kLanes = 8 * sizeof(Mask);
  std::size_t n = 0;
  for (std::size_t i = 0; i < 32; i += kLanes) {
    const std::uint32_t of_lanes = bits >> i & ((std::uint32_t{1} << kLanes) - 1);
    _mm512_storeu_si512(taken + n, InFront(static_cast<Mask>(of_lanes), latents + i));
    n += static_cast<std::size_t>(_mm_popcnt_u32(of_lanes));
  }
  return n;
}

// How many latents were looked at, by 32.
template <class L>
HWY_INLINE std::size_t TakeMost(const L* latents, const std::uint16_t* places, std::size_t n,
                                std::uint32_t* bits, L* taken, std::size_t& taken_n) {
  const __m512i elsewhere = _mm512_set1_epi16(-1);
  static_assert(kElsewhere == 0xffff);
  std::size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    const std::uint32_t some = _mm512_cmpeq_epi16_mask(_mm512_loadu_si512(places + i), elsewhere);
    bits[i / 32] = some;
    taken_n += TakeSome(some, latents + i, taken + taken_n);
  }
  return i;
}

HWY_INLINE std::size_t SetMost(const std::uint32_t* bits, const std::uint16_t* found,
                               std::uint16_t* symbols, std::size_t n, std::size_t& next) {
  std::size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    const __m512i some = _mm512_maskz_expand_epi16(bits[i / 32], _mm512_loadu_si512(found + next));
    _mm512_storeu_si512(symbols + i, _mm512_or_si512(some, _mm512_loadu_si512(symbols + i)));
    next += static_cast<std::size_t>(_mm_popcnt_u32(bits[i / 32]));
  }
  return i;
}

#else

template <class L>
std::size_t TakeMost(const L*, const std::uint16_t*, std::size_t, std::uint32_t*, L*,
                     std::size_t&) {
  return 0;
}
std::size_t SetMost(const std::uint32_t*, const std::uint16_t*, std::uint16_t*, std::size_t,
                    std::size_t&) {
  return 0;
}

#endif

// By one without branches, which would often be mispredicted.
template <class L>
std::size_t TakeElsewhere(const L* HWY_RESTRICT latents, const std::uint16_t* HWY_RESTRICT places,
                          std::size_t n, std::uint32_t* HWY_RESTRICT bits, L* HWY_RESTRICT taken) {
  std::size_t taken_n = 0;
  std::size_t i = TakeMost(latents, places, n, bits, taken, taken_n);
  while (i < n) {
    const std::size_t end = std::min(n, i + 32);
    std::uint32_t of_32 = 0;
    for (unsigned at = 0; i < end; ++i, ++at) {
      const std::uint32_t is_elsewhere = places[i] == kElsewhere ? 1 : 0;
      taken[taken_n] = latents[i];
      taken_n += is_elsewhere;
      of_32 |= is_elsewhere << at;
    }
    bits[(end - 1) / 32] = of_32;
  }
  return taken_n;
}

void SetElsewhere(const std::uint32_t* HWY_RESTRICT bits, const std::uint16_t* HWY_RESTRICT found,
                  std::uint16_t* HWY_RESTRICT symbols, std::size_t n) {
  std::size_t next = 0;
  for (std::size_t i = SetMost(bits, found, symbols, n, next); i < n; ++i) {
    const std::uint32_t is_elsewhere = bits[i / 32] >> (i % 32) & 1;
    symbols[i] = static_cast<std::uint16_t>(symbols[i] | (found[next] & (0 - is_elsewhere)));
    next += is_elsewhere;
  }
}

#define NUMPACT_KERNEL(L, S)                                                                 \
  std::size_t TakeElsewhere##S(const L* latents, const std::uint16_t* places, std::size_t n, \
                               std::uint32_t* bits, L* taken) {                              \
    return TakeElsewhere(latents, places, n, bits, taken);                                   \
  }
NUMPACT_KERNEL(std::uint32_t, 32)
NUMPACT_KERNEL(std::uint64_t, 64)
#undef NUMPACT_KERNEL

}  // namespace HWY_NAMESPACE
}  // namespace numpact
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact {

HWY_EXPORT(LookUpBytes);

void look_up_bytes(const ByteSymbols& table, std::span<const std::uint8_t> latents,
                   std::uint16_t* symbols) {
  NUMPACT_DISPATCH(LookUpBytes)(table.data(), latents.data(), latents.size(), symbols);
}

#define NUMPACT_DOOR(L, S)                                                                         \
  HWY_EXPORT(TakeElsewhere##S);                                                                    \
  template <>                                                                                      \
  std::size_t take_elsewhere<L>(std::span<const L> latents, const std::uint16_t* places,           \
                                ElsewhereBits& bits, L* taken) {                                   \
    return NUMPACT_DISPATCH(TakeElsewhere##S)(latents.data(), places, latents.size(), bits.data(), \
                                              taken);                                              \
  }
NUMPACT_DOOR(std::uint32_t, 32)
NUMPACT_DOOR(std::uint64_t, 64)
#undef NUMPACT_DOOR

HWY_EXPORT(SetElsewhere);

void set_elsewhere(const ElsewhereBits& bits, const std::uint16_t* found,
                   std::span<std::uint16_t> symbols) {
  NUMPACT_DISPATCH(SetElsewhere)(bits.data(), found, symbols.data(), symbols.size());
}

}  // namespace numpact
#endif
