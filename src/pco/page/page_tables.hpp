// SPDX-License-Identifier: Apache-2.0
// The decoding tables of the variables of a chunk, and which path its batches take.
#pragma once

#include <array>
#include <span>

#include "base/arena.hpp"
#include "pco/latent/latent_decoder.hpp"
#include "pco/meta/chunk_meta.hpp"

namespace numpact::internal {

// L: latents of the width of the numbers. P: primary latents, which are L or dictionary indices.
template <Latent L, Latent P>
struct PageTables {
  // `meta` must outlive the tables.
  PageTables(const ChunkMeta& chunk_meta, Arena& arena);

  const ChunkMeta* meta;
  LatentTables<std::uint32_t> delta;
  LatentTables<P> primary;
  LatentTables<L> secondary;
  // Largest size of a batch in bytes, including the bytes that kernels read behind it.
  std::size_t max_batch_bytes = 0;
  std::array<bool, kVariables> is_coded{};
  // Variables without codes of which all latents are equal, so that their buffer is filled once for
  // all batches.
  std::array<bool, kVariables> is_uniform{};
  // Variables without codes whose latents are unpacked for each batch.
  std::array<bool, kVariables> is_unpacked_alone{};
  // Bits per latent of the variables without codes.
  std::array<unsigned, kVariables> uncoded_bits{};
  std::span<const L> dict_numbers;  // bits of the numbers of the dictionary
  bool is_classic_float = false;
  // If all numbers of the chunk are equal: their bits.
  bool is_constant = false;
  L constant = 0;
  // Primary latents of float modes are joined in registers while secondary ones are unpacked.
  bool joins_while_unpacking = false;
  // Whether the fused loops can be used: the tables of all coded variables are summed and were made
  // for one instruction set, since its kernels read each other's trails.
  bool decodes_whole_batches = true;
  // Whether RunDecoder can be used.
  bool decodes_runs = false;
  // Pages from which the chains of several are decoded at once (Conv1Pages). SIZE_MAX: never.
  std::size_t min_pages_together = SIZE_MAX;
  // The numbers are latents with the sign bit flipped, and bins or moments include the flip.
  bool flips_in_tables = false;
};

}  // namespace numpact::internal
