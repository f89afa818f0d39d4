// SPDX-License-Identifier: Apache-2.0
// docs/format/pco.md, "Pages and batches".
#include <algorithm>
#include <array>

#include "second/pco_parts.hpp"

namespace numpact::second {
namespace {

constexpr std::size_t kBatch = 256;
constexpr std::size_t kLanes = 4;

struct Reading {
  const Variable* variable = nullptr;
  std::array<std::uint64_t, kLanes> states = {};
  std::size_t stored_n = 0;
  Stored stored;
};

const Bin& next_bin(BitReader& reader, Reading& reading, std::size_t lane) {
  const Variable& variable = *reading.variable;
  if (variable.table.empty()) return variable.bins[0];
  std::uint64_t& state = reading.states[lane];
  const AnsState& row = variable.table[state];
  state = row.base + reader.read(row.code_bits);
  return variable.bins[row.bin];
}

void read_batch(BitReader& reader, Reading& reading) {
  Latents& latents = reading.stored.latents;
  const std::size_t count = std::min(kBatch, reading.stored_n - latents.size());
  const Variable& variable = *reading.variable;
  if (variable.bins.empty()) {
    latents.insert(latents.end(), count, 0);
    return;
  }
  std::vector<const Bin*> bins;
  for (std::size_t i = 0; i < count; ++i) {
    bins.push_back(&next_bin(reader, reading, (latents.size() + i) % kLanes));
  }
  for (const Bin* bin : bins) {
    const std::uint64_t offset = reader.read(bin->offset_bits);
    latents.push_back((bin->lower + offset) & mask_of(variable.bits));
  }
}

void read_head(BitReader& reader, const Chunk& chunk, Reading& reading, std::size_t n) {
  const Variable& variable = *reading.variable;
  const std::size_t state_n = chunk.delta.state_n();
  refuse_if(variable.bins.empty() && n > state_n, "numbers of a variable without bins");
  if (variable.delta_encoded) {
    for (std::size_t i = 0; i < state_n; ++i) {
      reading.stored.state.push_back(reader.read(variable.bits));
    }
  }
  for (std::uint64_t& state : reading.states) state = reader.read(variable.ans_size_log);
}

}  // namespace

std::vector<std::uint64_t> read_page(std::span<const std::byte> bytes, const Chunk& chunk,
                                     std::size_t n, std::size_t& used) {
  refuse_if(n == 0 || n > std::size_t{1} << 24, "count of numbers in a page");
  BitReader reader(bytes);
  std::array<Reading, kVariableCount> readings;
  const std::size_t state_n = chunk.delta.state_n();
  for (std::size_t v = 0; v < kVariableCount; ++v) {
    const Variable& variable = chunk.variables[v];
    if (!variable.exists) continue;
    readings[v].variable = &variable;
    const bool less = variable.delta_encoded || v == kDeltaVariable;
    readings[v].stored_n = !less ? n : n > state_n ? n - state_n : 0;
    read_head(reader, chunk, readings[v], n);
  }
  reader.read_padding();
  for (std::size_t first = 0; first < n; first += kBatch) {
    for (Reading& reading : readings) {
      if (reading.variable != nullptr) read_batch(reader, reading);
    }
  }
  reader.read_padding();
  used = reader.byte_position();

  const Latents& lookbacks = readings[kDeltaVariable].stored.latents;
  std::array<Latents, kVariableCount> latents;
  for (const std::size_t v : {kPrimary, kSecondary}) {
    const Variable& variable = chunk.variables[v];
    if (!variable.exists) continue;
    latents[v] = variable.delta_encoded
                     ? undo_delta(chunk.delta, variable.bits, readings[v].stored, lookbacks, n)
                     : std::move(readings[v].stored.latents);
  }
  return undo_mode(chunk.mode, chunk.kind, latents[kPrimary], latents[kSecondary]);
}

}  // namespace numpact::second
