// SPDX-License-Identifier: Apache-2.0
// docs/format/pco.md, "Wrapped header and versions" and "Chunk metadata".
#include <algorithm>
#include <cmath>

#include "second/pco_parts.hpp"

namespace numpact::second {
namespace {

ModeFields read_mode(BitReader& reader, NumberKind kind, Version version) {
  ModeFields fields;
  const std::uint64_t tag = reader.read(4);
  refuse_if(tag > 4, "unknown mode");
  fields.mode = static_cast<Mode>(tag);
  switch (fields.mode) {
    case Mode::kIntMult:
    case Mode::kFloatMult:
      fields.base = reader.read(kind.bits);
      break;
    case Mode::kFloatQuant:
      fields.k = static_cast<unsigned>(reader.read(8));
      break;
    case Mode::kDict: {
      const std::uint64_t length = reader.read(25);
      reader.read_padding();
      for (std::uint64_t i = 0; i < length; ++i) fields.dict.push_back(reader.read(kind.bits));
      break;
    }
    default:
      break;
  }
  check_mode(fields, kind, version);
  return fields;
}

void check_conv1(const DeltaFields& fields, unsigned bits) {
  refuse_if(bits == 64, "Conv1 on latents of 64 bits");
  const unsigned w = 2 * bits;
  refuse_if(fields.quantization > std::min(31u, w - 1), "quantization of Conv1");
  double weights = 0;
  for (const std::int64_t weight : fields.weights) weights += std::abs(static_cast<double>(weight));
  const double bound = std::abs(static_cast<double>(fields.bias)) + std::ldexp(weights, int(bits));
  refuse_if(!(bound < std::ldexp(1.0, int(w) - 1)), "Conv1 could overflow");
}

DeltaFields read_conv1(BitReader& reader) {
  DeltaFields fields;
  fields.delta = Delta::kConv1;
  fields.quantization = static_cast<unsigned>(reader.read(5));
  fields.bias = reader.read_signed(64);
  fields.order = static_cast<unsigned>(reader.read(5)) + 1;
  for (unsigned i = 0; i < fields.order; ++i) fields.weights.push_back(reader.read_signed(32));
  return fields;
}

DeltaFields read_lookback(BitReader& reader) {
  DeltaFields fields;
  fields.delta = Delta::kLookback;
  fields.window_n_log = static_cast<unsigned>(reader.read(5)) + 1;
  fields.state_n_log = static_cast<unsigned>(reader.read(4));
  fields.secondary_uses_delta = reader.read_flag();
  refuse_if(fields.window_n_log > 24, "lookback window over 2^24");
  refuse_if(fields.state_n_log > fields.window_n_log, "lookback state over its window");
  return fields;
}

DeltaFields read_delta(BitReader& reader, Version version) {
  DeltaFields fields;
  if (version.major < 3) {
    fields.order = static_cast<unsigned>(reader.read(3));
    if (fields.order != 0) fields.delta = Delta::kConsecutive;
    return fields;
  }
  switch (reader.read(4)) {
    case 0:
      return fields;
    case 1:
      fields.delta = Delta::kConsecutive;
      fields.order = static_cast<unsigned>(reader.read(3));
      fields.secondary_uses_delta = reader.read_flag();
      refuse_if(fields.order == 0, "Consecutive of order 0");
      return fields;
    case 2:
      return read_lookback(reader);
    case 3:
      return read_conv1(reader);
    default:
      refuse("unknown delta encoding");
  }
}

void check_lookback_bins(const Variable& variable, unsigned window_n_log) {
  for (const Bin& bin : variable.bins) {
    const std::uint64_t window = std::uint64_t{1} << window_n_log;
    refuse_if(bin.lower == 0 || bin.lower > window, "bin of lookbacks outside the window");
  }
}

void name_variables(Chunk& chunk) {
  Variable& delta = chunk.variables[kDeltaVariable];
  delta.exists = chunk.delta.delta == Delta::kLookback;
  delta.bits = 32;
  Variable& primary = chunk.variables[kPrimary];
  primary.exists = true;
  primary.bits = chunk.mode.mode == Mode::kDict ? 32 : chunk.kind.bits;
  primary.delta_encoded = chunk.delta.delta != Delta::kNone;
  Variable& secondary = chunk.variables[kSecondary];
  secondary.exists = chunk.mode.mode != Mode::kClassic && chunk.mode.mode != Mode::kDict;
  secondary.bits = chunk.kind.bits;
  secondary.delta_encoded = chunk.delta.secondary_uses_delta;
}

}  // namespace

Version read_wrapped_header(std::span<const std::byte> bytes, std::size_t& used) {
  BitReader reader(bytes);
  Version version;
  version.major = static_cast<unsigned>(reader.read(8));
  refuse_if(version.major > 4, "major version over 4");
  if (version.major == 4) version.minor = static_cast<unsigned>(reader.read(8));
  used = reader.byte_position();
  return version;
}

Chunk read_chunk_meta(std::span<const std::byte> bytes, Version version, std::uint8_t type) {
  BitReader reader(bytes);
  Chunk chunk;
  chunk.kind = kind_of_type(type);
  chunk.mode = read_mode(reader, chunk.kind, version);
  chunk.delta = read_delta(reader, version);
  name_variables(chunk);
  if (chunk.delta.delta == Delta::kConv1) {
    check_conv1(chunk.delta, chunk.variables[kPrimary].bits);
  }
  for (Variable& variable : chunk.variables) {
    if (variable.exists) read_bins(reader, variable);
  }
  check_lookback_bins(chunk.variables[kDeltaVariable], chunk.delta.window_n_log);
  reader.read_padding();
  chunk.meta_bytes = reader.byte_position();
  return chunk;
}

}  // namespace numpact::second
