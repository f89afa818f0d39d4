// SPDX-License-Identifier: Apache-2.0
// Builds the tANS table, the lower ends and the jumps of a latent variable.
#include "pco/latent/latent_tables.hpp"

#include <algorithm>
#include <bit>

#include "pco/ans/spread.hpp"
#include "pco/latent/latent_decoder.hpp"

namespace numpact::internal {
namespace {

// Chooses the layout of entries. Sets is_summed to whether sums of offset bits fit into it.
EntryLayout choose_layout(std::size_t bin_n, unsigned max_offset_bits, bool prefers_byte_symbols,
                          bool& is_summed) {
  is_summed = true;
  if (prefers_byte_symbols && bin_n <= std::size_t{1} << (32 - kByteLayout.symbol_shift)) {
    return kByteLayout;
  }
  for (const std::size_t summed_n : {kBatchN, std::size_t{16}}) {
    // At least 9 bits, so that sums over sixteen latents of up to 31 bits fit.
    const unsigned sum_bits =
        std::max(9U, static_cast<unsigned>(std::bit_width(summed_n * max_offset_bits)));
    const EntryLayout layout{kEntryOffsetShift + sum_bits, summed_n == kBatchN};
    if (bin_n <= std::size_t{1} << (32 - layout.symbol_shift)) return layout;
  }
  is_summed = false;
  return kPlainLayout;
}

std::span<const AnsNode> make_nodes(const Binning& binning, const EntryLayout& layout,
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
    std::uint32_t entry;  // without the code bits
  };
  const std::span<Next> next = arena.make<Next>(binning.bins.size());
  for (std::size_t symbol = 0; symbol < next.size(); ++symbol) {
    const Bin& bin = binning.bins[symbol];
    next[symbol] = {bin.weight, static_cast<std::uint32_t>(symbol) << layout.symbol_shift |
                                    bin.offset_bits << kEntryOffsetShift};
  }
  for (std::size_t state = 0; state < size; ++state) {
    Next& at = next[symbols[state]];
    const std::uint32_t x = at.state++;
    const unsigned code_bits = size_log + 1 - static_cast<unsigned>(std::bit_width(x));
    nodes[state] = {at.entry | code_bits, (x << code_bits) - static_cast<std::uint32_t>(size)};
  }
  return nodes;
}

// Whether the symbol is frequent enough for jumps: at least 70 / 71 of the weight, with no offsets.
// With a smaller share, sixteen latents in a row need bits so often that the mispredicted branches
// cost more than the saved steps.
bool has_dominant(const Binning& binning, std::size_t symbol) {
  constexpr std::uint64_t kShareDenominator = 71;
  const Bin& bin = binning.bins[symbol];
  return binning.ans_size_log >= 5 && bin.offset_bits == 0 &&
         kShareDenominator * bin.weight >= (kShareDenominator - 1) << binning.ans_size_log;
}

AnsJumps make_jumps(const Binning& binning, std::span<const AnsNode> nodes,
                    const EntryLayout& layout, Arena& arena) {
  AnsJumps jumps;
  const auto heaviest =
      std::max_element(binning.bins.begin(), binning.bins.end(),
                       [](const Bin& a, const Bin& b) { return a.weight < b.weight; });
  const auto symbol = static_cast<std::uint32_t>(heaviest - binning.bins.begin());
  if (!has_dominant(binning, symbol)) return jumps;
  jumps.entry = symbol << layout.symbol_shift | heaviest->offset_bits << kEntryOffsetShift;
  const std::span<std::uint32_t> targets = arena.make<std::uint32_t>(nodes.size());
  jumps.targets = targets.data();
  const auto step = [&](std::uint32_t state) {
    return state != AnsJumps::kNoJump && nodes[state].entry == jumps.entry ? nodes[state].base
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
      arena.make<Lower<L>>(std::max<std::size_t>(kMinLowersN, binning.bins.size()));
  std::fill(lowers.begin(), lowers.end(), bias);
  for (std::size_t symbol = 0; symbol < binning.bins.size(); ++symbol) {
    const Bin& bin = binning.bins[symbol];
    lowers[symbol] = static_cast<L>(static_cast<L>(bin.lower) + bias);
    tables.max_offset_bits = std::max(tables.max_offset_bits, bin.offset_bits);
  }
  tables.lowers = lowers;
  if (tables.is_coded()) {
    tables.layout = choose_layout(tables.bin_n, tables.max_offset_bits,
                                  tables.kernels->prefers_byte_symbols, tables.is_summed);
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

}  // namespace numpact::internal
