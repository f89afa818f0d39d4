// SPDX-License-Identifier: Apache-2.0
#include "api/stored_latents.hpp"

#include <algorithm>
#include <bit>

#include "base/internal.hpp"
#include "bits/bit_reader.hpp"
#include "pco/ans/spread.hpp"
#include "pco/limits.hpp"

namespace numpact {
namespace {

// A state of a tANS table (docs/format/pco.md, "tANS").
struct Step {
  std::uint16_t symbol;
  std::uint16_t bits;
  std::uint32_t base;  // of the next state
};

std::span<const Step> make_steps(const Binning& binning, Arena& arena) {
  const std::size_t size = std::size_t{1} << binning.ans_size_log;
  const std::span<Step> steps = arena.make<Step>(size);
  const std::span<std::uint16_t> symbols = arena.make<std::uint16_t>(size);
  const std::span<std::uint32_t> next = arena.make<std::uint32_t>(binning.bins.size());
  const auto weight = [&](std::size_t symbol) { return binning.bins[symbol].weight; };
  spread_symbols(binning.bins.size(), weight, symbols);
  for (std::size_t symbol = 0; symbol < next.size(); ++symbol) next[symbol] = weight(symbol);
  for (std::size_t state = 0; state < size; ++state) {
    const std::uint32_t x = next[symbols[state]]++;
    const unsigned bits = binning.ans_size_log + 1 - static_cast<unsigned>(std::bit_width(x));
    steps[state] = {symbols[state], static_cast<std::uint16_t>(bits),
                    (x << bits) - static_cast<std::uint32_t>(size)};
  }
  return steps;
}

struct Variable {
  const Binning* binning = nullptr;
  std::span<const Step> steps;  // empty with fewer than two bins
  std::array<std::uint32_t, kAnsStates> states{};
  LatentArray latents;
  std::size_t done = 0;
};

void read_head(BitReader& reader, const ChunkMeta& meta, std::size_t index, Variable& variable) {
  for (std::size_t i = 0; i < meta.state_n(index); ++i) reader.read(variable.binning->latent_bits);
  for (std::uint32_t& state : variable.states) {
    state = reader.read_small(variable.binning->ans_size_log);
  }
}

void read_batch(BitReader& reader, Variable& variable) {
  const std::span<const Bin> bins = variable.binning->bins;
  const std::size_t n = std::min(kBatchN, variable.latents.n - variable.done);
  std::array<std::uint16_t, kBatchN> symbols{};
  if (!variable.steps.empty()) {
    for (std::size_t i = 0; i < n; ++i) {
      std::uint32_t& state = variable.states[i % kAnsStates];
      const Step& step = variable.steps[state];
      symbols[i] = step.symbol;
      state = step.base + reader.read_small(step.bits);
    }
  }
  variable.latents.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    for (std::size_t i = 0; i < n; ++i) {
      // A page contained in its delta state may have no bins.
      const Bin bin = bins.empty() ? Bin{} : bins[symbols[i]];
      latents[variable.done + i] = static_cast<L>(bin.lower + reader.read(bin.offset_bits));
    }
  });
  variable.done += n;
}

}  // namespace

std::array<LatentArray, kVariables> stored_latents(std::span<const std::byte> page,
                                                   const ChunkMeta& meta, std::size_t n,
                                                   Arena& arena) {
  std::array<Variable, kVariables> variables;
  BitReader reader(page);
  for (std::size_t index = 0; index < kVariables; ++index) {
    if (!meta.has(index)) continue;
    Variable& variable = variables[index];
    variable.binning = &meta.variables[index];
    if (variable.binning->bins.size() > 1) variable.steps = make_steps(*variable.binning, arena);
    variable.latents = visit_latent(variable.binning->latent_bits, [&](auto width) {
      return LatentArray(arena.make<decltype(width)>(meta.stored_n(index, n)));
    });
    read_head(reader, meta, index, variable);
  }
  // The padding is known to be zero.
  const std::size_t head = reader.byte_position();
  reader = BitReader(page, 8 * std::uint64_t{head});
  for (std::size_t begin = 0; begin < n; begin += kBatchN) {
    for (Variable& variable : variables) {
      if (variable.done < variable.latents.n) read_batch(reader, variable);
    }
  }
  std::array<LatentArray, kVariables> latents;
  for (std::size_t index = 0; index < kVariables; ++index)
    latents[index] = variables[index].latents;
  return latents;
}

}  // namespace numpact
