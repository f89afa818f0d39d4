// SPDX-License-Identifier: Apache-2.0
// A chunk's metadata: mode, delta, and the binning of each latent variable.
#ifndef NUMPACT_PCO_META_CHUNK_META_HPP
#define NUMPACT_PCO_META_CHUNK_META_HPP

#include <array>

#include "numpact/types.hpp"
#include "pco/ans/bin.hpp"
#include "pco/delta/deltas.hpp"
#include "pco/mode/modes.hpp"
#include "pco/version.hpp"

namespace numpact {

// The latent variables of a chunk, in file order. The first and last may be absent.
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
  // Delta state latents of a variable that each page stores.
  std::size_t state_n(std::size_t variable) const;
  // Latents of a variable that a page of n numbers stores in its batches.
  std::size_t stored_n(std::size_t variable, std::size_t page_n) const;
  // Sets each variable's latent_bits from type, mode and delta.
  void lay_out_variables();
};

// Reads and validates. What the metadata points to lives in `arena`.
Status parse_chunk_meta(BitReader& reader, NumberType type, FormatVersion version, Arena& arena,
                        ChunkMeta& meta);

// The same where it is a guess that there is metadata, for n numbers: the entries of a dictionary
// are passed over, so that wrong guesses cost little, and more of them than numbers are refused.
Status parse_guessed_meta(BitReader& reader, NumberType type, FormatVersion version,
                          std::uint64_t n, Arena& arena, ChunkMeta& meta);

// In the version of the metadata, which must know what they hold.
void write_chunk_meta(BitWriter& writer, const ChunkMeta& meta);

// Of what write_chunk_meta writes.
std::uint64_t chunk_meta_bytes(const ChunkMeta& meta);

// Bits that the bins of one variable take, with their header.
std::uint64_t binning_bits(const Binning& binning);

}  // namespace numpact

#endif
