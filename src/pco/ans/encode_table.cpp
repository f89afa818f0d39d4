// SPDX-License-Identifier: Apache-2.0
#include "pco/ans/encode_table.hpp"

#include <bit>

#include "pco/ans/spread.hpp"

namespace numpact {

AnsEncodeTable AnsEncodeTable::make(const Binning& binning, Arena& arena) {
  AnsEncodeTable table;
  table.size_log = binning.ans_size_log;
  const std::size_t size = std::size_t{1} << binning.ans_size_log;
  const std::span<AnsSymbolStep> steps = arena.make<AnsSymbolStep>(binning.bins.size());
  const std::span<std::uint16_t> next = arena.make<std::uint16_t>(size);
  const ArenaScope scratch(arena);
  const std::span<std::uint16_t> symbols = arena.make<std::uint16_t>(size);
  spread_symbols(
      binning.bins.size(), [&](std::size_t symbol) { return binning.bins[symbol].weight; },
      symbols);
  const std::span<std::uint32_t> fill = arena.make<std::uint32_t>(binning.bins.size());
  std::uint32_t first = 0;
  for (std::size_t symbol = 0; symbol < steps.size(); ++symbol) {
    const std::uint32_t weight = binning.bins[symbol].weight;
    // y >> bits must fall into [weight, 2 * weight): `most` bits if y >= weight << most, else one
    // less. The sum with the bias carries into bit 16 and up accordingly.
    const unsigned most = table.size_log + 1 - static_cast<unsigned>(std::bit_width(weight));
    steps[symbol].bits_bias =
        (binning.bins[symbol].offset_bits << 24) + (most << 16) - (weight << most);
    steps[symbol].next_base = first - weight;
    fill[symbol] = first;
    first += weight;
  }
  for (std::size_t state = 0; state < size; ++state) {
    next[fill[symbols[state]]++] = static_cast<std::uint16_t>(size + state);
  }
  table.steps = steps;
  table.next = next;
  return table;
}

}  // namespace numpact
