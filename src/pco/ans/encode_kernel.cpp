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

std::uint64_t EncodeSymbols(const AnsEncodeTable& table, const std::uint16_t* HWY_RESTRICT symbols,
                            std::size_t n, AnsCode* HWY_RESTRICT codes,
                            std::array<std::uint32_t, kAnsStates>& states) {
  const std::uint32_t size = std::uint32_t{1} << table.size_log;
  const AnsSymbolStep* HWY_RESTRICT steps = table.steps.data();
  const std::uint16_t* HWY_RESTRICT next = table.next.data();
  std::uint64_t total_bits = 0;
  const auto step = [&](std::uint32_t& y, std::size_t i) HWY_ATTR {
    const AnsSymbolStep symbol = steps[symbols[i]];
    const std::uint32_t bits = (y + symbol.bits_bias) >> 16;
    codes[i] = (y & ((std::uint32_t{1} << bits) - 1)) | bits << 16;
    total_bits += bits;
    y = size + next[static_cast<std::int32_t>(y >> bits) + symbol.next_base];
  };
  std::uint32_t y[kAnsStates] = {size, size, size, size};
  std::size_t i = n;
  while (i % kAnsStates != 0) {
    --i;
    step(y[i % kAnsStates], i);
  }
  std::uint32_t y0 = y[0];
  std::uint32_t y1 = y[1];
  std::uint32_t y2 = y[2];
  std::uint32_t y3 = y[3];
  while (i > 0) {
    i -= 4;
    step(y3, i + 3);
    step(y2, i + 2);
    step(y1, i + 1);
    step(y0, i);
  }
  states = {y0 - size, y1 - size, y2 - size, y3 - size};
  return total_bits;
}

}  // namespace HWY_NAMESPACE
}  // namespace numpact
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact {

HWY_EXPORT(EncodeSymbols);

std::uint64_t encode_symbols(const AnsEncodeTable& table, std::span<const std::uint16_t> symbols,
                             AnsCode* codes, std::array<std::uint32_t, kAnsStates>& states) {
  return NUMPACT_DISPATCH(EncodeSymbols)(table, symbols.data(), symbols.size(), codes, states);
}

}  // namespace numpact
#endif
