// SPDX-License-Identifier: Apache-2.0
// Decoding one latent variable: tANS codes to bins, offsets to latents, one batch at a time.
//
// Codes and offsets of a batch are decoded in two steps, since codes are a chain of dependent steps
// and offsets are not: walking the codes of one batch leaves a trail, from which offsets are
// unpacked while the codes of the next are walked.
#ifndef NUMPACT_PCO_LATENT_LATENT_DECODER_HPP
#define NUMPACT_PCO_LATENT_LATENT_DECODER_HPP

#include "pco/latent/latent_tables.hpp"

namespace numpact {

// Bytes past the last bit of a batch that the kernels may read.
inline constexpr std::size_t kReadSlack = 80;

// What a walk over the codes of a batch leaves: a word for each latent, in the layout of the
// tables, and how many bits their offsets take.
struct CodeTrail {
  alignas(64) std::uint32_t before[16];  // the last one: the running word ahead of the batch
  std::uint32_t words[kBatchN];
  std::uint64_t offset_bits;
  // Bit i: latents 16 i to 16 i + 15 are the dominant symbol; they have no words, but for the last
  // one of running words.
  std::uint32_t jumped;
};

// The codes of a batch to be walked, starting at bit `position` of `in`, which becomes the position
// behind them, where the offsets begin.
struct CodeWalk {
  const AnsNode* nodes;
  InfoLayout layout;
  AnsJumps jumps;
  AnsStates* states;
  const std::byte* in;
  std::uint64_t position;
  CodeTrail* trail;
};

// What a batch takes, without making its latents.
struct SkippedBits {
  std::uint64_t codes = 0;
  std::uint64_t offsets = 0;
};

// What may be done to latents while they are in registers.
enum class FinishKind : std::uint8_t {
  kStore,     // nothing
  kSum,       // out[i] = moment + sum of latents [0, i); the moment becomes the sum of all
  kFloat,     // from ordered latents to floats, as bits
  kSumFloat,  // both, in this order
  // As secondary latents, joined with the primary ones:
  kFloatMult,
  kFloatQuant,
};
constexpr bool sums(FinishKind kind) {
  return kind == FinishKind::kSum || kind == FinishKind::kSumFloat;
}
constexpr bool makes_floats(FinishKind kind) {
  return kind == FinishKind::kFloat || kind == FinishKind::kSumFloat;
}

constexpr bool joins(FinishKind kind) {
  return kind == FinishKind::kFloatMult || kind == FinishKind::kFloatQuant;
}

template <Latent L>
struct Finish {
  FinishKind kind = FinishKind::kStore;
  L moment = 0;
  // For joining: the primary latents (for FloatMult is_float_mult_fast must hold of them), and the
  // base's bits or k.
  const L* primary = nullptr;
  L parameter = 0;
};

// The loops for one width, in the form for one instruction set. For all: the bytes up to the worst
// case (n * max_bits() bits from the position, and kReadSlack bytes more) must be readable.
template <Latent L>
struct LatentKernels {
  // Whether symbols in a byte of their own are faster, where they fit.
  bool likes_byte_symbols;
  // Whether a wanted finish is done; else it is left to passes over whole batches.
  bool finishes;
  // Of tables that are coded and summed, for whole batches:
  void (*walk)(CodeWalk& walk);
  void (*unpack)(const LatentTables<L>& tables, const CodeTrail& trail, const std::byte* in,
                 std::uint64_t position, L* out, Finish<L>& finish);
  // Both at once: unpacks one batch and walks another, of this variable or of any.
  void (*unpack_and_walk)(const LatentTables<L>& tables, const CodeTrail& trail,
                          const std::byte* in, std::uint64_t position, L* out, Finish<L>& finish,
                          CodeWalk& walk);
  // Of any tables, n (at most 256) latents. Return the bit position behind.
  std::uint64_t (*decode)(const LatentTables<L>& tables, AnsStates& states, const std::byte* in,
                          std::uint64_t position, std::size_t n, L* out);
  SkippedBits (*skip)(const LatentTables<L>& tables, AnsStates& states, const std::byte* in,
                      std::uint64_t position, std::size_t n);
};

// Those for the instruction set in use.
template <Latent L>
const LatentKernels<L>& latent_kernels();

}  // namespace numpact

#endif
