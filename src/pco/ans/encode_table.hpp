// SPDX-License-Identifier: Apache-2.0
// tANS encoding of a page's symbols (docs/format/pco.md, "tANS").
#pragma once

#include <array>
#include <span>

#include "base/arena.hpp"
#include "pco/ans/bin.hpp"
#include "pco/limits.hpp"

namespace numpact::internal {

// The step of one symbol. In state s let y = size + s. Then
//   sum    = y + bits_biases[symbol]
//   bits   = (sum >> 16) & 0xff; the code is the low `bits` bits of y
//   next y = nexts[symbol][y >> bits]
// and sum >> 24 is the offset width of the symbol's bin, which callers add up. The two arrays are
// separate so that both can be indexed by the symbol with a scaled address.
struct AnsEncodeTable {
  unsigned size_log = 0;
  std::span<const std::uint32_t> bits_biases;   // by symbol
  std::span<const std::uint16_t* const> nexts;  // by symbol, into one table

  static AnsEncodeTable make(const Binning& binning, Arena& arena);
};

// The codes of a group of kAnsStates symbols; the last group of a page may be shorter. The low 56
// bits hold the codes as they are in the page, the upper 8 their total width in bits.
using AnsCodes = std::uint64_t;
inline constexpr unsigned kAnsCodesBits = 56;
static_assert(kAnsStates * kMaxAnsSizeLog <= kAnsCodesBits);

// The count of AnsCodes for n symbols.
constexpr std::size_t ans_codes_n(std::size_t n) { return (n + kAnsStates - 1) / kAnsStates; }

// Total bits of the symbols of a page.
struct SymbolBits {
  std::uint64_t codes = 0;
  std::uint64_t offsets = 0;
};

// Encodes the symbols of a page, from the last to the first. Stores ans_codes_n(symbols.size())
// words to `codes`, and to `states` the states that the page's head stores.
SymbolBits encode_symbols(const AnsEncodeTable& table, std::span<const std::uint16_t> symbols,
                          AnsCodes* codes, std::array<std::uint32_t, kAnsStates>& states);

}  // namespace numpact::internal
