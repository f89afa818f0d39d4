// SPDX-License-Identifier: Apache-2.0
#include "pco/meta/chunk_meta.hpp"

#include <bit>

namespace numpact::internal {
namespace {

constexpr unsigned offset_width_bits(unsigned latent_bits) {
  return static_cast<unsigned>(std::bit_width(latent_bits));
}

Status parse_delta(BitReader& reader, FormatVersion version, const DeltaContext& context,
                   AnyDelta& delta) {
  if (!version.has_delta_variants()) {
    const unsigned order = reader.read_small(wire::kOrderBits);
    if (order > 0) delta = Consecutive{order, false};
    return {};
  }
  const unsigned tag = reader.read_small(wire::kDeltaBits);
  bool known = false;
  NUMPACT_TRY(parse_family(tag, reader, context, delta, known));
  if (!known) return reader.corrupt("unknown delta encoding");
  return {};
}

Status parse_bins(BitReader& reader, Arena& arena, Binning& binning) {
  const unsigned bits = binning.latent_bits;
  binning.ans_size_log = reader.read_small(wire::kAnsSizeLogBits);
  const std::size_t count = static_cast<std::size_t>(reader.read(wire::kBinCountBits));
  NUMPACT_TRY(reader.status());
  if (binning.ans_size_log > kMaxAnsSizeLog) return reader.corrupt("tANS table over 2^14 states");
  const std::size_t table_size = std::size_t{1} << binning.ans_size_log;
  if (count > table_size) return reader.corrupt("more bins than tANS states");
  if (count <= 1 && binning.ans_size_log != 0) {
    return reader.corrupt("a tANS table for fewer than two bins");
  }
  const unsigned bin_bits = binning.ans_size_log + bits + offset_width_bits(bits);
  if (std::uint64_t{count} * bin_bits > reader.bits_left()) {
    return Status(ErrorKind::kTruncated, "the input ends inside the bins", reader.byte_position());
  }
  NUMPACT_TRY(arena.ensure<Bin>(count));
  const std::span<Bin> bins = arena.make<Bin>(count);
  std::uint64_t weight_sum = 0;
  for (Bin& bin : bins) {
    bin.weight = 1 + reader.read_small(binning.ans_size_log);
    bin.lower = reader.read(bits);
    bin.offset_bits = reader.read_small(offset_width_bits(bits));
    weight_sum += bin.weight;
    if (bin.offset_bits > bits) return reader.corrupt("a bin's offset is wider than its latents");
  }
  if (count > 0 && weight_sum != table_size) {
    return reader.corrupt("bin weights do not add up to the tANS table's size");
  }
  binning.bins = bins;
  return {};
}

Status check_lookback_bins(const BitReader& reader, const Lookback& lookback,
                           const Binning& binning) {
  for (const Bin& bin : binning.bins) {
    if (bin.lower == 0 || bin.lower > lookback.window_n()) {
      return reader.corrupt("a lookback bin starts outside the window");
    }
  }
  return {};
}

// Maximum memory of the tables and the page decoder of a chunk, except what grows with its numbers
// (LookbackRing).
std::uint64_t decoding_bytes(const ChunkMeta& meta) {
  // The decoder with its batches, the padded tail of its input, and the shortest tables.
  constexpr std::uint64_t kFixedBytes = std::uint64_t{1} << 16;
  // A lower end and two counters for each bin, and a node, a symbol and a jump for each state.
  constexpr std::uint64_t kBinBytes = 16;
  constexpr std::uint64_t kStateBytes = 16;
  std::uint64_t bytes = kFixedBytes;
  for (std::size_t i = 0; i < kVariables; ++i) {
    if (!meta.has(i)) continue;
    const Binning& binning = meta.variables[i];
    bytes += binning.bins.size() * kBinBytes + (kStateBytes << binning.ans_size_log);
    // As read, and in the ring or history.
    bytes += 3 * sizeof(std::uint64_t) * std::uint64_t{meta.state_n(i)};
  }
  if (const auto* dict = std::get_if<Dict>(&meta.mode)) {
    bytes += std::uint64_t{dict->count} * latent_bits(meta.type) / 8;
  }
  return bytes;
}

Status parse_meta(BitReader& reader, const ModeContext& context, ChunkMeta& meta) {
  meta = ChunkMeta{};
  meta.version = context.version;
  meta.type = context.type;
  const unsigned mode_tag = reader.read_small(wire::kModeBits);
  bool known = false;
  NUMPACT_TRY(parse_family(mode_tag, reader, context, meta.mode, known));
  NUMPACT_TRY(reader.status());
  if (!known) return reader.corrupt("unknown mode");
  const DeltaContext delta_context{primary_bits(meta.mode, context.type)};
  NUMPACT_TRY(parse_delta(reader, context.version, delta_context, meta.delta));
  NUMPACT_TRY(reader.status());
  meta.lay_out_variables();
  for (std::size_t i = 0; i < kVariables; ++i) {
    if (meta.has(i)) NUMPACT_TRY(parse_bins(reader, context.arena, meta.variables[i]));
  }
  if (const auto* lookback = std::get_if<Lookback>(&meta.delta)) {
    NUMPACT_TRY(check_lookback_bins(reader, *lookback, meta.variables[kDeltaVariable]));
  }
  NUMPACT_TRY(reader.finish_byte("padding after the chunk's metadata is not zero"));
  return context.arena.ensure<std::byte>(decoding_bytes(meta));
}

}  // namespace

bool ChunkMeta::is_delta_encoded(std::size_t variable) const {
  if (std::holds_alternative<NoDelta>(delta) || !has(variable)) return false;
  return variable == kPrimaryVariable ||
         (variable == kSecondaryVariable && encodes_secondary(delta));
}

std::size_t ChunkMeta::state_n(std::size_t variable) const {
  return is_delta_encoded(variable) ? internal::state_n(delta) : 0;
}

std::size_t ChunkMeta::stored_n(std::size_t variable, std::size_t page_n) const {
  if (!has(variable)) return 0;
  const std::size_t skipped =
      variable == kDeltaVariable ? internal::state_n(delta) : state_n(variable);
  return page_n > skipped ? page_n - skipped : 0;
}

void ChunkMeta::lay_out_variables() {
  variables[kDeltaVariable].latent_bits = std::holds_alternative<Lookback>(delta) ? 32 : 0;
  variables[kPrimaryVariable].latent_bits = primary_bits(mode, type);
  variables[kSecondaryVariable].latent_bits = has_secondary(mode) ? latent_bits(type) : 0;
}

Status parse_chunk_meta(BitReader& reader, NumberType type, FormatVersion version, Arena& arena,
                        ChunkMeta& meta) {
  return parse_meta(reader, {type, version, arena}, meta);
}

Status parse_guessed_meta(BitReader& reader, NumberType type, FormatVersion version,
                          std::uint64_t n, Arena& arena, ChunkMeta& meta) {
  return parse_meta(reader, {type, version, arena, n}, meta);
}

void write_chunk_meta(BitWriter& writer, const ChunkMeta& meta) {
  writer.write(static_cast<unsigned>(family_tag(meta.mode)), wire::kModeBits);
  std::visit([&](const auto& mode) { mode.write(writer, meta.type); }, meta.mode);
  if (meta.version.has_delta_variants()) {
    writer.write(static_cast<unsigned>(family_tag(meta.delta)), wire::kDeltaBits);
    std::visit([&](const auto& delta) { delta.write(writer); }, meta.delta);
  } else {
    writer.write(state_n(meta.delta), wire::kOrderBits);
  }
  for (const Binning& binning : meta.variables) {
    if (binning.latent_bits == 0) continue;
    writer.write(binning.ans_size_log, wire::kAnsSizeLogBits);
    writer.write(binning.bins.size(), wire::kBinCountBits);
    for (const Bin& bin : binning.bins) {
      writer.write(bin.weight - 1, binning.ans_size_log);
      writer.write(bin.lower, binning.latent_bits);
      writer.write(bin.offset_bits, offset_width_bits(binning.latent_bits));
    }
  }
  writer.finish_byte();
}

std::uint64_t binning_bits(const Binning& binning) {
  const unsigned bin_bits =
      binning.ans_size_log + binning.latent_bits + offset_width_bits(binning.latent_bits);
  return wire::kAnsSizeLogBits + wire::kBinCountBits +
         std::uint64_t{bin_bits} * binning.bins.size();
}

std::uint64_t chunk_meta_bytes(const ChunkMeta& meta) {
  std::uint64_t bits = wire::kModeBits;
  bits += std::visit([&](const auto& m) { return m.payload_bits(meta.type, wire::kModeBits); },
                     meta.mode);
  if (meta.version.has_delta_variants()) {
    bits += wire::kDeltaBits;
    bits += std::visit([](const auto& delta) { return delta.payload_bits(); }, meta.delta);
  } else {
    bits += wire::kOrderBits;
  }
  for (const Binning& binning : meta.variables) {
    if (binning.latent_bits != 0) bits += binning_bits(binning);
  }
  return (bits + 7) / 8;
}

}  // namespace numpact::internal
