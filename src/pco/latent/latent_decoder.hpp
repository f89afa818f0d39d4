// SPDX-License-Identifier: Apache-2.0
// Decoding of one latent variable, one batch at a time: tANS codes to bins, offsets to latents.
//
// The codes of a batch are a chain of dependent steps, its offsets are not. So both are decoded in
// two steps: walking the codes of a batch records a trail, and unpacking computes the latents from
// the trail and the offsets. Both fit into one loop for different batches: the offsets of one batch
// are unpacked while the codes of the next one are walked (docs/decisions.md, 8).
#pragma once

#include "pco/finish.hpp"
#include "pco/latent/latent_tables.hpp"

namespace numpact::internal {

// Bytes behind the last bit of a batch that kernels may read: they load whole vectors of 64 bytes,
// which may begin some bytes behind the current position.
inline constexpr std::size_t kReadSlackBytes = 80;

// Before each kAnsStates latents a walk refills its buffer to at least this many bits, which are
// set in the count that a running word includes.
inline constexpr std::uint32_t kRefillBits = 56;

// The result of walking the codes of a batch: one word per latent, in the layout of the tables, and
// the total width of the offsets. A word is the table entry of the latent's state or the running
// word behind it, depending on the kernels.
struct CodeTrail {
  alignas(64) std::uint32_t words_before[16];  // [15]: the running word ahead of the batch
  std::uint32_t words[kBatchN];
  // By AVX2, which records entries in words: the running word behind latent i, where i % 4 is 3.
  // One index serves words and sums, since the loops that use them are short of registers; so the
  // other sums are unused. In a jumped group only the last one is set.
  std::uint32_t sum_before;  // sums[-1]: the running word ahead of the batch
  std::uint32_t sums[kBatchN];
  std::uint64_t offset_bits;
  // Bit i is set if latents 16 i to 16 i + 15 were jumped over: they all are the dominant symbol.
  // Their words are not set, except the last one if words are running words.
  std::uint32_t jumped;
};

// A request to walk the codes of a batch, which start at bit `position` of `in`. The walk advances
// `position` to the end of the codes, where the offsets start, and advances the states.
struct CodeWalk {
  const AnsNode* nodes;
  EntryLayout layout;
  AnsJumps jumps;
  AnsStates* states;
  const std::byte* in;
  std::uint64_t position;
  CodeTrail* trail;
};

// Latents that a walk jumps over at once, and that unpacking reads the words of at once.
inline constexpr std::size_t kTrailGroupN = 16;

// Takes the last kBatchN - n codes back from the walk of a whole batch of which the page stores n
// latents only: position and offset_bits become those of n latents. Fewer than kTrailGroupN may be
// missing. Their words stay, since unpacking reads those of whole groups. The states are of no use
// then.
void take_back_codes(CodeWalk& walk, std::size_t n, bool are_running_words);

// Bits of a batch that was skipped.
struct SkippedBits {
  std::uint64_t codes = 0;
  std::uint64_t offsets = 0;
};

template <Latent L>
struct Finish {
  FinishKind kind = FinishKind::kStore;
  L moment = 0;
  // For joins: the primary latents, for which the mode must join in registers, and its parameter.
  const L* primary = nullptr;
  L parameter = 0;
};

// The loops for one width, compiled for one instruction set. For all of them, the bytes up to the
// worst case must be readable: n * max_bits() bits from the position, and kReadSlackBytes bytes.
template <Latent L>
struct LatentKernels {
  // Whether kByteLayout is faster where the symbols fit.
  bool prefers_byte_symbols;
  // Whether the words of a trail are running words, instead of entries.
  bool records_running_words;
  // Whether unpacking applies a finish. If not, it is left to passes over whole batches.
  bool supports_finish;
  // For whole batches of tables that are coded and summed:
  void (*walk)(CodeWalk& walk);
  void (*unpack)(const LatentTables<L>& tables, const CodeTrail& trail, const std::byte* in,
                 std::uint64_t position, L* out, Finish<L>& finish);
  // Unpacks one batch and walks another one, of the same or a different variable.
  void (*unpack_and_walk)(const LatentTables<L>& tables, const CodeTrail& trail,
                          const std::byte* in, std::uint64_t position, L* out, Finish<L>& finish,
                          CodeWalk& walk);
  // For any tables and n <= kBatchN latents. `decode` returns the bit position behind the latents.
  std::uint64_t (*decode)(const LatentTables<L>& tables, AnsStates& states, const std::byte* in,
                          std::uint64_t position, std::size_t n, L* out);
  SkippedBits (*skip)(const LatentTables<L>& tables, AnsStates& states, const std::byte* in,
                      std::uint64_t position, std::size_t n);
};

// The kernels for the active instruction set.
template <Latent L>
const LatentKernels<L>& latent_kernels();

}  // namespace numpact::internal
