// SPDX-License-Identifier: Apache-2.0
// What decoding one latent variable of a chunk needs, made once for the chunk.
#ifndef NUMPACT_PCO_LATENT_LATENT_TABLES_HPP
#define NUMPACT_PCO_LATENT_LATENT_TABLES_HPP

#include <array>
#include <type_traits>

#include "base/arena.hpp"
#include "number/latent.hpp"
#include "pco/ans/bin.hpp"
#include "pco/limits.hpp"

namespace numpact {

// One state of a tANS table. `info` packs the code bits (lowest), the offset bits of the symbol's
// bin and the symbol; where the last two lie depends on the layout. `base` is the next state less
// the value of the code.
struct AnsNode {
  std::uint32_t info;
  std::uint32_t base;
};

// Where one symbol has nearly all of the weight, and no offsets, states mostly lead on through it
// without reading bits: then steps are taken four at a time. By state, the state after four such
// steps, or kNoJump.
struct AnsJumps {
  static constexpr std::uint32_t kNoJump = std::uint32_t{1} << 31;
  static constexpr unsigned kSteps = 4;

  const std::uint32_t* targets = nullptr;  // null: it would not pay
  std::uint32_t info = 0;                  // of the symbol, with 0 code bits
};

// The states that a page's interleaved tANS streams are in.
using AnsStates = std::array<std::uint32_t, kAnsStates>;

// Where an info has the symbol; code bits begin at 0, offset bits at 8.
//
// Infos are summed: subtracting them from a running word leaves minus the sum of the offset bits of
// up to 256 latents below the symbol's place, and a difference of neighbours gives the info back
// (docs/decisions/0008-fused-decoding.md). So the place depends on how large that sum can get. With
// very many bins only sums of sixteen fit, modulo which longer ones are.
struct InfoLayout {
  unsigned symbol_shift;
  // Whether sums over a whole batch are known; those over sixteen latents always are.
  bool sums_batches = true;

  constexpr std::uint32_t sum_mask() const { return (std::uint32_t{1} << (symbol_shift - 8)) - 1; }
};
inline constexpr unsigned kInfoOffsetShift = 8;
// With the symbol in a byte of its own, and sums of any offsets.
inline constexpr InfoLayout kByteInfo{24};
// Without room for sums, but for any symbol.
inline constexpr InfoLayout kPlainInfo{16};

// Bins are looked up by whole vectors: as 32 bits at least, and so many at least.
template <Latent L>
using Lower = std::conditional_t<sizeof(L) == 8, std::uint64_t, std::uint32_t>;
inline constexpr std::size_t kMinLowers = 64;

template <Latent L>
struct LatentKernels;

// Made from a binning that was validated: weights add up to the table's size, offset widths fit the
// latents. Immutable; may be shared by threads.
template <Latent L>
struct LatentTables {
  const LatentKernels<L>* kernels = nullptr;
  std::span<const AnsNode> nodes;  // empty if there are fewer than two bins
  AnsJumps jumps;
  std::span<const Lower<L>> lowers;  // by symbol, padded
  InfoLayout layout = kPlainInfo;
  bool is_summed = false;  // whole batches can be decoded
  unsigned ans_size_log = 0;
  unsigned bin_n = 0;
  unsigned max_offset_bits = 0;

  // `bias` is added to every latent that a bin gives, wrapping.
  static LatentTables make(const Binning& binning, L bias, Arena& arena);

  // Whether latents have tANS codes: else all are alike but for offsets of one width.
  bool is_coded() const { return bin_n > 1; }
  // The most bits that one stored latent can take.
  unsigned max_bits() const { return ans_size_log + max_offset_bits; }
};

}  // namespace numpact

#endif
