// SPDX-License-Identifier: Apache-2.0
#include "pco/latent/latent_tables.hpp"

#include <algorithm>
#include <bit>

#include "pco/ans/spread.hpp"
#include "pco/latent/latent_decoder.hpp"

namespace numpact {
namespace {

// Sets is_summed to whether the layout has room for sums.
InfoLayout choose_layout(std::size_t bin_n, unsigned max_offset_bits, bool likes_byte_symbols,
                         bool& is_summed) {
  is_summed = true;
  if (likes_byte_symbols && bin_n <= std::size_t{1} << (32 - kByteInfo.symbol_shift)) {
    return kByteInfo;
  }
  for (const std::size_t summed_n : {kBatchN, std::size_t{16}}) {
    // At least so large that the sum over sixteen latents of up to 31 bits is known.
    const unsigned sum_bits =
        std::max(9U, static_cast<unsigned>(std::bit_width(summed_n * max_offset_bits)));
    const InfoLayout layout{kInfoOffsetShift + sum_bits, summed_n == kBatchN};
    if (bin_n <= std::size_t{1} << (32 - layout.symbol_shift)) return layout;
  }
  is_summed = false;
  return kPlainInfo;
}

std::span<const AnsNode> make_nodes(const Binning& binning, const InfoLayout& layout,
                                    Arena& arena) {
  const unsigned size_log = binning.ans_size_log;
  const std::size_t size = std::size_t{1} << size_log;
  const std::span<AnsNode> nodes = arena.make<AnsNode>(size);
  const ArenaScope scratch(arena);
  const std::span<std::uint16_t> symbols = arena.make<std::uint16_t>(size);
  spread_symbols(
      binning.bins.size(), [&](std::size_t symbol) { return binning.bins[symbol].weight; },
      symbols);
  struct Next {
    std::uint32_t state;
    std::uint32_t info;  // all but the code bits
  };
  const std::span<Next> next = arena.make<Next>(binning.bins.size());
  for (std::size_t symbol = 0; symbol < next.size(); ++symbol) {
    const Bin& bin = binning.bins[symbol];
    next[symbol] = {bin.weight, static_cast<std::uint32_t>(symbol) << layout.symbol_shift |
                                    bin.offset_bits << kInfoOffsetShift};
  }
  for (std::size_t state = 0; state < size; ++state) {
    Next& at = next[symbols[state]];
    const std::uint32_t x = at.state++;
    const unsigned code_bits = size_log + 1 - static_cast<unsigned>(std::bit_width(x));
    nodes[state] = {at.info | code_bits, (x << code_bits) - static_cast<std::uint32_t>(size)};
  }
  return nodes;
}

// A share of 70 / 71: where sixteen latents in a row need bits more often, the branches that are
// not foreseen cost more than the steps that are saved.
bool has_dominant(const Binning& binning, std::size_t symbol) {
  constexpr std::uint64_t kOf = 71;
  const Bin& bin = binning.bins[symbol];
  return binning.ans_size_log >= 5 && bin.offset_bits == 0 &&
         kOf * bin.weight >= (kOf - 1) << binning.ans_size_log;
}

AnsJumps make_jumps(const Binning& binning, std::span<const AnsNode> nodes,
                    const InfoLayout& layout, Arena& arena) {
  AnsJumps jumps;
  const auto heaviest =
      std::max_element(binning.bins.begin(), binning.bins.end(),
                       [](const Bin& a, const Bin& b) { return a.weight < b.weight; });
  const auto symbol = static_cast<std::uint32_t>(heaviest - binning.bins.begin());
  if (!has_dominant(binning, symbol)) return jumps;
  jumps.info = symbol << layout.symbol_shift | heaviest->offset_bits << kInfoOffsetShift;
  const std::span<std::uint32_t> targets = arena.make<std::uint32_t>(nodes.size());
  jumps.targets = targets.data();
  const auto step = [&](std::uint32_t state) {
    return state != AnsJumps::kNoJump && nodes[state].info == jumps.info ? nodes[state].base
                                                                         : AnsJumps::kNoJump;
  };
  for (std::uint32_t state = 0; state < targets.size(); ++state) {
    std::uint32_t target = state;
    for (unsigned i = 0; i < AnsJumps::kSteps; ++i) target = step(target);
    targets[state] = target;
  }
  return jumps;
}

}  // namespace

template <Latent L>
LatentTables<L> LatentTables<L>::make(const Binning& binning, L bias, Arena& arena) {
  LatentTables<L> tables;
  tables.bin_n = static_cast<unsigned>(binning.bins.size());
  tables.kernels = &latent_kernels<L>();
  const std::span<Lower<L>> lowers =
      arena.make<Lower<L>>(std::max<std::size_t>(kMinLowers, binning.bins.size()));
  std::fill(lowers.begin(), lowers.end(), bias);
  for (std::size_t symbol = 0; symbol < binning.bins.size(); ++symbol) {
    const Bin& bin = binning.bins[symbol];
    lowers[symbol] = static_cast<L>(static_cast<L>(bin.lower) + bias);
    tables.max_offset_bits = std::max(tables.max_offset_bits, bin.offset_bits);
  }
  tables.lowers = lowers;
  if (tables.is_coded()) {
    tables.layout = choose_layout(tables.bin_n, tables.max_offset_bits,
                                  tables.kernels->likes_byte_symbols, tables.is_summed);
    tables.ans_size_log = binning.ans_size_log;
    tables.nodes = make_nodes(binning, tables.layout, arena);
    if (tables.is_summed) tables.jumps = make_jumps(binning, tables.nodes, tables.layout, arena);
  }
  return tables;
}

template struct LatentTables<std::uint8_t>;
template struct LatentTables<std::uint16_t>;
template struct LatentTables<std::uint32_t>;
template struct LatentTables<std::uint64_t>;

}  // namespace numpact
