// SPDX-License-Identifier: Apache-2.0
// Encoding of one latent variable: latents to bins, then codes and offsets to bits.
#pragma once

#include <span>

#include "base/arena.hpp"
#include "bits/bit_writer.hpp"
#include "number/latent.hpp"
#include "pco/ans/bin.hpp"
#include "pco/ans/encode_table.hpp"
#include "pco/stats/histogram.hpp"

namespace numpact::internal {

// Sets symbols[i] to the bin of latents[i]. The bins are in ascending order of lower ends, which
// must not be above their latents.
template <Latent L>
void find_symbols(const Binning& binning, std::span<const L> latents, std::uint16_t* symbols,
                  Arena& arena);

// The same for latents whose interval indices are known from building the histogram that the bins
// were merged from. intervals.by_latent becomes the symbols.
template <Latent L>
void find_symbols(const Binning& binning, std::span<const L> latents,
                  const IntervalIndices<L>& intervals, Arena& arena);

// Lower end and offset width of a bin, in the layout of the packing kernels.
template <Latent L>
struct OffsetBin {
  L lower;
  L bits;
};

// The bins of one variable for packing, as OffsetBin<L>. L is the type that holds the latents.
struct OffsetTable {
  const void* bins = nullptr;
  std::size_t bin_n = 0;
  unsigned max_bits = 0;
  // The symbol of a bin with more than half of the weight and no offsets; kNoSymbol if none.
  std::uint32_t majority_symbol = kNoSymbol;

  static constexpr std::uint32_t kNoSymbol = ~std::uint32_t{0};

  template <Latent L>
  const OffsetBin<L>* as() const {
    return static_cast<const OffsetBin<L>*>(bins);
  }
  // For latents that are held as differences to `base` in a type of kept_bits bits.
  static OffsetTable make(const Binning& binning, unsigned kept_bits, std::uint64_t base,
                          Arena& arena);
};

// Writes a batch of at most kBatchN latents: all codes, then all offsets. `codes`, of
// ans_codes_n(latents.size()) words, is null if the variable has no tANS table.
template <Latent L>
void write_batch(const OffsetTable& table, std::span<const L> latents, const std::uint16_t* symbols,
                 const AnsCodes* codes, BitWriter& writer);

}  // namespace numpact::internal
