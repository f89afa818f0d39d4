// SPDX-License-Identifier: Apache-2.0
#include "pco/mode/split.hpp"

#include <algorithm>

#include "pco/mode/value_index.hpp"

namespace numpact::internal {
namespace {

template <Latent L>
SplitLatents split_by(const Dict& dict, std::span<L> ordered, Arena& arena) {
  const std::span<std::uint32_t> indices = arena.make<std::uint32_t>(ordered.size());
  const ArenaScope scratch(arena);
  ValueIndex<L> index(dict.count, arena);
  for (const L entry : dict.as<L>()) index.add(entry);
  index.find_all(ordered, indices.data());
  return {LatentArray(indices), LatentArray()};
}

template <class Member, Latent L>
SplitLatents split_by(const Member& mode, std::span<L> ordered, Arena& arena) {
  const std::size_t n = ordered.size();
  const std::span<L> primary = arena.make<L>(n);
  const std::span<L> secondary = arena.make<L>(n);
  // Modes of floats have no split for 8-bit latents, and are not requested for them.
  if constexpr (requires { mode.split(ordered.data(), n, primary.data(), secondary.data()); }) {
    mode.split(ordered.data(), n, primary.data(), secondary.data());
  }
  return {LatentArray(primary), LatentArray(secondary)};
}

}  // namespace

SplitLatents split(const AnyMode& mode, const LatentArray& ordered, Arena& arena) {
  if (std::holds_alternative<Classic>(mode)) return {ordered, LatentArray()};
  return ordered.visit([&](auto latents) {
    return std::visit([&](const auto& member) { return split_by(member, latents, arena); }, mode);
  });
}

bool make_dict(const LatentArray& ordered, std::size_t max_n, Arena& arena, Dict& dict) {
  if (ordered.n == 0) return false;
  return ordered.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    ValueIndex<L> index(std::min(max_n, ordered.n), arena);
    if (!index.add_all(latents, [](std::uint32_t, std::uint32_t) {})) return false;
    const std::span<L> entries = arena.make<L>(index.values().size());
    std::copy(index.values().begin(), index.values().end(), entries.begin());
    std::sort(entries.begin(), entries.end());
    dict = Dict{entries.data(), entries.size()};
    return true;
  });
}

}  // namespace numpact::internal
