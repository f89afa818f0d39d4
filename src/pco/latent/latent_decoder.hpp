// SPDX-License-Identifier: Apache-2.0
// Decoding one latent variable: tANS codes to bins, offsets to latents, one batch at a time.
#ifndef NUMPACT_PCO_LATENT_LATENT_DECODER_HPP
#define NUMPACT_PCO_LATENT_LATENT_DECODER_HPP

#include <array>

#include "base/arena.hpp"
#include "number/latent.hpp"
#include "pco/ans/bin.hpp"
#include "pco/limits.hpp"

namespace numpact {

// One state of a tANS table, packed: bits 0-7 code bits, 8-15 offset bits of the symbol's bin,
// 16-31 symbol, 32-63 the next state less the value of the code.
using AnsNode = std::uint64_t;

// The states that a page's interleaved tANS streams are in.
using AnsStates = std::array<std::uint32_t, kAnsStates>;

// What does not change within a chunk. Made from a binning that was validated: weights add up to
// the table's size, offset widths fit the latents.
template <Latent L>
struct LatentTables {
  std::span<const AnsNode> nodes;  // empty if there are fewer than two bins
  std::span<const L> lowers;       // by symbol
  unsigned ans_size_log = 0;
  unsigned bin_n = 0;
  unsigned max_offset_bits = 0;

  static LatentTables make(const Binning& binning, Arena& arena);

  // The most bits that one stored latent can take.
  unsigned max_bits() const { return ans_size_log + max_offset_bits; }
};

// Bytes past the last bit of a batch that the kernels may read.
inline constexpr std::size_t kReadSlack = 24;

// Decodes n (at most 256) latents at bit `position` of `in`. The bytes up to the worst case
// (position + n * max_bits() bits, and kReadSlack bytes more) must be readable. Returns the bit
// position behind. No bins: all latents are 0.
template <Latent L>
std::uint64_t decode_latents(const LatentTables<L>& tables, AnsStates& states, const std::byte* in,
                             std::uint64_t position, std::size_t n, L* out);

// What a batch takes, without making its latents.
struct SkippedBits {
  std::uint64_t codes = 0;
  std::uint64_t offsets = 0;
};
template <Latent L>
SkippedBits skip_latents(const LatentTables<L>& tables, AnsStates& states, const std::byte* in,
                         std::uint64_t position, std::size_t n);

}  // namespace numpact

#endif
