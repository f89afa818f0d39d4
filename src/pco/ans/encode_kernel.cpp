// SPDX-License-Identifier: Apache-2.0
// tANS encoding of a page. Symbols are encoded from the last to the first by kAnsStates interleaved
// chains, so four state transitions are in flight. The codes of a group, one symbol per chain, are
// joined to one AnsCodes word. The first code of a group has the lowest bits.
//
//   symbols  s0 s1 s2 s3 | s4 s5 s6 s7 | ...
//   chains   y0 y1 y2 y3 | y0 y1 y2 y3 | ...    <- walked from right to left
//   codes    word 0      | word 1      | ...
#include "pco/ans/encode_table.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/ans/encode_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

// The current y = size + state of each chain.
using Chains = std::array<std::uint32_t, kAnsStates>;

// The arrays of an AnsEncodeTable, by symbol.
struct TableArrays {
  const std::uint32_t* HWY_RESTRICT bits_biases;
  const std::uint16_t* const* HWY_RESTRICT nexts;
};

// Joins the codes of a group, last symbol first, while the chains wait for memory.
struct JoinedCodes {
  std::uint64_t codes = 0;
  std::uint64_t widths = 0;

  HWY_INLINE std::uint32_t Step(const TableArrays& tables, std::uint32_t y, std::uint16_t symbol) {
    const std::uint32_t width = (y + tables.bits_biases[symbol]) >> 16;
    // The width of the offsets is above the code bits in `width`; shifts ignore it. The high part
    // of y is added with the code and subtracted again: this order needs the fewest registers.
    codes = (codes << (width & 63)) + y;
    widths += width;
    const std::uint32_t high = y >> (width & 31);
    codes -= std::uint64_t{high} << (width & 63);
    return tables.nexts[symbol][high];
  }
  HWY_INLINE AnsCodes Codes() const { return codes | widths << kAnsCodesBits; }
};

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86

// Groups per block: the sums of a block (2 KiB) stay in the L1 cache until they are joined.
constexpr std::size_t kWalkGroupsN = 128;

// By chain and group: y + bits_bias of the step. Its upper half holds the widths, and its low
// `bits` bits are the code, because the bias is zero there.
struct alignas(64) WalkSums {
  std::uint32_t of[kAnsStates][kWalkGroupsN];
};

HWY_NOINLINE void WalkGroups(const TableArrays& tables, const std::uint16_t* HWY_RESTRICT symbols,
                             std::size_t n, WalkSums& sums, Chains& chains) {
  const auto step = [=](std::uint32_t y, std::uint16_t symbol, std::uint32_t& to)
                        HWY_ATTR -> std::uint32_t {
    const std::uint32_t sum = y + tables.bits_biases[symbol];
    to = sum;
    return tables.nexts[symbol][y >> ((sum >> 16) & 31)];
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

// Codes of one or two chains for 16 groups, with their widths in bits.
struct ChainCodes {
  __m512i codes;
  __m512i bits;
};

HWY_INLINE ChainCodes TakeCodes(const std::uint32_t* sums, __m512i& widths) {
  const __m512i sum = _mm512_load_si512(sums);
  const __m512i width = _mm512_srli_epi32(sum, 16);
  widths = _mm512_add_epi32(widths, width);
  const __m512i bits = _mm512_and_si512(width, _mm512_set1_epi32(0xff));
  return {_mm512_andnot_si512(_mm512_sllv_epi32(_mm512_set1_epi32(-1), bits), sum), bits};
}

// Two chains' codes fit in 32 bits.
static_assert(2 * kMaxAnsSizeLog <= 32);
HWY_INLINE ChainCodes JoinTwo(const ChainCodes& a, const ChainCodes& b) {
  return {_mm512_or_si512(a.codes, _mm512_sllv_epi32(b.codes, a.bits)),
          _mm512_add_epi32(a.bits, b.bits)};
}

// The joined codes of the first (kHalf 0) or the second 8 groups, as AnsCodes words.
template <int kHalf>
HWY_INLINE __m512i JoinFour(const ChainCodes& lower, const ChainCodes& upper) {
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

// Joins the codes of n <= kWalkGroupsN groups. Returns the sum of widths: code bits plus 2^8 times
// offset bits.
std::uint64_t JoinGroups(WalkSums& sums, std::size_t n, AnsCodes* HWY_RESTRICT codes) {
  constexpr std::size_t kLanes = 16;
  if (n % kLanes != 0) {
    // The lanes behind the last group get codes of 0 bits.
    const __mmask16 padding_lanes = static_cast<__mmask16>(~std::uint32_t{0} << n % kLanes);
    for (auto& of : sums.of) {
      _mm512_mask_store_epi32(of + n / kLanes * kLanes, padding_lanes, _mm512_setzero_si512());
    }
  }
  __m512i widths = _mm512_setzero_si512();
  for (std::size_t group = 0; group < n; group += kLanes) {
    const ChainCodes low =
        JoinTwo(TakeCodes(sums.of[0] + group, widths), TakeCodes(sums.of[1] + group, widths));
    const ChainCodes high =
        JoinTwo(TakeCodes(sums.of[2] + group, widths), TakeCodes(sums.of[3] + group, widths));
    const __m512i first = JoinFour<0>(low, high);
    const __m512i second = JoinFour<1>(low, high);
    if (n - group >= kLanes) {
      _mm512_storeu_si512(codes + group, first);
      _mm512_storeu_si512(codes + group + kLanes / 2, second);
    } else {
      const std::uint32_t remaining_lanes = (std::uint32_t{1} << (n - group)) - 1;
      _mm512_mask_storeu_epi64(codes + group, static_cast<__mmask8>(remaining_lanes), first);
      _mm512_mask_storeu_epi64(codes + group + kLanes / 2,
                               static_cast<__mmask8>(remaining_lanes >> 8), second);
    }
  }
  const __m512i low = _mm512_and_si512(widths, _mm512_set1_epi64(0xffffffff));
  return static_cast<std::uint64_t>(
      _mm512_reduce_add_epi64(_mm512_add_epi64(low, _mm512_srli_epi64(widths, 32))));
}

// Encodes whole groups block by block. Returns the sum of widths.
std::uint64_t EncodeGroups(const TableArrays& tables, const std::uint16_t* symbols, std::size_t n,
                           AnsCodes* codes, Chains& chains) {
  WalkSums sums;
  std::uint64_t widths = 0;
  for (std::size_t end = n; end > 0;) {
    const std::size_t first = (end - 1) / kWalkGroupsN * kWalkGroupsN;
    WalkGroups(tables, symbols + first * kAnsStates, end - first, sums, chains);
    widths += JoinGroups(sums, end - first, codes + first);
    end = first;
  }
  return widths;
}

#else

// Encodes whole groups. Returns the sum of widths. Not inlined, since it needs all registers.
HWY_NOINLINE std::uint64_t EncodeGroups(const TableArrays& tables,
                                        const std::uint16_t* HWY_RESTRICT symbols, std::size_t n,
                                        AnsCodes* HWY_RESTRICT codes, Chains& chains) {
  std::uint64_t widths = 0;
  auto [y0, y1, y2, y3] = chains;
  for (std::size_t group = n; group-- > 0;) {
    const std::uint16_t* const four = symbols + group * kAnsStates;
    JoinedCodes joined_codes;
    y3 = joined_codes.Step(tables, y3, four[3]);
    y2 = joined_codes.Step(tables, y2, four[2]);
    y1 = joined_codes.Step(tables, y1, four[1]);
    y0 = joined_codes.Step(tables, y0, four[0]);
    codes[group] = joined_codes.Codes();
    widths += joined_codes.widths;
  }
  chains = {y0, y1, y2, y3};
  return widths;
}

#endif

SymbolBits EncodeSymbols(const AnsEncodeTable& table, const std::uint16_t* symbols, std::size_t n,
                         AnsCodes* codes, std::array<std::uint32_t, kAnsStates>& states) {
  const std::uint32_t size = std::uint32_t{1} << table.size_log;
  const TableArrays tables{table.bits_biases.data(), table.nexts.data()};
  Chains chains;
  chains.fill(size);
  const std::size_t groups = n / kAnsStates;
  JoinedCodes last;
  for (std::size_t k = n % kAnsStates; k-- > 0;) {
    chains[k] = last.Step(tables, chains[k], symbols[groups * kAnsStates + k]);
  }
  if (n % kAnsStates != 0) codes[groups] = last.Codes();
  const std::uint64_t widths = EncodeGroups(tables, symbols, groups, codes, chains) + last.widths;
  for (std::size_t k = 0; k < kAnsStates; ++k) states[k] = chains[k] - size;
  SymbolBits total;
  for (std::size_t i = 0; i < ans_codes_n(n); ++i) total.codes += codes[i] >> kAnsCodesBits;
  total.offsets = (widths - total.codes) >> 8;
  return total;
}

}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_VECTOR_KERNEL

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact::internal {

NUMPACT_EXPORT_VECTOR(EncodeSymbols);

SymbolBits encode_symbols(const AnsEncodeTable& table, std::span<const std::uint16_t> symbols,
                          AnsCodes* codes, std::array<std::uint32_t, kAnsStates>& states) {
  return NUMPACT_DISPATCH(EncodeSymbols)(table, symbols.data(), symbols.size(), codes, states);
}

}  // namespace numpact::internal
#endif
