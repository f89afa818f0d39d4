// SPDX-License-Identifier: Apache-2.0
#include "pco/latent/latent_encoder.hpp"

#include <algorithm>
#include <bit>

namespace numpact {
namespace {

// Narrow ranges are looked up value by value, if there are enough latents to pay for the table.
constexpr std::uint64_t kMaxLookupRange = std::uint64_t{1} << 15;

template <Latent L>
void look_up(const Binning& binning, std::span<const L> latents, std::size_t range, L lower,
             std::uint16_t* symbols, Arena& arena) {
  const ArenaScope scratch(arena);
  const std::span<std::uint16_t> table = arena.make<std::uint16_t>(range);
  for (std::size_t symbol = 0; symbol < binning.bins.size(); ++symbol) {
    const std::size_t begin = static_cast<std::size_t>(binning.bins[symbol].lower) - lower;
    const std::size_t end = symbol + 1 < binning.bins.size()
                                ? static_cast<std::size_t>(binning.bins[symbol + 1].lower) - lower
                                : range;
    std::fill(table.begin() + static_cast<std::ptrdiff_t>(begin),
              table.begin() + static_cast<std::ptrdiff_t>(end), static_cast<std::uint16_t>(symbol));
  }
  for (std::size_t i = 0; i < latents.size(); ++i) {
    symbols[i] = table[static_cast<L>(latents[i] - lower)];
  }
}

// Branch-free binary search; eight searches side by side hide each other's latency.
template <Latent L>
void search(const L* __restrict lowers, std::size_t padded_n, std::span<const L> latents,
            std::uint16_t* __restrict symbols) {
  constexpr std::size_t kLanes = 8;
  const std::size_t n = latents.size();
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    std::uint32_t at[kLanes] = {};
    for (std::size_t half = padded_n / 2; half > 0; half /= 2) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::uint32_t probe = at[lane] + static_cast<std::uint32_t>(half);
        at[lane] = lowers[probe] <= latents[i + lane] ? probe : at[lane];
      }
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      symbols[i + lane] = static_cast<std::uint16_t>(at[lane]);
    }
  }
  for (; i < n; ++i) {
    std::uint32_t at = 0;
    for (std::size_t half = padded_n / 2; half > 0; half /= 2) {
      const std::uint32_t probe = at + static_cast<std::uint32_t>(half);
      at = lowers[probe] <= latents[i] ? probe : at;
    }
    symbols[i] = static_cast<std::uint16_t>(at);
  }
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
  const Bin& last = binning.bins.back();
  const std::uint64_t lower = binning.bins.front().lower;
  const std::uint64_t spread = last.lower - lower;
  if (spread < kMaxLookupRange && last.offset_bits < 16) {
    const std::uint64_t range = spread + (std::uint64_t{1} << last.offset_bits);
    if (range <= kMaxLookupRange && range <= latents.size()) {
      look_up(binning, latents, static_cast<std::size_t>(range), static_cast<L>(lower), symbols,
              arena);
      return;
    }
  }
  const ArenaScope scratch(arena);
  const std::size_t padded_n = std::bit_ceil(bin_n);
  const std::span<L> lowers = arena.make<L>(padded_n);
  for (std::size_t symbol = 0; symbol < bin_n; ++symbol) {
    lowers[symbol] = static_cast<L>(binning.bins[symbol].lower);
  }
  // Behind the last bin the search must never go right: it is made to stop at the last symbol.
  std::fill(lowers.begin() + static_cast<std::ptrdiff_t>(bin_n), lowers.end(),
            static_cast<L>(~L{0}));
  search(lowers.data(), padded_n, latents, symbols);
  // Only a latent of all ones can have passed the padding.
  for (std::size_t i = 0; i < latents.size(); ++i) {
    if (symbols[i] >= bin_n) symbols[i] = static_cast<std::uint16_t>(bin_n - 1);
  }
}

std::uint64_t offset_bits_of(const Binning& binning, std::span<const std::uint16_t> symbols) {
  if (binning.bins.size() == 1) return symbols.size() * std::uint64_t{binning.bins[0].offset_bits};
  std::uint64_t bits = 0;
  for (const std::uint16_t symbol : symbols) bits += binning.bins[symbol].offset_bits;
  return bits;
}

template <Latent L>
void write_batch(const Binning& binning, std::span<const L> latents, const std::uint16_t* symbols,
                 const AnsCode* codes, BitWriter& out) {
  // A copy whose address nobody knows stays in registers; stores of bytes could alias `out`.
  BitWriter writer = out;
  const Bin* const bins = binning.bins.data();
  if (codes != nullptr) {
    for (std::size_t i = 0; i < latents.size(); ++i) {
      writer.write(codes[i] & 0xffff, codes[i] >> 16);
    }
  }
  for (std::size_t i = 0; i < latents.size(); ++i) {
    const Bin& bin = bins[symbols[i]];
    writer.write(latents[i] - bin.lower, bin.offset_bits);
  }
  out = writer;
}

#define NUMPACT_INSTANTIATE(L)                                                            \
  template void find_symbols(const Binning&, std::span<const L>, std::uint16_t*, Arena&); \
  template void write_batch(const Binning&, std::span<const L>, const std::uint16_t*,     \
                            const AnsCode*, BitWriter&);
NUMPACT_INSTANTIATE(std::uint8_t)
NUMPACT_INSTANTIATE(std::uint16_t)
NUMPACT_INSTANTIATE(std::uint32_t)
NUMPACT_INSTANTIATE(std::uint64_t)
#undef NUMPACT_INSTANTIATE

}  // namespace numpact
