// SPDX-License-Identifier: Apache-2.0
// Assignment of symbols to the states of a tANS table (docs/format/pco.md, "tANS").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace numpact::internal {

// Sets symbols[state]. weight(symbol), for symbols 0 to symbol_n - 1, is the count of states that a
// symbol gets; the weights add up to symbols.size(), a power of two.
template <class Weight>
void spread_symbols(std::size_t symbol_n, const Weight& weight, std::span<std::uint16_t> symbols) {
  const std::size_t size = symbols.size();
  std::size_t stride = 3 * size / 5;
  if (stride % 2 == 0) ++stride;  // odd, so that every state is visited once
  std::size_t state = 0;
  for (std::size_t symbol = 0; symbol < symbol_n; ++symbol) {
    for (std::uint32_t i = weight(symbol); i > 0; --i) {
      symbols[state] = static_cast<std::uint16_t>(symbol);
      state = (state + stride) & (size - 1);
    }
  }
}

}  // namespace numpact::internal
