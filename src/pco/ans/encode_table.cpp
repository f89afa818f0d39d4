// SPDX-License-Identifier: Apache-2.0
#include "pco/ans/encode_table.hpp"

#include <algorithm>
#include <bit>

#include "pco/ans/spread.hpp"

namespace numpact {

AnsEncodeTable AnsEncodeTable::make(const Binning& binning, Arena& arena) {
  AnsEncodeTable table;
  table.size_log = binning.ans_size_log;
  const std::size_t size = std::size_t{1} << binning.ans_size_log;
  const std::size_t symbols_n = binning.bins.size();
  const auto weight_of = [&](std::size_t symbol) { return binning.bins[symbol].weight; };
  std::uint32_t most_weight = 0;
  for (const Bin& bin : binning.bins) most_weight = std::max(most_weight, bin.weight);
  const std::span<std::uint32_t> biases = arena.make<std::uint32_t>(symbols_n);
  const std::span<const std::uint16_t*> nexts = arena.make<const std::uint16_t*>(symbols_n);
  // y >> bits is at least the symbol's weight: as many places lie before the first one's.
  const std::span<std::uint16_t> next = arena.make<std::uint16_t>(most_weight + size);
  const ArenaScope scratch(arena);
  const std::span<std::uint16_t> symbols = arena.make<std::uint16_t>(size);
  spread_symbols(symbols_n, weight_of, symbols);
  const std::span<std::uint32_t> fill = arena.make<std::uint32_t>(symbols_n);
  std::uint32_t first = most_weight;
  for (std::size_t symbol = 0; symbol < symbols_n; ++symbol) {
    const std::uint32_t weight = weight_of(symbol);
    // y >> bits must fall into [weight, 2 * weight): `most` bits if y >= weight << most, else one
    // less. The sum with the bias carries into bit 16 and up accordingly.
    const unsigned most = table.size_log + 1 - static_cast<unsigned>(std::bit_width(weight));
    biases[symbol] = (binning.bins[symbol].offset_bits << 24) + (most << 16) - (weight << most);
    nexts[symbol] = next.data() + (first - weight);
    fill[symbol] = first;
    first += weight;
  }
  for (std::size_t state = 0; state < size; ++state) {
    next[fill[symbols[state]]++] = static_cast<std::uint16_t>(size + state);
  }
  table.bits_biases = biases;
  table.nexts = nexts;
  return table;
}

}  // namespace numpact
