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

SymbolBits EncodeSymbols(const AnsEncodeTable& table, const std::uint16_t* HWY_RESTRICT symbols,
                         std::size_t n, AnsCode* HWY_RESTRICT codes,
                         std::array<std::uint32_t, kAnsStates>& states) {
  const std::uint32_t size = std::uint32_t{1} << table.size_log;
  const AnsSymbolStep* HWY_RESTRICT steps = table.steps.data();
  const std::uint16_t* HWY_RESTRICT next = table.next.data();
  const std::uint8_t* HWY_RESTRICT offset_bits = table.offset_bits.data();
  SymbolBits total;
  // While a chain from state to state waits for memory there is time for counting offsets.
  const auto step = [&](std::uint32_t y, std::size_t i) HWY_ATTR {
    const std::size_t symbol = symbols[i];
    const std::uint32_t bits = (y + steps[symbol].bits_bias) >> 16;
    codes[i] = bits << 16 | y;
    total.offsets += offset_bits[symbol];
    return std::uint32_t{next[(y >> bits) + steps[symbol].next_base]};
  };
  std::uint32_t y[kAnsStates] = {size, size, size, size};
  std::size_t i = n;
  while (i % kAnsStates != 0) {
    --i;
    y[i % kAnsStates] = step(y[i % kAnsStates], i);
  }
  std::uint32_t y0 = y[0];
  std::uint32_t y1 = y[1];
  std::uint32_t y2 = y[2];
  std::uint32_t y3 = y[3];
  while (i > 0) {
    i -= 4;
    y3 = step(y3, i + 3);
    y2 = step(y2, i + 2);
    y1 = step(y1, i + 1);
    y0 = step(y0, i);
  }
  states = {y0 - size, y1 - size, y2 - size, y3 - size};
  for (i = 0; i < n; ++i) total.codes += codes[i] >> 16;
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
                          AnsCode* codes, std::array<std::uint32_t, kAnsStates>& states) {
  return NUMPACT_DISPATCH(EncodeSymbols)(table, symbols.data(), symbols.size(), codes, states);
}

}  // namespace numpact
#endif
