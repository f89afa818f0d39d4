// SPDX-License-Identifier: Apache-2.0
#include "pco/mode/split.hpp"

#include <algorithm>

#include "pco/stats/histogram.hpp"
#include "pco/stats/sort.hpp"

namespace numpact {
namespace {

template <Latent L>
SplitLatents split_to_pair(const AnyMode& mode, std::span<const L> ordered, Arena& arena) {
  const std::size_t n = ordered.size();
  const std::span<L> primary = arena.make<L>(n);
  const std::span<L> secondary = arena.make<L>(n);
  if (const auto* mult = std::get_if<IntMult>(&mode)) {
    split_int_mult(static_cast<L>(mult->base), ordered.data(), n, primary.data(), secondary.data());
  }
  if constexpr (FloatLatent<L>) {
    if (const auto* mult = std::get_if<FloatMult>(&mode)) {
      split_float_mult(static_cast<L>(mult->base_bits), ordered.data(), n, primary.data(),
                       secondary.data());
    } else if (const auto* quant = std::get_if<FloatQuant>(&mode)) {
      split_float_quant(quant->k, ordered.data(), n, primary.data(), secondary.data());
    }
  }
  return {LatentArray(primary), LatentArray(secondary)};
}

template <Latent L>
SplitLatents split_to_indices(const Dict& dict, std::span<const L> ordered, Arena& arena) {
  const std::span<const L> entries = dict.as<L>();
  const std::span<std::uint32_t> indices = arena.make<std::uint32_t>(ordered.size());
  // A small cache in front of the binary search: columns that suit Dict repeat their values.
  constexpr std::size_t kSlots = 1024;
  std::uint32_t slots[kSlots] = {};
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    const L latent = ordered[i];
    const std::uint64_t hash = std::uint64_t{latent} * 0x9e3779b97f4a7c15u;
    std::uint32_t& slot = slots[hash >> 54];
    if (entries[slot] != latent) {
      slot = static_cast<std::uint32_t>(std::lower_bound(entries.begin(), entries.end(), latent) -
                                        entries.begin());
    }
    indices[i] = slot;
  }
  return {LatentArray(indices), LatentArray()};
}

}  // namespace

SplitLatents split(const AnyMode& mode, const LatentArray& ordered, Arena& arena) {
  if (std::holds_alternative<Classic>(mode)) return {ordered, LatentArray()};
  return ordered.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    if (const auto* dict = std::get_if<Dict>(&mode)) {
      return split_to_indices<L>(*dict, latents, arena);
    }
    return split_to_pair<L>(mode, latents, arena);
  });
}

bool make_dict(const LatentArray& ordered, std::size_t max_n, Arena& arena, Dict& dict) {
  if (ordered.n == 0) return false;
  return ordered.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    const std::span<L> entries = arena.make<L>(std::min(max_n, ordered.n));
    const ArenaScope scratch(arena);
    const Range<L> range = range_of(std::span<const L>(latents));
    const std::span<const L> sorted =
        sorted_copy(std::span<const L>(latents), range.lower, range.upper, arena);
    std::size_t count = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (i > 0 && sorted[i] == sorted[i - 1]) continue;
      if (count == entries.size()) return false;
      entries[count++] = sorted[i];
    }
    dict = Dict{entries.data(), count};
    return true;
  });
}

}  // namespace numpact
