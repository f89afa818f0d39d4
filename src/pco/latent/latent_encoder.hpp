// SPDX-License-Identifier: Apache-2.0
// Encoding one latent variable: latents to bins, then codes and offsets to bits.
#ifndef NUMPACT_PCO_LATENT_LATENT_ENCODER_HPP
#define NUMPACT_PCO_LATENT_LATENT_ENCODER_HPP

#include <span>

#include "base/arena.hpp"
#include "bits/bit_writer.hpp"
#include "number/latent.hpp"
#include "pco/ans/bin.hpp"
#include "pco/ans/encode_table.hpp"
#include "pco/stats/histogram.hpp"

namespace numpact {

// symbols[i] becomes the bin of latents[i]. The bins are in ascending order of lower ends, which
// must not lie above their latents.
template <Latent L>
void find_symbols(const Binning& binning, std::span<const L> latents, std::uint16_t* symbols,
                  Arena& arena);

// The same for latents whose places are told by the histogram that the bins were merged from.
// places.of become the symbols.
template <Latent L>
void find_symbols(const Binning& binning, std::span<const L> latents, const Places<L>& places,
                  Arena& arena);

// Where a bin's offsets count from and how wide they are, as packing wants them.
template <Latent L>
struct OffsetBin {
  L lower;
  L bits;
};

// The bins of one variable, for packing; L is the width that its latents are kept in.
struct OffsetTable {
  const void* bins = nullptr;
  std::size_t bin_n = 0;
  unsigned most_bits = 0;
  // The symbol of a bin that holds most latents and takes no offsets; kNoSymbol if there is none.
  std::uint32_t bare_symbol = kNoSymbol;

  static constexpr std::uint32_t kNoSymbol = ~std::uint32_t{0};

  template <Latent L>
  const OffsetBin<L>* as() const {
    return static_cast<const OffsetBin<L>*>(bins);
  }
  // For latents that are kept less `base` in kept_bits.
  static OffsetTable make(const Binning& binning, unsigned kept_bits, std::uint64_t base,
                          Arena& arena);
};

// One batch: all codes, then all offsets. `codes`, ans_codes_n(latents.size()) of them, is null
// where the variable has no table. At most kBatchN latents.
template <Latent L>
void write_batch(const OffsetTable& table, std::span<const L> latents, const std::uint16_t* symbols,
                 const AnsCodes* codes, BitWriter& writer);

}  // namespace numpact

#endif
