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

// While a chain from state to state waits for memory there is time for joining codes.
struct Joined {
  std::uint64_t codes = 0;
  std::uint64_t widths = 0;

  HWY_INLINE std::uint32_t Step(const AnsSymbolStep* steps, const std::uint16_t* next,
                                std::uint32_t y, std::uint16_t symbol) {
    const AnsSymbolStep& step = steps[symbol];
    const std::uint32_t width = (y + step.bits_bias) >> 16;
    // What stands above the number of bits does not count, nor does it for shift instructions.
    // This order of steps leaves compilers the most registers.
    codes = (codes << (width & 63)) + y;
    widths += width;
    const std::uint32_t high = y >> (width & 31);
    codes -= std::uint64_t{high} << (width & 63);
    return next[high + step.next_base];
  }
  HWY_INLINE AnsCodes Codes() const { return codes | widths << kAnsCodesBits; }
};

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86

// Sums with biases as they come: the low bits of each are its code, as a bias has none that low.
HWY_NOINLINE void WalkGroups(const AnsSymbolStep* HWY_RESTRICT steps,
                             const std::uint16_t* HWY_RESTRICT next,
                             const std::uint16_t* HWY_RESTRICT symbols, std::size_t n,
                             std::uint32_t* HWY_RESTRICT sums, Chains& chains) {
  const auto step = [=](std::uint32_t y, std::size_t i) HWY_ATTR -> std::uint32_t {
    const AnsSymbolStep& of = steps[symbols[i]];
    const std::uint32_t sum = y + of.bits_bias;
    sums[i] = sum;
    return next[(y >> ((sum >> 16) & 31)) + of.next_base];
  };
  auto [y0, y1, y2, y3] = chains;
  for (std::size_t group = n; group-- > 0;) {
    const std::size_t first = group * kAnsStates;
    y3 = step(y3, first + 3);
    y2 = step(y2, first + 2);
    y1 = step(y1, first + 1);
    y0 = step(y0, first);
  }
  chains = {y0, y1, y2, y3};
}

// The codes of groups, joined by twos.
struct Joiner {
  __m512i widths;

  // Of four groups.
  HWY_INLINE __m256i Join(__m512i sums) {
    const __m512i low_half = _mm512_set1_epi64(0xffffffff);
    const __m512i width = _mm512_srli_epi32(sums, 16);
    widths = _mm512_add_epi32(widths, width);
    const __m512i bits = _mm512_and_si512(width, _mm512_set1_epi32(0xff));
    const __m512i code = _mm512_andnot_si512(_mm512_sllv_epi32(_mm512_set1_epi32(-1), bits), sums);
    const __m512i bits_even = _mm512_and_si512(bits, low_half);
    const __m512i odd = _mm512_sllv_epi64(_mm512_srli_epi64(code, 32), bits_even);
    const __m512i pair = _mm512_or_si512(_mm512_and_si512(code, low_half), odd);
    const __m512i pair_bits = _mm512_add_epi64(bits_even, _mm512_srli_epi64(bits, 32));
    const __m512i second = _mm512_sllv_epi64(_mm512_unpackhi_epi64(pair, pair), pair_bits);
    const __m512i all_bits =
        _mm512_add_epi64(pair_bits, _mm512_unpackhi_epi64(pair_bits, pair_bits));
    const __m512i joined =
        _mm512_or_si512(_mm512_or_si512(pair, second), _mm512_slli_epi64(all_bits, kAnsCodesBits));
    const __m512i evens = _mm512_setr_epi64(0, 2, 4, 6, 0, 2, 4, 6);
    return _mm512_castsi512_si256(_mm512_permutexvar_epi64(evens, joined));
  }
  HWY_INLINE std::uint64_t Widths() const {
    const __m512i low = _mm512_and_si512(widths, _mm512_set1_epi64(0xffffffff));
    return static_cast<std::uint64_t>(
        _mm512_reduce_add_epi64(_mm512_add_epi64(low, _mm512_srli_epi64(widths, 32))));
  }
};

// Returns the sum of widths.
std::uint64_t JoinGroups(const std::uint32_t* HWY_RESTRICT sums, std::size_t n,
                         AnsCodes* HWY_RESTRICT codes) {
  Joiner joiner{_mm512_setzero_si512()};
  std::size_t group = 0;
  for (; group + 4 <= n; group += 4) {
    const __m256i joined = joiner.Join(_mm512_loadu_si512(sums + group * kAnsStates));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(codes + group), joined);
  }
  if (group == n) return joiner.Widths();
  const __mmask16 some = static_cast<__mmask16>((1u << ((n - group) * kAnsStates)) - 1);
  const __m256i joined = joiner.Join(_mm512_maskz_loadu_epi32(some, sums + group * kAnsStates));
  _mm256_mask_storeu_epi64(codes + group, static_cast<__mmask8>((1u << (n - group)) - 1), joined);
  return joiner.Widths();
}

// In blocks, whose sums stay in a near cache. Returns the sum of widths.
std::uint64_t EncodeGroups(const AnsSymbolStep* steps, const std::uint16_t* next,
                           const std::uint16_t* symbols, std::size_t n, AnsCodes* codes,
                           Chains& chains) {
  constexpr std::size_t kBlock = 128;
  HWY_ALIGN std::uint32_t sums[kBlock * kAnsStates];
  std::uint64_t widths = 0;
  for (std::size_t end = n; end > 0;) {
    const std::size_t first = (end - 1) / kBlock * kBlock;
    WalkGroups(steps, next, symbols + first * kAnsStates, end - first, sums, chains);
    widths += JoinGroups(sums, end - first, codes + first);
    end = first;
  }
  return widths;
}

#else

// Whole groups; a function of its own since it needs all registers. Returns the sum of widths.
HWY_NOINLINE std::uint64_t EncodeGroups(const AnsSymbolStep* HWY_RESTRICT steps,
                                        const std::uint16_t* HWY_RESTRICT next,
                                        const std::uint16_t* HWY_RESTRICT symbols, std::size_t n,
                                        AnsCodes* HWY_RESTRICT codes, Chains& chains) {
  std::uint64_t widths = 0;
  auto [y0, y1, y2, y3] = chains;
  for (std::size_t group = n; group-- > 0;) {
    const std::uint16_t* const four = symbols + group * kAnsStates;
    Joined joined;
    y3 = joined.Step(steps, next, y3, four[3]);
    y2 = joined.Step(steps, next, y2, four[2]);
    y1 = joined.Step(steps, next, y1, four[1]);
    y0 = joined.Step(steps, next, y0, four[0]);
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
  const AnsSymbolStep* const steps = table.steps.data();
  const std::uint16_t* const next = table.next.data();
  Chains chains;
  chains.fill(size);
  const std::size_t groups = n / kAnsStates;
  Joined last;
  for (std::size_t k = n % kAnsStates; k-- > 0;) {
    chains[k] = last.Step(steps, next, chains[k], symbols[groups * kAnsStates + k]);
  }
  if (n % kAnsStates != 0) codes[groups] = last.Codes();
  const std::uint64_t widths =
      EncodeGroups(steps, next, symbols, groups, codes, chains) + last.widths;
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

HWY_EXPORT(EncodeSymbols);

SymbolBits encode_symbols(const AnsEncodeTable& table, std::span<const std::uint16_t> symbols,
                          AnsCodes* codes, std::array<std::uint32_t, kAnsStates>& states) {
  return NUMPACT_DISPATCH(EncodeSymbols)(table, symbols.data(), symbols.size(), codes, states);
}

}  // namespace numpact
#endif
