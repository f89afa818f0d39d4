// SPDX-License-Identifier: Apache-2.0
// Metadata of a chunk: mode, delta, and the binning of each latent variable.
#pragma once

#include <array>

#include "numpact/types.hpp"
#include "pco/ans/bin.hpp"
#include "pco/delta/deltas.hpp"
#include "pco/mode/modes.hpp"
#include "pco/version.hpp"

namespace numpact::internal {

// The latent variables of a chunk in file order. The first and the last one may be absent.
enum VariableIndex : std::size_t { kDeltaVariable, kPrimaryVariable, kSecondaryVariable };
inline constexpr std::size_t kVariables = 3;

struct ChunkMeta {
  FormatVersion version;
  NumberType type = NumberType::kU8;
  AnyMode mode;
  AnyDelta delta;
  std::array<Binning, kVariables> variables;  // latent_bits 0: absent

  bool has(std::size_t variable) const { return variables[variable].latent_bits != 0; }
  bool is_delta_encoded(std::size_t variable) const;
  // Count of delta state latents of a variable in each page.
  std::size_t state_n(std::size_t variable) const;
  // Count of latents of a variable in the batches of a page of page_n numbers.
  std::size_t stored_n(std::size_t variable, std::size_t page_n) const;
  // Sets each variable's latent_bits from type, mode and delta.
  void lay_out_variables();
};

// Parses and validates metadata. Bins and dictionary entries are stored in `arena`.
Status parse_chunk_meta(BitReader& reader, NumberType type, FormatVersion version, Arena& arena,
                        ChunkMeta& meta);

// The same for bytes that are only guessed to be metadata, of a chunk of n numbers. Skips the
// entries of a dictionary, so that wrong guesses cost little, and rejects dictionaries of more than
// n entries.
Status parse_guessed_meta(BitReader& reader, NumberType type, FormatVersion version,
                          std::uint64_t n, Arena& arena, ChunkMeta& meta);

// Writes the metadata in their format version, which must support their mode and delta.
void write_chunk_meta(BitWriter& writer, const ChunkMeta& meta);

// The size of the output of write_chunk_meta.
std::uint64_t chunk_meta_bytes(const ChunkMeta& meta);

// Bits of the binning of one variable: table size, bin count and bins.
std::uint64_t binning_bits(const Binning& binning);

}  // namespace numpact::internal
