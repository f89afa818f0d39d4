// SPDX-License-Identifier: Apache-2.0
// Encodes the symbols of all pages of a chunk, and writes heads and batches.
#include "pco/page/page_encoder.hpp"

#include <algorithm>

namespace numpact::internal {
namespace {

// Encodes the symbols of a variable in a page. Returns the bits of the variable in the page.
std::uint64_t encode_variable(EncodedChunk& chunk, PageVariable& variable, std::size_t index,
                              const AnsEncodeTable& table) {
  const Binning& binning = chunk.meta.variables[index];
  const std::span<const std::uint16_t> symbols =
      chunk.symbols[index].subspan(variable.first, variable.stored.n);
  std::uint64_t bits =
      variable.state.n * std::uint64_t{binning.latent_bits} + kAnsStates * binning.ans_size_log;
  if (variable.stored.n == 0) return bits;
  if (chunk.codes[index].empty()) {
    return bits + variable.stored.n * std::uint64_t{binning.bins[0].offset_bits};
  }
  const SymbolBits symbol_bits = encode_symbols(
      table, symbols, chunk.codes[index].data() + variable.first_codes, variable.ans_states);
  return bits + symbol_bits.codes + symbol_bits.offsets;
}

// Head and batches are padded to bytes separately, so their bits are counted separately.
std::uint64_t head_bits(const EncodedChunk& chunk, const EncodedPage& page) {
  std::uint64_t bits = 0;
  for (std::size_t index = 0; index < kVariables; ++index) {
    if (!chunk.meta.has(index)) continue;
    bits += page.variables[index].state.n * std::uint64_t{chunk.meta.variables[index].latent_bits};
    bits += kAnsStates * chunk.meta.variables[index].ans_size_log;
  }
  return bits;
}

void write_head(const EncodedChunk& chunk, const EncodedPage& page, BitWriter& writer) {
  for (std::size_t index = 0; index < kVariables; ++index) {
    if (!chunk.meta.has(index)) continue;
    const PageVariable& variable = page.variables[index];
    if (variable.state.n > 0) {
      variable.state.visit([&](auto state) {
        for (const auto latent : state) writer.write(latent, variable.state.bits);
      });
    }
    for (const std::uint32_t ans_state : variable.ans_states) {
      writer.write(ans_state, chunk.meta.variables[index].ans_size_log);
    }
  }
  writer.finish_byte();
}

}  // namespace

void encode_pages(EncodedChunk& chunk, Arena& arena) {
  std::array<AnsEncodeTable, kVariables> tables;
  for (std::size_t index = 0; index < kVariables; ++index) {
    if (!chunk.meta.has(index)) continue;
    const Binning& binning = chunk.meta.variables[index];
    const unsigned kept_bits = chunk.pages[0].variables[index].stored.bits;
    chunk.offsets[index] = OffsetTable::make(binning, kept_bits, chunk.bases[index], arena);
    if (binning.bins.size() > 1) {
      std::size_t codes = 0;
      for (EncodedPage& page : chunk.pages) {
        page.variables[index].first_codes = codes;
        codes += ans_codes_n(page.variables[index].stored.n);
      }
      chunk.codes[index] = arena.make<AnsCodes>(codes);
      tables[index] = AnsEncodeTable::make(binning, arena);
    }
  }
  for (EncodedPage& page : chunk.pages) {
    std::uint64_t bits = 0;
    for (std::size_t index = 0; index < kVariables; ++index) {
      if (!chunk.meta.has(index)) continue;
      bits += encode_variable(chunk, page.variables[index], index, tables[index]);
    }
    const std::uint64_t head = head_bits(chunk, page);
    page.bytes = (head + 7) / 8 + (bits - head + 7) / 8;
  }
  chunk.meta_bytes = chunk_meta_bytes(chunk.meta);
}

void write_page(const EncodedChunk& chunk, const EncodedPage& page, BitWriter& writer) {
  write_head(chunk, page, writer);
  for (std::size_t begin = 0; begin < page.n; begin += kBatchN) {
    for (std::size_t index = 0; index < kVariables; ++index) {
      if (!chunk.meta.has(index)) continue;
      const PageVariable& variable = page.variables[index];
      if (begin >= variable.stored.n) continue;
      const std::size_t n = std::min(kBatchN, variable.stored.n - begin);
      const std::size_t at = variable.first + begin;
      const AnsCodes* const codes =
          chunk.codes[index].empty()
              ? nullptr
              : chunk.codes[index].data() + variable.first_codes + begin / kAnsStates;
      variable.stored.slice(begin, n).visit([&](auto latents) {
        using L = typename decltype(latents)::value_type;
        write_batch(chunk.offsets[index], std::span<const L>(latents),
                    chunk.symbols[index].data() + at, codes, writer);
      });
    }
  }
  writer.finish_byte();
}

}  // namespace numpact::internal
