// SPDX-License-Identifier: Apache-2.0
// Builds the encoding table: per symbol the bias of its code width and its next states.
#include "pco/ans/encode_table.hpp"

#include <algorithm>
#include <bit>

#include "pco/ans/spread.hpp"

namespace numpact::internal {

AnsEncodeTable AnsEncodeTable::make(const Binning& binning, Arena& arena) {
  AnsEncodeTable table;
  table.size_log = binning.ans_size_log;
  const std::size_t size = std::size_t{1} << binning.ans_size_log;
  const std::size_t symbol_n = binning.bins.size();
  const auto weight_of = [&](std::size_t symbol) { return binning.bins[symbol].weight; };
  std::uint32_t max_weight = 0;
  for (const Bin& bin : binning.bins) max_weight = std::max(max_weight, bin.weight);
  const std::span<std::uint32_t> biases = arena.make<std::uint32_t>(symbol_n);
  const std::span<const std::uint16_t*> nexts = arena.make<const std::uint16_t*>(symbol_n);
  // nexts[symbol] is indexed by y >> bits, which is in [weight, 2 * weight). The entries of a
  // symbol start at next_states[first]; max_weight unused entries keep the pointers `first -
  // weight` inside the array.
  const std::span<std::uint16_t> next_states = arena.make<std::uint16_t>(max_weight + size);
  const ArenaScope scratch(arena);
  const std::span<std::uint16_t> symbols = arena.make<std::uint16_t>(size);
  spread_symbols(symbol_n, weight_of, symbols);
  const std::span<std::uint32_t> next_free = arena.make<std::uint32_t>(symbol_n);
  std::uint32_t first = max_weight;
  for (std::size_t symbol = 0; symbol < symbol_n; ++symbol) {
    const std::uint32_t weight = weight_of(symbol);
    // y >> bits must be in [weight, 2 * weight). That takes max_bits bits if y >= weight <<
    // max_bits, else one bit less. Adding the bias to y carries into bit 16 in the first case only.
    const unsigned max_bits = table.size_log + 1 - static_cast<unsigned>(std::bit_width(weight));
    biases[symbol] =
        (binning.bins[symbol].offset_bits << 24) + (max_bits << 16) - (weight << max_bits);
    nexts[symbol] = next_states.data() + (first - weight);
    next_free[symbol] = first;
    first += weight;
  }
  for (std::size_t state = 0; state < size; ++state) {
    next_states[next_free[symbols[state]]++] = static_cast<std::uint16_t>(size + state);
  }
  table.bits_biases = biases;
  table.nexts = nexts;
  return table;
}

}  // namespace numpact::internal
