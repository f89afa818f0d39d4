// SPDX-License-Identifier: Apache-2.0
// Extraction by AVX-512 compress and expand; other targets go from one bit that is set to the next.
#include "pco/stats/unmatched.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/stats/unmatched_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "simd/lane_count-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

// The condition for taking a latent: its index is kUnmatched, or it differs from a value.
struct IsUnmatched {
  const std::uint16_t* indices;
};
template <class L>
struct DiffersFrom {
  L value;
};

#if HWY_TARGET <= HWY_AVX3_DL && HWY_ARCH_X86

HWY_INLINE __m512i CompressLanes(__mmask16 mask, const std::uint32_t* latents) {
  return _mm512_maskz_compress_epi32(mask, _mm512_loadu_si512(latents));
}
HWY_INLINE __m512i CompressLanes(__mmask8 mask, const std::uint64_t* latents) {
  return _mm512_maskz_compress_epi64(mask, _mm512_loadu_si512(latents));
}

// Stores the latents, of 32, whose bit is set. Returns their count.
template <class L>
HWY_INLINE std::size_t TakeFrom32(std::uint32_t bits, const L* latents, L* taken) {
  using Mask = std::conditional_t<sizeof(L) == 4, __mmask16, __mmask8>;
  constexpr std::size_t kLanes = 8 * sizeof(Mask);
  std::size_t n = 0;
  for (std::size_t i = 0; i < 32; i += kLanes) {
    const std::uint32_t lane_bits = bits >> i & ((std::uint32_t{1} << kLanes) - 1);
    _mm512_storeu_si512(taken + n, CompressLanes(static_cast<Mask>(lane_bits), latents + i));
    n += hwy::PopCount(std::uint64_t{lane_bits});
  }
  return n;
}

HWY_INLINE std::uint32_t FindTaken(const IsUnmatched& which, const void*, std::size_t i) {
  const __m512i unmatched = _mm512_set1_epi16(-1);
  static_assert(kUnmatched == 0xffff);
  return _mm512_cmpeq_epi16_mask(_mm512_loadu_si512(which.indices + i), unmatched);
}
HWY_INLINE std::uint32_t FindTaken(const DiffersFrom<std::uint32_t>& which,
                                   const std::uint32_t* latents, std::size_t i) {
  const __m512i same = _mm512_set1_epi32(static_cast<int>(which.value));
  const __mmask16 low = _mm512_cmpneq_epu32_mask(_mm512_loadu_si512(latents + i), same);
  const __mmask16 high = _mm512_cmpneq_epu32_mask(_mm512_loadu_si512(latents + i + 16), same);
  return LaneBits(low) | LaneBits(high) << 16;
}
HWY_INLINE std::uint32_t FindTaken(const DiffersFrom<std::uint64_t>& which,
                                   const std::uint64_t* latents, std::size_t i) {
  const __m512i same = _mm512_set1_epi64(static_cast<long long>(which.value));
  std::uint32_t bits = 0;
  for (unsigned part = 0; part < 32; part += 8) {
    const __mmask8 mask = _mm512_cmpneq_epu64_mask(_mm512_loadu_si512(latents + i + part), same);
    bits |= LaneBits(mask) << part;
  }
  return bits;
}

// Processes blocks of 32 latents; returns how many latents that were.
template <class L, class Which>
HWY_INLINE std::size_t TakeVectors(const Which& which, const L* latents, std::size_t n,
                                   std::uint32_t* bits, L* taken, std::size_t& taken_n) {
  std::size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    bits[i / 32] = FindTaken(which, latents, i);
    taken_n += TakeFrom32(bits[i / 32], latents + i, taken + taken_n);
  }
  return i;
}

HWY_INLINE std::size_t SetVectors(const std::uint32_t* bits, const std::uint16_t* found,
                                  std::uint16_t* symbols, std::size_t n, std::size_t& next) {
  std::size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    const __m512i change =
        _mm512_maskz_expand_epi16(bits[i / 32], _mm512_loadu_si512(found + next));
    _mm512_storeu_si512(symbols + i, _mm512_xor_si512(change, _mm512_loadu_si512(symbols + i)));
    next += hwy::PopCount(std::uint64_t{bits[i / 32]});
  }
  return i;
}

#else

namespace hn = hwy::HWY_NAMESPACE;

// Calls f with the position of each bit set.
template <class F>
HWY_INLINE void EachBit(std::uint32_t bits, F&& f) {
  for (; bits != 0; bits &= bits - 1) f(hwy::Num0BitsBelowLS1Bit_Nonzero32(bits));
}

template <class T, class Condition>
HWY_INLINE std::uint32_t FindIn32(const T* from, Condition&& condition) {
  const hn::CappedTag<T, 16> d;
  std::uint32_t bits = 0;
  for (std::size_t part = 0; part < 32; part += hn::Lanes(d)) {
    std::uint8_t lanes[8] = {};  // whole bytes are stored
    hn::StoreMaskBits(d, condition(d, hn::LoadU(d, from + part)), lanes);
    bits |= static_cast<std::uint32_t>(lanes[0] | lanes[1] << 8) << part;
  }
  return bits;
}
HWY_INLINE std::uint32_t FindTaken(const IsUnmatched& which, const void*, std::size_t i) {
  return FindIn32(which.indices + i, [](auto d, auto indices) HWY_ATTR {
    return hn::Eq(indices, hn::Set(d, kUnmatched));
  });
}
template <class L>
HWY_INLINE std::uint32_t FindTaken(const DiffersFrom<L>& which, const L* latents, std::size_t i) {
  return FindIn32(latents + i, [&](auto d, auto values)
                                   HWY_ATTR { return hn::Ne(values, hn::Set(d, which.value)); });
}

template <class L, class Which>
std::size_t TakeVectors(const Which& which, const L* latents, std::size_t n, std::uint32_t* bits,
                        L* taken, std::size_t& taken_n) {
  std::size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    bits[i / 32] = FindTaken(which, latents, i);
    EachBit(bits[i / 32], [&](std::size_t at) { taken[taken_n++] = latents[i + at]; });
  }
  return i;
}
std::size_t SetVectors(const std::uint32_t* bits, const std::uint16_t* found,
                       std::uint16_t* symbols, std::size_t n, std::size_t& next) {
  std::size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    EachBit(bits[i / 32], [&](std::size_t at) { symbols[i + at] ^= found[next++]; });
  }
  return i;
}

#endif

template <class L>
HWY_INLINE bool IsTaken(const IsUnmatched& which, const L*, std::size_t i) {
  return which.indices[i] == kUnmatched;
}
template <class L>
HWY_INLINE bool IsTaken(const DiffersFrom<L>& which, const L* latents, std::size_t i) {
  return latents[i] != which.value;
}

// The tail is branch-free: its branches would often be mispredicted.
template <class L, class Which>
std::size_t Take(const Which& which, const L* HWY_RESTRICT latents, std::size_t n,
                 std::uint32_t* HWY_RESTRICT bits, L* HWY_RESTRICT taken) {
  std::size_t taken_n = 0;
  std::size_t i = TakeVectors(which, latents, n, bits, taken, taken_n);
  while (i < n) {
    const std::size_t end = std::min(n, i + 32);
    std::uint32_t word = 0;
    for (unsigned at = 0; i < end; ++i, ++at) {
      const std::uint32_t is_taken = IsTaken(which, latents, i) ? 1 : 0;
      taken[taken_n] = latents[i];
      taken_n += is_taken;
      word |= is_taken << at;
    }
    bits[(end - 1) / 32] = word;
  }
  return taken_n;
}

void SetTakenSymbols(const std::uint32_t* HWY_RESTRICT bits,
                     const std::uint16_t* HWY_RESTRICT found, std::uint16_t* HWY_RESTRICT symbols,
                     std::size_t n) {
  std::size_t next = 0;
  for (std::size_t i = SetVectors(bits, found, symbols, n, next); i < n; ++i) {
    const std::uint32_t is_taken = bits[i / 32] >> (i % 32) & 1;
    symbols[i] = static_cast<std::uint16_t>(symbols[i] ^ (found[next] & (0 - is_taken)));
    next += is_taken;
  }
}

#define NUMPACT_KERNEL(L, S)                                                                  \
  std::size_t TakeUnmatched##S(const L* latents, const std::uint16_t* indices, std::size_t n, \
                               std::uint32_t* bits, L* taken) {                               \
    return Take(IsUnmatched{indices}, latents, n, bits, taken);                               \
  }                                                                                           \
  std::size_t TakeUnequal##S(const L* latents, L value, std::size_t n, std::uint32_t* bits,   \
                             L* taken) {                                                      \
    return Take(DiffersFrom<L>{value}, latents, n, bits, taken);                              \
  }
NUMPACT_KERNEL(std::uint32_t, 32)
NUMPACT_KERNEL(std::uint64_t, 64)
#undef NUMPACT_KERNEL

}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact::internal {

#define NUMPACT_ENTRY(L, S)                                                                       \
  NUMPACT_EXPORT(TakeUnmatched##S);                                                               \
  NUMPACT_EXPORT(TakeUnequal##S);                                                                 \
  template <>                                                                                     \
  std::size_t take_unmatched<L>(std::span<const L> latents, const std::uint16_t* indices,         \
                                TakenBits& bits, L* taken) {                                      \
    return NUMPACT_DISPATCH(TakeUnmatched##S)(latents.data(), indices, latents.size(),            \
                                              bits.data(), taken);                                \
  }                                                                                               \
  template <>                                                                                     \
  std::size_t take_unequal<L>(std::span<const L> latents, L value, TakenBits & bits, L * taken) { \
    return NUMPACT_DISPATCH(TakeUnequal##S)(latents.data(), value, latents.size(), bits.data(),   \
                                            taken);                                               \
  }
NUMPACT_ENTRY(std::uint32_t, 32)
NUMPACT_ENTRY(std::uint64_t, 64)
#undef NUMPACT_ENTRY

NUMPACT_EXPORT(SetTakenSymbols);

void set_taken_symbols(const TakenBits& bits, const std::uint16_t* found,
                       std::span<std::uint16_t> symbols) {
  NUMPACT_DISPATCH(SetTakenSymbols)(bits.data(), found, symbols.data(), symbols.size());
}

}  // namespace numpact::internal
#endif
