// SPDX-License-Identifier: Apache-2.0
// tANS encoding (docs/format/pco.md, "tANS").
#ifndef NUMPACT_PCO_ANS_ENCODE_TABLE_HPP
#define NUMPACT_PCO_ANS_ENCODE_TABLE_HPP

#include <array>
#include <span>

#include "base/arena.hpp"
#include "pco/ans/bin.hpp"
#include "pco/limits.hpp"

namespace numpact {

// The step of one symbol. In state index s let y = size + s; then
//   bits = (y + bits_bias) >> 16, the code is the low `bits` of y,
//   the next y is next[(y >> bits) + next_base], modulo 2^32.
struct AnsSymbolStep {
  std::uint32_t bits_bias;
  std::uint32_t next_base;
};

struct AnsEncodeTable {
  unsigned size_log = 0;
  std::span<const AnsSymbolStep> steps;       // by symbol
  std::span<const std::uint16_t> next;        // y, by symbol and occurrence
  std::span<const std::uint8_t> offset_bits;  // by symbol

  static AnsEncodeTable make(const Binning& binning, Arena& arena);
};

// One code: its bits low, below bit 16 and above them noise, their number from bit 16 on.
using AnsCode = std::uint32_t;

// What a page's symbols take, in all.
struct SymbolBits {
  std::uint64_t codes = 0;
  std::uint64_t offsets = 0;
};

// Encodes a page's symbols; `states` becomes what its head stores. codes[i] belongs to symbols[i];
// they are made from the last to the first.
SymbolBits encode_symbols(const AnsEncodeTable& table, std::span<const std::uint16_t> symbols,
                          AnsCode* codes, std::array<std::uint32_t, kAnsStates>& states);

}  // namespace numpact

#endif
