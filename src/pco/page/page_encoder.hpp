// SPDX-License-Identifier: Apache-2.0
// An encoded chunk in memory, and the writing of its pages.
#pragma once

#include <array>
#include <span>

#include "base/arena.hpp"
#include "bits/bit_writer.hpp"
#include "number/latent_array.hpp"
#include "pco/latent/latent_encoder.hpp"
#include "pco/meta/chunk_meta.hpp"

namespace numpact::internal {

// One latent variable within one page.
struct PageVariable {
  LatentArray state;            // delta state; n may be 0
  LatentArray stored;           // latents of the batches, possibly in a narrower type
  std::size_t first = 0;        // index of `stored[0]` in the symbols of the chunk
  std::size_t first_codes = 0;  // index of its codes in the codes of the chunk
  std::array<std::uint32_t, kAnsStates> ans_states{};
};

struct EncodedPage {
  std::size_t n = 0;  // numbers
  std::array<PageVariable, kVariables> variables;
  std::uint64_t bytes = 0;  // exact
};

// All spans point into an arena.
struct EncodedChunk {
  ChunkMeta meta;
  std::size_t n = 0;
  std::span<EncodedPage> pages;
  std::array<std::span<std::uint16_t>, kVariables> symbols;  // the bin of each stored latent
  std::array<std::span<AnsCodes>, kVariables> codes;         // empty where there is no tANS table
  std::array<OffsetTable, kVariables> offsets;
  std::array<std::uint64_t, kVariables> bases{};  // stored latents are differences to it
  std::uint64_t meta_bytes = 0;

  std::uint64_t bytes() const {
    std::uint64_t sum = meta_bytes;
    for (const EncodedPage& page : pages) sum += page.bytes;
    return sum;
  }
};

// Computes codes, tANS states and sizes from the binnings in the metadata and the symbols.
void encode_pages(EncodedChunk& chunk, Arena& arena);

void write_page(const EncodedChunk& chunk, const EncodedPage& page, BitWriter& writer);

}  // namespace numpact::internal
