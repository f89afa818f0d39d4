// SPDX-License-Identifier: Apache-2.0
#include "pco/latent/latent_decoder.hpp"

#include <algorithm>
#include <bit>

#include "pco/ans/spread.hpp"

namespace numpact {
namespace {

std::span<const AnsNode> make_nodes(const Binning& binning, Arena& arena) {
  const unsigned size_log = binning.ans_size_log;
  const std::size_t size = std::size_t{1} << size_log;
  const std::span<AnsNode> nodes = arena.make<AnsNode>(size);
  const ArenaScope scratch(arena);
  const std::span<std::uint16_t> symbols = arena.make<std::uint16_t>(size);
  spread_symbols(
      binning.bins.size(), [&](std::size_t symbol) { return binning.bins[symbol].weight; },
      symbols);
  const std::span<std::uint32_t> next = arena.make<std::uint32_t>(binning.bins.size());
  for (std::size_t symbol = 0; symbol < next.size(); ++symbol) {
    next[symbol] = binning.bins[symbol].weight;
  }
  for (std::size_t state = 0; state < size; ++state) {
    const std::uint32_t symbol = symbols[state];
    const std::uint32_t x = next[symbol]++;
    const unsigned code_bits = size_log + 1 - static_cast<unsigned>(std::bit_width(x));
    const std::uint64_t base = (std::uint64_t{x} << code_bits) - size;
    nodes[state] = base << 32 | std::uint64_t{symbol} << 16 |
                   std::uint64_t{binning.bins[symbol].offset_bits} << 8 | code_bits;
  }
  return nodes;
}

}  // namespace

template <Latent L>
LatentTables<L> LatentTables<L>::make(const Binning& binning, Arena& arena) {
  LatentTables<L> tables;
  tables.bin_n = static_cast<unsigned>(binning.bins.size());
  const std::span<L> lowers = arena.make<L>(binning.bins.size());
  for (std::size_t symbol = 0; symbol < lowers.size(); ++symbol) {
    lowers[symbol] = static_cast<L>(binning.bins[symbol].lower);
    tables.max_offset_bits = std::max(tables.max_offset_bits, binning.bins[symbol].offset_bits);
  }
  tables.lowers = lowers;
  if (binning.bins.size() > 1) {
    tables.ans_size_log = binning.ans_size_log;
    tables.nodes = make_nodes(binning, arena);
  }
  return tables;
}

template struct LatentTables<std::uint8_t>;
template struct LatentTables<std::uint16_t>;
template struct LatentTables<std::uint32_t>;
template struct LatentTables<std::uint64_t>;

}  // namespace numpact
