// SPDX-License-Identifier: Apache-2.0
#include "pco/ans/encode_table.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/ans/encode_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace numpact {
namespace HWY_NAMESPACE {

// The states of a page's chains of symbols, as y.
using Chains = std::array<std::uint32_t, kAnsStates>;

// Of a table, by symbol.
struct Steps {
  const std::uint32_t* HWY_RESTRICT bits_biases;
  const std::uint16_t* const* HWY_RESTRICT nexts;
};

// While a chain from state to state waits for memory there is time for joining codes.
struct Joined {
  std::uint64_t codes = 0;
  std::uint64_t widths = 0;

  HWY_INLINE std::uint32_t Step(const Steps& steps, std::uint32_t y, std::uint16_t symbol) {
    const std::uint32_t width = (y + steps.bits_biases[symbol]) >> 16;
    // What stands above the number of bits does not count, nor does it for shift instructions.
    // This order of steps leaves compilers the most registers.
    codes = (codes << (width & 63)) + y;
    widths += width;
    const std::uint32_t high = y >> (width & 31);
    codes -= std::uint64_t{high} << (width & 63);
    return steps.nexts[symbol][high];
  }
  HWY_INLINE AnsCodes Codes() const { return codes | widths << kAnsCodesBits; }
};

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86

// Groups that are walked at a time.
constexpr std::size_t kWalkN = 128;

// By chain, sums with biases as they come: the low bits of each are its code, as a bias has none
// that low.
struct alignas(64) WalkSums {
  std::uint32_t of[kAnsStates][kWalkN];
};

HWY_NOINLINE void WalkGroups(const Steps& steps, const std::uint16_t* HWY_RESTRICT symbols,
                             std::size_t n, WalkSums& sums, Chains& chains) {
  const auto step = [=](std::uint32_t y, std::uint16_t symbol, std::uint32_t& to)
                        HWY_ATTR -> std::uint32_t {
    const std::uint32_t sum = y + steps.bits_biases[symbol];
    to = sum;
    return steps.nexts[symbol][y >> ((sum >> 16) & 31)];
  };
  auto [y0, y1, y2, y3] = chains;
  for (std::size_t group = n; group-- > 0;) {
    const std::uint16_t* const four = symbols + group * kAnsStates;
    y3 = step(y3, four[3], sums.of[3][group]);
    y2 = step(y2, four[2], sums.of[2][group]);
    y1 = step(y1, four[1], sums.of[1][group]);
    y0 = step(y0, four[0], sums.of[0][group]);
  }
  chains = {y0, y1, y2, y3};
}

// A chain's codes and their widths, of 16 groups.
struct CodesOfChain {
  __m512i codes;
  __m512i bits;
};

HWY_INLINE CodesOfChain TakeCodes(const std::uint32_t* sums, __m512i& widths) {
  const __m512i sum = _mm512_load_si512(sums);
  const __m512i width = _mm512_srli_epi32(sum, 16);
  widths = _mm512_add_epi32(widths, width);
  const __m512i bits = _mm512_and_si512(width, _mm512_set1_epi32(0xff));
  return {_mm512_andnot_si512(_mm512_sllv_epi32(_mm512_set1_epi32(-1), bits), sum), bits};
}

// Two chains' codes fit in 32 bits.
static_assert(2 * kMaxAnsSizeLog <= 32);
HWY_INLINE CodesOfChain JoinTwo(const CodesOfChain& a, const CodesOfChain& b) {
  return {_mm512_or_si512(a.codes, _mm512_sllv_epi32(b.codes, a.bits)),
          _mm512_add_epi32(a.bits, b.bits)};
}

// Of the first or the second 8 groups.
template <int kHalf>
HWY_INLINE __m512i JoinFour(const CodesOfChain& lower, const CodesOfChain& upper) {
  const __m256i low = _mm512_extracti64x4_epi64(lower.codes, kHalf);
  const __m256i low_bits = _mm512_extracti64x4_epi64(lower.bits, kHalf);
  const __m256i high = _mm512_extracti64x4_epi64(upper.codes, kHalf);
  const __m256i high_bits = _mm512_extracti64x4_epi64(upper.bits, kHalf);
  const __m512i shift = _mm512_cvtepu32_epi64(low_bits);
  const __m512i above = _mm512_sllv_epi64(_mm512_cvtepu32_epi64(high), shift);
  const __m512i bits = _mm512_cvtepu32_epi64(_mm256_add_epi32(low_bits, high_bits));
  return _mm512_or_si512(_mm512_or_si512(_mm512_cvtepu32_epi64(low), above),
                         _mm512_slli_epi64(bits, kAnsCodesBits));
}

// Up to kWalkN groups. Returns the sum of widths.
std::uint64_t JoinGroups(WalkSums& sums, std::size_t n, AnsCodes* HWY_RESTRICT codes) {
  constexpr std::size_t kLanes = 16;
  if (n % kLanes != 0) {
    // What lies behind has codes of no bits.
    const __mmask16 behind = static_cast<__mmask16>(~std::uint32_t{0} << n % kLanes);
    for (auto& of : sums.of) {
      _mm512_mask_store_epi32(of + n / kLanes * kLanes, behind, _mm512_setzero_si512());
    }
  }
  __m512i widths = _mm512_setzero_si512();
  for (std::size_t group = 0; group < n; group += kLanes) {
    const CodesOfChain low =
        JoinTwo(TakeCodes(sums.of[0] + group, widths), TakeCodes(sums.of[1] + group, widths));
    const CodesOfChain high =
        JoinTwo(TakeCodes(sums.of[2] + group, widths), TakeCodes(sums.of[3] + group, widths));
    const __m512i first = JoinFour<0>(low, high);
    const __m512i second = JoinFour<1>(low, high);
    if (n - group >= kLanes) {
      _mm512_storeu_si512(codes + group, first);
      _mm512_storeu_si512(codes + group + kLanes / 2, second);
    } else {
      const std::uint32_t some = (std::uint32_t{1} << (n - group)) - 1;
      _mm512_mask_storeu_epi64(codes + group, static_cast<__mmask8>(some), first);
      _mm512_mask_storeu_epi64(codes + group + kLanes / 2, static_cast<__mmask8>(some >> 8),
                               second);
    }
  }
  const __m512i low = _mm512_and_si512(widths, _mm512_set1_epi64(0xffffffff));
  return static_cast<std::uint64_t>(
      _mm512_reduce_add_epi64(_mm512_add_epi64(low, _mm512_srli_epi64(widths, 32))));
}

// In blocks, whose sums stay in a near cache. Returns the sum of widths.
std::uint64_t EncodeGroups(const Steps& steps, const std::uint16_t* symbols, std::size_t n,
                           AnsCodes* codes, Chains& chains) {
  WalkSums sums;
  std::uint64_t widths = 0;
  for (std::size_t end = n; end > 0;) {
    const std::size_t first = (end - 1) / kWalkN * kWalkN;
    WalkGroups(steps, symbols + first * kAnsStates, end - first, sums, chains);
    widths += JoinGroups(sums, end - first, codes + first);
    end = first;
  }
  return widths;
}

#else

// Whole groups; a function of its own since it needs all registers. Returns the sum of widths.
HWY_NOINLINE std::uint64_t EncodeGroups(const Steps& steps,
                                        const std::uint16_t* HWY_RESTRICT symbols, std::size_t n,
                                        AnsCodes* HWY_RESTRICT codes, Chains& chains) {
  std::uint64_t widths = 0;
  auto [y0, y1, y2, y3] = chains;
  for (std::size_t group = n; group-- > 0;) {
    const std::uint16_t* const four = symbols + group * kAnsStates;
    Joined joined;
    y3 = joined.Step(steps, y3, four[3]);
    y2 = joined.Step(steps, y2, four[2]);
    y1 = joined.Step(steps, y1, four[1]);
    y0 = joined.Step(steps, y0, four[0]);
    codes[group] = joined.Codes();
    widths += joined.widths;
  }
  chains = {y0, y1, y2, y3};
  return widths;
}

#endif

SymbolBits EncodeSymbols(const AnsEncodeTable& table, const std::uint16_t* symbols, std::size_t n,
                         AnsCodes* codes, std::array<std::uint32_t, kAnsStates>& states) {
  const std::uint32_t size = std::uint32_t{1} << table.size_log;
  const Steps steps{table.bits_biases.data(), table.nexts.data()};
  Chains chains;
  chains.fill(size);
  const std::size_t groups = n / kAnsStates;
  Joined last;
  for (std::size_t k = n % kAnsStates; k-- > 0;) {
    chains[k] = last.Step(steps, chains[k], symbols[groups * kAnsStates + k]);
  }
  if (n % kAnsStates != 0) codes[groups] = last.Codes();
  const std::uint64_t widths = EncodeGroups(steps, symbols, groups, codes, chains) + last.widths;
  for (std::size_t k = 0; k < kAnsStates; ++k) states[k] = chains[k] - size;
  SymbolBits total;
  for (std::size_t i = 0; i < ans_codes_n(n); ++i) total.codes += codes[i] >> kAnsCodesBits;
  total.offsets = (widths - total.codes) >> 8;
  return total;
}

}  // namespace HWY_NAMESPACE
}  // namespace numpact
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact {

NUMPACT_EXPORT(EncodeSymbols);

SymbolBits encode_symbols(const AnsEncodeTable& table, std::span<const std::uint16_t> symbols,
                          AnsCodes* codes, std::array<std::uint32_t, kAnsStates>& states) {
  return NUMPACT_DISPATCH(EncodeSymbols)(table, symbols.data(), symbols.size(), codes, states);
}

}  // namespace numpact
#endif
