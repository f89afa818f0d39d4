// SPDX-License-Identifier: Apache-2.0
// Decoding tables of one latent variable of a chunk, built once per chunk.
#pragma once

#include <array>
#include <type_traits>

#include "base/arena.hpp"
#include "number/latent.hpp"
#include "pco/ans/bin.hpp"
#include "pco/limits.hpp"

namespace numpact::internal {

// One state of a tANS table. `entry` packs the code bits (lowest byte), the offset bits of the
// symbol's bin and the symbol; the layout defines the position of the last two. The next state is
// `base` plus the value of the code.
struct AnsNode {
  std::uint32_t entry;
  std::uint32_t base;
};

// If one symbol has nearly all of the weight and no offsets, most states encode it without reading
// bits. Then a decoder can take kSteps such steps at once. targets[state] is the state behind them,
// or kNoJump if one of the steps reads bits or has another symbol.
struct AnsJumps {
  static constexpr std::uint32_t kNoJump = std::uint32_t{1} << 31;
  static constexpr unsigned kSteps = 4;

  const std::uint32_t* targets = nullptr;  // null: jumps do not pay
  std::uint32_t entry = 0;                 // entry of the symbol with 0 code bits
};

// The states of the interleaved tANS streams of a page.
using AnsStates = std::array<std::uint32_t, kAnsStates>;

// The layout of an entry: code bits from bit 0, offset bits from bit 8, symbol from symbol_shift.
//
//   bit 31     symbol_shift            8           0
//       | symbol |  0  |  offset bits  |  code bits |
//
// Entries are summed: subtracting them from a running word leaves, below the symbol, minus the sum
// of the offset bits of up to 256 latents, and the difference of neighbouring words is the entry
// again (docs/decisions.md, 8). The field below the symbol must therefore hold the
// largest possible sum. With very many bins it holds sums over sixteen latents only, and longer
// sums modulo 2^(symbol_shift - 8).
struct EntryLayout {
  unsigned symbol_shift;
  // Whether sums over a whole batch fit. Sums over sixteen latents always do.
  bool sums_batches = true;

  constexpr std::uint32_t sum_mask() const { return (std::uint32_t{1} << (symbol_shift - 8)) - 1; }
};
inline constexpr unsigned kEntryOffsetShift = 8;
// The symbol has a byte of its own, and sums of any offset bits fit.
inline constexpr EntryLayout kByteLayout{24};
// Any symbol fits, but sums do not.
inline constexpr EntryLayout kPlainLayout{16};

// Type of a lower end in the tables: vector lookups need words of 32 bits at least.
template <Latent L>
using Lower = std::conditional_t<sizeof(L) == 8, std::uint64_t, std::uint32_t>;
// Lower ends are padded to at least this many: four vectors of 32-bit words are always loaded.
inline constexpr std::size_t kMinLowersN = 64;

template <Latent L>
struct LatentKernels;

// Built from a validated binning: weights add up to the size of the table, and offset widths fit
// the latents. Immutable; may be shared by threads.
template <Latent L>
struct LatentTables {
  const LatentKernels<L>* kernels = nullptr;
  std::span<const AnsNode> nodes;  // empty if there are fewer than two bins
  AnsJumps jumps;
  std::span<const Lower<L>> lowers;  // by symbol, padded
  EntryLayout layout = kPlainLayout;
  bool is_summed = false;  // whole batches can be decoded
  unsigned ans_size_log = 0;
  unsigned bin_n = 0;
  unsigned max_offset_bits = 0;

  // `bias` is added, wrapping, to all latents.
  static LatentTables make(const Binning& binning, L bias, Arena& arena);

  // Whether latents have tANS codes. If not, all are in the same bin.
  bool is_coded() const { return bin_n > 1; }
  // Largest size of a stored latent in bits.
  unsigned max_bits() const { return ans_size_log + max_offset_bits; }
};

}  // namespace numpact::internal
