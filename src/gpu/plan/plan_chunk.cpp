// SPDX-License-Identifier: Apache-2.0
#include "gpu/plan/plan_chunk.hpp"

#include "base/internal.hpp"
#include "base/try.hpp"
#include "pco/latent/latent_tables.hpp"

namespace numpact {
namespace {

// Bit positions of the fields of a node.
constexpr unsigned kNextShift = 4;
constexpr unsigned kBinShift = 18;
static_assert(kMaxAnsSizeLog < 1u << kNextShift);
static_assert(kNextShift + kMaxAnsSizeLog == kBinShift && kBinShift + kMaxAnsSizeLog == 32);

// Heads and scratch are aligned to 64-bit words.
constexpr std::uint64_t aligned(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

bool is_coded(const Binning& binning) { return binning.bins.size() > 1; }

std::size_t words_per_bin(const Binning& binning) { return binning.latent_bits == 64 ? 2 : 1; }

template <Latent L>
void plan_nodes(const Binning& binning, Arena& arena, DevicePlan& plan) {
  const ArenaScope scope(arena);
  const auto tables = LatentTables<L>::make(binning, 0, arena);
  for (const AnsNode& node : tables.nodes) {
    const std::uint32_t code_bits = node.entry & 0xff;
    const std::uint32_t bin = node.entry >> tables.layout.symbol_shift;
    plan.nodes.push_back(code_bits | node.base << kNextShift | bin << kBinShift);
  }
}

// A variable without bins gets an empty one: pages within the delta state may have latents of it,
// which take no bits (docs/format/pco.md, "Bins").
constexpr Bin kNoBin = {};
std::span<const Bin> bins_of(const Binning& binning) {
  return binning.bins.empty() ? std::span<const Bin>(&kNoBin, 1) : binning.bins;
}

template <Latent L>
void plan_bins(const Binning& binning, L bias, DevicePlan& plan) {
  for (const Bin& bin : bins_of(binning)) {
    const L lower = static_cast<L>(static_cast<L>(bin.lower) + bias);
    const std::uint64_t width = bin.offset_bits;
    if constexpr (sizeof(L) == 8) {
      plan.bins.push_back(lower);
      plan.bins.push_back(width);
    } else {
      plan.bins.push_back(lower | width << 32);
    }
  }
}

PlannedVariable plan_variable(const ChunkMeta& meta, std::size_t index, Arena& arena,
                              DevicePlan& plan) {
  const Binning& binning = meta.variables[index];
  PlannedVariable variable;
  if (!meta.has(index)) return variable;
  const bool is_delta_encoded = meta.is_delta_encoded(index);
  variable.nodes = plan.nodes.size();
  // Bins of two words are loaded at once, which requires alignment.
  if (plan.bins.size() % words_per_bin(binning) != 0) plan.bins.push_back(0);
  variable.bins = plan.bins.size();
  variable.state_n = static_cast<std::uint32_t>(meta.state_n(index));
  variable.skipped_n =
      index == kDeltaVariable ? static_cast<std::uint32_t>(state_n(meta.delta)) : variable.state_n;
  variable.bin_n = static_cast<std::uint32_t>(bins_of(binning).size());
  variable.latent_bits = binning.latent_bits;
  variable.ans_size_log = binning.ans_size_log;
  variable.is_delta_encoded = is_delta_encoded ? 1 : 0;
  visit_latent(binning.latent_bits, [&](auto latent) {
    using L = decltype(latent);
    if (is_coded(binning)) plan_nodes<L>(binning, arena, plan);
    plan_bins<L>(binning, is_delta_encoded ? kMid<L> : L{0}, plan);
  });
  return variable;
}

struct PlanMode {
  const ChunkMeta& meta;
  PlannedChunk& chunk;
  DevicePlan& plan;

  void operator()(const Classic&) const {}
  void operator()(const IntMult& mode) const { chunk.parameter = mode.base; }
  void operator()(const FloatMult& mode) const { chunk.parameter = mode.base_bits; }
  void operator()(const FloatQuant& mode) const { chunk.parameter = mode.k; }
  void operator()(const Dict& mode) const {
    chunk.entries = plan.entries.size();
    chunk.entry_n = mode.count;
    visit_latent(latent_bits(meta.type), [&](auto latent) {
      for (const auto entry : mode.as<decltype(latent)>()) plan.entries.push_back(entry);
    });
  }
};

struct PlanDelta {
  PlannedChunk& chunk;
  DevicePlan& plan;

  void operator()(const NoDelta&) const {}
  void operator()(const Consecutive& delta) const { chunk.order = delta.order; }
  void operator()(const Lookback& delta) const {
    chunk.window_n = static_cast<std::uint32_t>(delta.window_n());
  }
  void operator()(const Conv1& delta) const {
    chunk.order = delta.order;
    chunk.bias = delta.bias;
    chunk.quantization = delta.quantization;
    chunk.weights = plan.weights.size();
    plan.weights.insert(plan.weights.end(), delta.weights.begin(),
                        delta.weights.begin() + delta.order);
  }
};

}  // namespace

std::uint64_t planned_bytes(const ChunkMeta& meta) {
  std::uint64_t bytes = sizeof(PlannedChunk) + 4 * kMaxConv1Order;
  for (const Binning& binning : meta.variables) {
    if (is_coded(binning)) bytes += sizeof(std::uint32_t) << binning.ans_size_log;
    bytes += 8 * (words_per_bin(binning) * (bins_of(binning).size() + 1) - 1);
  }
  if (const auto* dict = std::get_if<Dict>(&meta.mode)) bytes += 8 * std::uint64_t{dict->count};
  return bytes;
}

void plan_chunk(const ChunkMeta& meta, Arena& arena, DevicePlan& plan) {
  PlannedChunk chunk;
  for (std::size_t i = 0; i < kVariables; ++i) {
    chunk.variables[i] = plan_variable(meta, i, arena, plan);
  }
  chunk.mode = family_tag(meta.mode);
  chunk.delta = family_tag(meta.delta);
  std::visit(PlanMode{meta, chunk, plan}, meta.mode);
  std::visit(PlanDelta{chunk, plan}, meta.delta);
  plan.chunks.push_back(chunk);
}

Status check_page_bins(const ChunkMeta& meta, std::size_t n, std::uint64_t offset) {
  if (n <= state_n(meta.delta)) return {};
  for (const Binning& binning : meta.variables) {
    if (binning.latent_bits != 0 && binning.bins.empty()) {
      return Status(ErrorKind::kCorrupt, "a latent variable without bins has latents", offset);
    }
  }
  return {};
}

std::uint64_t planned_scratch_bytes(const ChunkMeta& meta, std::size_t n) {
  if (!std::holds_alternative<Lookback>(meta.delta)) return 0;
  std::uint64_t bytes = 0;
  for (const std::size_t i : {kPrimaryVariable, kSecondaryVariable}) {
    if (!meta.is_delta_encoded(i)) continue;
    const std::uint64_t latents = meta.state_n(i) + meta.stored_n(i, n);
    bytes = aligned(bytes + latents * (meta.variables[i].latent_bits / 8));
  }
  return bytes;
}

std::uint64_t next_head(const DevicePlan& plan) {
  return 8 * aligned(std::uint64_t{plan.heads.size()});
}

Status add_head(std::span<const std::byte> head, std::uint64_t bits, DevicePlan& plan) {
  BitReader reader(head, bits);
  NUMPACT_TRY(reader.finish_byte("padding after the page's states is not zero"));
  plan.heads.resize(static_cast<std::size_t>(next_head(plan) / 8));
  plan.heads.insert(plan.heads.end(), head.begin(), head.end());
  return {};
}

std::uint64_t planned_head_bits(const PlannedChunk& chunk) {
  std::uint64_t bits = 0;
  for (const PlannedVariable& variable : chunk.variables) {
    if (variable.latent_bits == 0) continue;
    bits += std::uint64_t{variable.state_n} * variable.latent_bits +
            std::uint64_t{kAnsStates} * variable.ans_size_log;
  }
  return bits;
}

}  // namespace numpact
