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
//   bits = (y + bits_bias) >> 16, of 8 bits, the code is the low `bits` of y,
//   the next y is next[y >> bits].
// What follows above these 8 bits of the sum is the width of the symbol's offsets. The two are
// apart so that a symbol is an index that processors scale.
struct AnsEncodeTable {
  unsigned size_log = 0;
  std::span<const std::uint32_t> bits_biases;   // by symbol
  std::span<const std::uint16_t* const> nexts;  // by symbol, into one table

  static AnsEncodeTable make(const Binning& binning, Arena& arena);
};

// The codes of kAnsStates symbols, the last ones of a page may be fewer: their bits as they stand
// in the page, how many these are from bit 56 on.
using AnsCodes = std::uint64_t;
inline constexpr unsigned kAnsCodesBits = 56;
static_assert(kAnsStates * kMaxAnsSizeLog <= kAnsCodesBits);

// What n symbols take.
constexpr std::size_t ans_codes_n(std::size_t n) { return (n + kAnsStates - 1) / kAnsStates; }

// What a page's symbols take, in all.
struct SymbolBits {
  std::uint64_t codes = 0;
  std::uint64_t offsets = 0;
};

// Encodes a page's symbols, from the last to the first; `states` becomes what its head stores.
SymbolBits encode_symbols(const AnsEncodeTable& table, std::span<const std::uint16_t> symbols,
                          AnsCodes* codes, std::array<std::uint32_t, kAnsStates>& states);

}  // namespace numpact

#endif
