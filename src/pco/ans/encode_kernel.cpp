// SPDX-License-Identifier: Apache-2.0
#include "pco/ans/encode_table.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/ans/encode_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

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
