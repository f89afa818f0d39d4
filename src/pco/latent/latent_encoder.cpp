// SPDX-License-Identifier: Apache-2.0
// Looks up or searches the bins of latents, and writes batches.
#include "pco/latent/latent_encoder.hpp"

#include <algorithm>

#include "pco/latent/pack_kernel.hpp"
#include "pco/latent/symbols_kernel.hpp"
#include "pco/stats/intervals.hpp"
#include "pco/stats/unmatched.hpp"

namespace numpact::internal {
namespace {

// Largest range of latents whose bins are looked up in a table with an entry per value. The table
// takes 2 bytes per value.
constexpr std::uint64_t kMaxLookupRange = std::uint64_t{1} << 16;
// Largest range per latent for such a table: filling it must pay off.
constexpr std::uint64_t kMaxRangePerLatent = 4;

template <Latent L>
void look_up(const Binning& binning, std::span<const L> latents, std::size_t range, L lower,
             std::uint16_t* symbols, Arena& arena) {
  const ArenaScope scratch(arena);
  const std::span<std::uint16_t> table = arena.make<std::uint16_t>(range);
  for (std::size_t symbol = 0; symbol < binning.bins.size(); ++symbol) {
    const auto begin = static_cast<std::size_t>(binning.bins[symbol].lower - lower);
    const auto end = symbol + 1 < binning.bins.size()
                         ? static_cast<std::size_t>(binning.bins[symbol + 1].lower - lower)
                         : range;
    std::fill(table.begin() + static_cast<std::ptrdiff_t>(begin),
              table.begin() + static_cast<std::ptrdiff_t>(end), static_cast<std::uint16_t>(symbol));
  }
  for (std::size_t i = 0; i < latents.size(); ++i) {
    symbols[i] = table[static_cast<std::size_t>(static_cast<L>(latents[i] - lower))];
  }
}

ByteSymbols byte_symbols(std::span<const Bin> bins) {
  ByteSymbols table{};  // values below the first bin belong to it
  for (std::size_t symbol = 1; symbol < bins.size(); ++symbol) {
    std::fill(table.begin() + static_cast<std::ptrdiff_t>(bins[symbol].lower), table.end(),
              static_cast<std::uint8_t>(symbol));
  }
  return table;
}

}  // namespace

template <Latent L>
void find_symbols(const Binning& binning, std::span<const L> latents, std::uint16_t* symbols,
                  Arena& arena) {
  const std::size_t bin_n = binning.bins.size();
  if (bin_n <= 1) {
    std::fill_n(symbols, latents.size(), std::uint16_t{0});
    return;
  }
  if constexpr (sizeof(L) == 1) return look_up_bytes(byte_symbols(binning.bins), latents, symbols);
  const Bin& last = binning.bins.back();
  const std::uint64_t lower = binning.bins.front().lower;
  const std::uint64_t spread = last.lower - lower;
  if (spread < kMaxLookupRange && last.offset_bits <= 16) {
    const std::uint64_t max_spread = std::uint64_t{static_cast<L>(~L{0})} - lower;
    const std::uint64_t range =
        std::min(spread + (std::uint64_t{1} << last.offset_bits) - 1, max_spread) + 1;
    if (range <= kMaxLookupRange && range <= kMaxRangePerLatent * latents.size()) {
      look_up(binning, latents, static_cast<std::size_t>(range), static_cast<L>(lower), symbols,
              arena);
      return;
    }
  }
  const ArenaScope scratch(arena);
  const auto lower_end = [&](std::size_t symbol) {
    return static_cast<L>(binning.bins[symbol].lower);
  };
  find_intervals(IntervalTree<L>::make(bin_n, lower_end, arena), latents, symbols);
}

template <Latent L>
void find_symbols(const Binning& binning, std::span<const L> latents,
                  const IntervalIndices<L>& intervals, Arena& arena) {
  const ArenaScope scratch(arena);
  const std::size_t bin_n = binning.bins.size();
  // Indexed by the interval index and kUnmatched; most entries stay unused.
  const std::span<std::uint16_t> table = arena.make<std::uint16_t>(std::size_t{kUnmatched} + 1);
  std::size_t symbol = 0;
  for (std::size_t i = 0; i < intervals.ends.size(); ++i) {
    while (symbol + 1 < bin_n && binning.bins[symbol + 1].lower <= intervals.ends[i]) ++symbol;
    table[i] = static_cast<std::uint16_t>(symbol);
  }
  if (intervals.unmatched_n == 0) {
    for (std::uint16_t& index : intervals.by_latent) index = table[index];
    return;
  }
  if constexpr (sizeof(L) >= 4) {
    table[kUnmatched] = 0;
    const auto lower_end = [&](std::size_t i) { return static_cast<L>(binning.bins[i].lower); };
    const auto tree = IntervalTree<L>::make(bin_n, lower_end, arena);
    L unmatched[kTakeBlockN + kTakeSlackBytes / sizeof(L)];
    std::uint16_t found[kTakeBlockN + kTakeSlackBytes];
    TakenBits bits;
    for (std::size_t at = 0; at < latents.size(); at += kTakeBlockN) {
      const std::span<const L> block =
          latents.subspan(at, std::min(kTakeBlockN, latents.size() - at));
      const std::span<std::uint16_t> block_indices = intervals.by_latent.subspan(at, block.size());
      const std::size_t unmatched_n = take_unmatched(block, block_indices.data(), bits, unmatched);
      find_intervals(tree, std::span<const L>(unmatched, unmatched_n), found);
      std::fill_n(found + unmatched_n, kTakeSlackBytes / sizeof(found[0]), std::uint16_t{0});
      for (std::uint16_t& index : block_indices) index = table[index];
      set_taken_symbols(bits, found, block_indices);
    }
  }
}

OffsetTable OffsetTable::make(const Binning& binning, unsigned kept_bits, std::uint64_t base,
                              Arena& arena) {
  OffsetTable table;
  table.bin_n = binning.bins.size();
  visit_latent(kept_bits, [&](auto width) {
    using L = decltype(width);
    const std::span<OffsetBin<L>> packed = arena.make<OffsetBin<L>>(table.bin_n);
    for (std::size_t i = 0; i < packed.size(); ++i) {
      const Bin& bin = binning.bins[i];
      packed[i] = {static_cast<L>(bin.lower - base), static_cast<L>(bin.offset_bits)};
      table.max_bits = std::max(table.max_bits, bin.offset_bits);
      const bool is_majority = 2 * bin.weight > std::uint32_t{1} << binning.ans_size_log;
      if (is_majority && bin.offset_bits == 0)
        table.majority_symbol = static_cast<std::uint32_t>(i);
    }
    table.bins = packed.data();
  });
  return table;
}

template <Latent L>
void write_batch(const OffsetTable& table, std::span<const L> latents, const std::uint16_t* symbols,
                 const AnsCodes* codes, BitWriter& writer) {
  constexpr std::size_t kStoreSlackBytes = 16;  // written behind the last bit
  std::byte memory[kBatchN * (kMaxAnsSizeLog + kBits<L>) / 8 + kStoreSlackBytes];
  const std::size_t max_bytes =
      latents.size() * (kMaxAnsSizeLog + table.max_bits) / 8 + kStoreSlackBytes;
  const bool in_place = writer.bytes_left() >= max_bytes;
  BitCursor cursor = in_place ? writer.lend() : writer.lend(memory);
  if (codes != nullptr) pack_codes(codes, ans_codes_n(latents.size()), cursor);
  if (table.max_bits > 0) {
    pack_offsets(table, latents.data(), symbols, latents.size(), cursor);
  }
  if (in_place) {
    writer.take_back(cursor);
  } else {
    writer.take_back(cursor, memory);
  }
}

#define NUMPACT_INSTANTIATE(L)                                                              \
  template void find_symbols(const Binning&, std::span<const L>, std::uint16_t*, Arena&);   \
  template void find_symbols(const Binning&, std::span<const L>, const IntervalIndices<L>&, \
                             Arena&);                                                       \
  template void write_batch(const OffsetTable&, std::span<const L>, const std::uint16_t*,   \
                            const AnsCodes*, BitWriter&);
NUMPACT_INSTANTIATE(std::uint8_t)
NUMPACT_INSTANTIATE(std::uint16_t)
NUMPACT_INSTANTIATE(std::uint32_t)
NUMPACT_INSTANTIATE(std::uint64_t)
#undef NUMPACT_INSTANTIATE

}  // namespace numpact::internal
