// SPDX-License-Identifier: Apache-2.0
// The innermost loops of decoding, in three forms: generic ones for any tables and counts, loops
// for whole batches that walk or unpack, and fused loops that do both at once. Invariant of the
// fused loops: after step i, the trail of the next batch has the words of its first 16 (i + 1)
// latents, and the output has the first 16 (i + 1) latents of this batch.
//
//   step       0             1             ...   15
//   walk       next 0-15     next 16-31          next 240-255
//   unpack     this 0-15     this 16-31          this 240-255
#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/latent/latent_decoder_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "pco/latent/latent_decoder.hpp"
// After foreach_target.
#include "pco/latent/unpack_avx2-inl.hpp"
#include "pco/latent/unpack_scalar-inl.hpp"
#include "pco/latent/unpack_vbmi-inl.hpp"
#include "pco/latent/walk-inl.hpp"

#if NUMPACT_SCALAR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

// ---- generic: any count of latents, any tables ----

// Sets entries[i] to the table entry of latent i. Returns the position behind the codes.
HWY_NOINLINE std::uint64_t WalkAny(const AnsNode* nodes, AnsStates& states, const std::byte* in,
                                   std::uint64_t position, std::size_t n,
                                   std::uint32_t* HWY_RESTRICT entries) {
  CodeWalk walk{nodes, kPlainLayout, {}, &states, in, position, nullptr};
  Walker walker;
  walker.Start(walk);
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) walker.Four<Record::kEntry>(entries + i);
  walker.Rest<Record::kEntry>(n - i, entries + i);
  walker.Finish(walk);
  return walk.position;
}

template <bool kWide, class L>
HWY_NOINLINE std::uint64_t UnpackAny(const LatentTables<L>& tables,
                                     const std::uint32_t* HWY_RESTRICT entries,
                                     const std::byte* HWY_RESTRICT in, std::uint64_t position,
                                     std::size_t n, L* HWY_RESTRICT out) {
  const Lower<L>* const lowers = tables.lowers.data();
  const unsigned shift = tables.layout.symbol_shift;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t width = OffsetBits(entries[i]);
    out[i] = static_cast<L>(lowers[entries[i] >> shift] + Bits<kWide>(in, position, width));
    position += width;
  }
  return position;
}

template <bool kWide, class L>
HWY_NOINLINE std::uint64_t UnpackUniform(L lower, std::uint64_t width,
                                         const std::byte* HWY_RESTRICT in, std::uint64_t position,
                                         std::size_t n, L* HWY_RESTRICT out) {
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = static_cast<L>(lower + Bits<kWide>(in, position + i * width, width));
  }
  return position + n * width;
}

template <class L>
std::uint64_t DecodeUncoded(const LatentTables<L>& tables, const std::byte* in,
                            std::uint64_t position, std::size_t n, L* out) {
  const L lower = static_cast<L>(tables.lowers[0]);
  const unsigned width = tables.max_offset_bits;
  if (width == 0) {
    std::fill_n(out, n, lower);
    return position;
  }
#if HWY_TARGET <= HWY_AVX3_DL
  const std::uint64_t end = UnpackOneBin(lower, width, in, position, n, out);
  const std::size_t done = static_cast<std::size_t>((end - position) / width);
  position = end;
  out += done;
  n -= done;
  if (n == 0) return position;
#endif
  if constexpr (sizeof(L) == 8) {
    if (width > 57) return UnpackUniform<true>(lower, width, in, position, n, out);
  }
  return UnpackUniform<false>(lower, width, in, position, n, out);
}

template <class L>
std::uint64_t Decode(const LatentTables<L>& tables, AnsStates& states, const std::byte* in,
                     std::uint64_t position, std::size_t n, L* out) {
  if (!tables.is_coded()) return DecodeUncoded(tables, in, position, n, out);
  HWY_ALIGN std::uint32_t entries[kBatchN];
  position = WalkAny(tables.nodes.data(), states, in, position, n, entries);
  if constexpr (sizeof(L) == 8) {
    if (tables.max_offset_bits > 57) return UnpackAny<true>(tables, entries, in, position, n, out);
  }
  return UnpackAny<false>(tables, entries, in, position, n, out);
}

template <class L>
SkippedBits Skip(const LatentTables<L>& tables, AnsStates& states, const std::byte* in,
                 std::uint64_t position, std::size_t n) {
  SkippedBits skipped;
  if (!tables.is_coded()) {
    skipped.offsets = n * std::uint64_t{tables.max_offset_bits};
    return skipped;
  }
  HWY_ALIGN std::uint32_t entries[kBatchN];
  skipped.codes = WalkAny(tables.nodes.data(), states, in, position, n, entries) - position;
  std::uint32_t widths = 0;
  for (std::size_t i = 0; i < n; ++i) widths += (entries[i] >> kEntryOffsetShift) & 0xff;
  skipped.offsets = widths;
  return skipped;
}

// ---- whole batches of tables with summed layouts ----

// Stores the results of a recorded walk. word_before: the running word ahead of the batch.
template <Record kRecord>
HWY_INLINE void EndTrail(const Walker& walker, std::uint32_t word_before, CodeWalk& walk) {
  walker.Finish(walk);
  CodeTrail& trail = *walk.trail;
  const std::uint32_t mask = walk.layout.sum_mask();
  if (HWY_LIKELY(walk.layout.sums_batches)) {
    trail.offset_bits = OffsetBitsBetween(word_before, walker.filled, mask);
    return;
  }
  trail.offset_bits = 0;
  for (std::size_t i = 0; i < kBatchN; i += 16) {
    if constexpr (kRecord == Record::kRunningWord) {
      trail.offset_bits += OffsetBitsBetween(word_before, trail.words[i + 15], mask);
      word_before = trail.words[i + 15];
    } else if ((trail.jumped >> (i / 16) & 1) == 0) {
      for (std::size_t k = 0; k < 16; ++k) trail.offset_bits += OffsetBits(trail.words[i + k]);
    }
  }
}

// Unpacks a batch from its trail while walking another one.
template <Record kRecord, class Unpacker, class L>
HWY_INLINE void Fused(Unpacker& unpacker, UnpackCursor<L> cursor, const CodeTrail& trail,
                      CodeWalk& walk) {
  Walker walker;
  walker.Start(walk);
  CodeTrail& next = *walk.trail;
  const std::uint32_t word_before = walker.filled;
  next.words_before[15] = next.sum_before = word_before;
  next.jumped = 0;
  for (std::size_t i = 0; i < kBatchN; i += 16) {
    walker.Sixteen<kRecord>(next, i);
    cursor.SpillToMemory();
    unpacker.Sixteen(trail, i, cursor);
    cursor.SpillToMemory();
  }
  EndTrail<kRecord>(walker, word_before, walk);
}

// The same if sixteen latents may be jumped over in either batch. Latents that were jumped over all
// have the same value, since the dominant symbol has no offsets.
template <Record kRecord, class Unpacker, class L>
HWY_INLINE void FusedJumping(Unpacker& unpacker, UnpackCursor<L> cursor,
                             const LatentTables<L>& tables, const CodeTrail& trail,
                             CodeWalk& walk) {
  static_assert(AnsJumps::kSteps * kAnsStates == 16);
  Walker walker;
  walker.Start(walk);
  CodeTrail& next = *walk.trail;
  const std::uint32_t word_before = walker.filled;
  next.words_before[15] = next.sum_before = word_before;
  next.jumped = 0;
  unpacker.SetRepeated(tables.lowers[tables.jumps.entry >> tables.layout.symbol_shift]);
  for (std::size_t i = 0; i < kBatchN; i += 16) {
    if (walk.jumps.targets != nullptr && walker.Jump<kRecord>(walk.jumps, next, i)) {
      next.jumped |= std::uint32_t{1} << (i / 16);
    } else {
      walker.Sixteen<kRecord>(next, i);
    }
    cursor.SpillToMemory();
    if ((trail.jumped >> (i / 16) & 1) != 0) {
      unpacker.SixteenRepeated(cursor);
    } else {
      unpacker.Sixteen(trail, i, cursor);
    }
    cursor.SpillToMemory();
  }
  EndTrail<kRecord>(walker, word_before, walk);
}

// The largest offset width that an unpacker must support. It is 0 for a batch without offsets: bins
// with offsets may be rare.
template <class L>
HWY_INLINE unsigned MaxOffsetBits(const LatentTables<L>& tables, const CodeTrail& trail) {
  return trail.offset_bits == 0 ? 0 : tables.max_offset_bits;
}

template <class Unpacker, class L>
HWY_INLINE void UnpackOnly(Unpacker& unpacker, UnpackCursor<L> cursor,
                           const LatentTables<L>& tables, const CodeTrail& trail) {
  unpacker.SetRepeated(tables.lowers[tables.jumps.entry >> tables.layout.symbol_shift]);
  for (std::size_t i = 0; i < kBatchN; i += 16) {
    if ((trail.jumped >> (i / 16) & 1) != 0) {
      unpacker.SixteenRepeated(cursor);
    } else {
      unpacker.Sixteen(trail, i, cursor);
    }
  }
}

template <Record kRecord>
HWY_INLINE void WalkOnly(CodeWalk& walk) {
  Walker walker;
  walker.Start(walk);
  CodeTrail& trail = *walk.trail;
  const std::uint32_t word_before = walker.filled;
  trail.words_before[15] = trail.sum_before = word_before;
  trail.jumped = 0;
  for (std::size_t i = 0; i < kBatchN; i += 16) walker.Sixteen<kRecord>(trail, i);
  EndTrail<kRecord>(walker, word_before, walk);
}

template <Record kRecord>
HWY_NOINLINE void WalkJumping(CodeWalk& walk) {
  Walker walker;
  walker.Start(walk);
  CodeTrail& trail = *walk.trail;
  const std::uint32_t word_before = walker.filled;
  trail.words_before[15] = trail.sum_before = word_before;
  trail.jumped = 0;
  for (std::size_t i = 0; i < kBatchN; i += 16) {
    if (walker.Jump<kRecord>(walk.jumps, trail, i)) {
      trail.jumped |= std::uint32_t{1} << (i / 16);
      continue;
    }
    walker.Sixteen<kRecord>(trail, i);
  }
  EndTrail<kRecord>(walker, word_before, walk);
}

template <OffsetsPerWord kOffsets, class Symbol, class L>
struct ScalarUnpacker {
  const Lower<L>* HWY_RESTRICT lowers;
  Symbol symbol_at;
  L repeated = 0;

  HWY_INLINE ScalarUnpacker(const LatentTables<L>& tables, const Finish<L>&, const UnpackCursor<L>&)
      : lowers(tables.lowers.data()) {
    if constexpr (std::is_same_v<Symbol, SymbolAbove>) {
      symbol_at.shift = tables.layout.symbol_shift;
    }
  }

  HWY_INLINE void Sixteen(const CodeTrail& trail, std::size_t first, UnpackCursor<L>& cursor) {
    const std::uint32_t* const HWY_RESTRICT words = trail.words + first;
    L* HWY_RESTRICT out = cursor.out;
    if constexpr (kOffsets == OffsetsPerWord::kNone) {
      for (std::size_t i = 0; i < 16; ++i) out[i] = static_cast<L>(lowers[symbol_at(words + i)]);
    } else {
      std::uint64_t position = cursor.position;
      for (std::size_t i = 0; i < 16; i += 4) {
        UnpackFour<kOffsets>(lowers, symbol_at, words + i, cursor.in, position, out + i);
      }
      cursor.position = position;
    }
    cursor.out += 16;
  }

  HWY_INLINE void SetRepeated(Lower<L> latent) { repeated = static_cast<L>(latent); }
  HWY_INLINE void SixteenRepeated(UnpackCursor<L>& cursor) const {
    std::fill_n(cursor.out, 16, repeated);
    cursor.out += 16;
  }
};

// Lower ends in a register of 64 bytes.
template <class L>
inline constexpr std::size_t kLowersPerRegister = 64 / sizeof(Lower<L>);

// Whether the lookup takes four registers, which fused loops that jump do not have. In a batch that
// was jumped through, a gather for the other latents costs little.
template <class L>
HWY_INLINE bool NeedsFourRegisters(const LatentTables<L>& tables) {
  return tables.bin_n > 2 * kLowersPerRegister<L> && tables.bin_n <= 4 * kLowersPerRegister<L>;
}

#if HWY_TARGET <= HWY_AVX3_DL

inline constexpr Record kRecord = Record::kRunningWord;
inline constexpr bool kPrefersByteSymbols = false;
inline constexpr bool kFuses = true;
inline constexpr bool kFusesJumps = true;
template <class L>
inline constexpr bool kSupportsFinish = sizeof(L) >= 4;

// Calls f with the unpacker type for the tables, widths and finish.
template <bool kJumps, FinishKind kFinish, Widths kWidths, class L, class F>
HWY_INLINE void WithLookup(const LatentTables<L>& tables, const F& f) {
  if (tables.bin_n <= 2 * kLowersPerRegister<L>) {
    return f.template operator()<VectorUnpacker<kWidths, Lookup::kTwoRegisters, kFinish, L>>();
  }
  if constexpr (!kJumps) {
    if (NeedsFourRegisters(tables)) {
      return f.template operator()<VectorUnpacker<kWidths, Lookup::kFourRegisters, kFinish, L>>();
    }
  }
  f.template operator()<VectorUnpacker<kWidths, Lookup::kGather, kFinish, L>>();
}

template <bool kJumps, FinishKind kFinish, class L, class F>
HWY_INLINE void WithWidths(const LatentTables<L>& tables, const CodeTrail& trail, const F& f) {
  const unsigned max_bits = MaxOffsetBits(tables, trail);
  if (max_bits == 0) return WithLookup<kJumps, kFinish, Widths::kNone>(tables, f);
  if (sizeof(L) < 4 || max_bits <= 25) {
    return WithLookup<kJumps, kFinish, Widths::kShort>(tables, f);
  }
  if constexpr (sizeof(L) == 8) {
    if (max_bits <= 57) return WithLookup<kJumps, kFinish, Widths::kMedium>(tables, f);
  }
  if constexpr (sizeof(L) >= 4) return WithLookup<kJumps, kFinish, Widths::kWide>(tables, f);
}

// Latents of 8 and 16 bits are finished by separate passes, which have more lanes per vector.
template <bool kJumps, class L, class F>
HWY_INLINE void WithUnpacker(const LatentTables<L>& tables, const CodeTrail& trail,
                             Finish<L>& finish, const F& f) {
  if constexpr (kSupportsFinish<L>) {
    switch (finish.kind) {
      case FinishKind::kSum:
        return WithWidths<kJumps, FinishKind::kSum>(tables, trail, f);
      case FinishKind::kFloat:
        return WithWidths<kJumps, FinishKind::kFloat>(tables, trail, f);
      case FinishKind::kSumFloat:
        return WithWidths<kJumps, FinishKind::kSumFloat>(tables, trail, f);
      case FinishKind::kFloatMult:
        return WithWidths<kJumps, FinishKind::kFloatMult>(tables, trail, f);
      case FinishKind::kFloatQuant:
        return WithWidths<kJumps, FinishKind::kFloatQuant>(tables, trail, f);
      case FinishKind::kStore:
        break;
    }
  }
  WithWidths<kJumps, FinishKind::kStore>(tables, trail, f);
}

template <class Unpacker, class L>
HWY_INLINE void StoreMoment(const Unpacker& unpacker, Finish<L>& finish) {
  finish.moment = unpacker.Moment();
}

#else

inline constexpr bool kHasHalves = HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX2;
inline constexpr Record kRecord = kHasHalves ? Record::kEntryAndSums : Record::kEntry;
inline constexpr bool kPrefersByteSymbols = true;
// Where a build has a better instruction set, but not SSE4, the baseline stays small.
inline constexpr bool kFuses = HWY_TARGET != HWY_STATIC_TARGET ||
                               HWY_TARGETS == HWY_STATIC_TARGET || (HWY_TARGETS & HWY_SSE4) != 0 ||
                               !HWY_ARCH_X86;
// Fused jumps are left out for these targets: they would increase the code by half.
inline constexpr bool kFusesJumps = false;
template <class L>
inline constexpr bool kSupportsFinish = false;

// For offsets of more than kMinBits bits, if that is not 0.
template <class Symbol, unsigned kMinBits, class L, class F>
HWY_INLINE void WithSymbol(unsigned max_bits, const F& f) {
  // Offsets are not wider than latents, so narrow latents need fewer loops.
  constexpr unsigned kMaxBits = kBits<L>;
  if constexpr (kMinBits == 0) {
    if (max_bits == 0) {
      return f.template operator()<ScalarUnpacker<OffsetsPerWord::kNone, Symbol, L>>();
    }
    // With AVX2 these loops are for more than 256 bins only, and this one is left out.
    if (kMaxBits <= 14 || (!kHasHalves && max_bits <= 14)) {
      return f.template operator()<ScalarUnpacker<OffsetsPerWord::kFour, Symbol, L>>();
    }
  }
  if constexpr (kMinBits < 28 && kMaxBits > 14) {
    if (kMaxBits <= 28 || max_bits <= 28) {
      return f.template operator()<ScalarUnpacker<OffsetsPerWord::kTwo, Symbol, L>>();
    }
  }
  if constexpr (kMinBits < 57 && kMaxBits > 28) {
    if (kMaxBits <= 57 || max_bits <= 57) {
      return f.template operator()<ScalarUnpacker<OffsetsPerWord::kOne, Symbol, L>>();
    }
  }
  if constexpr (kMaxBits > 57) {
    f.template operator()<ScalarUnpacker<OffsetsPerWord::kOneInTwoWords, Symbol, L>>();
  }
}

#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX2

template <HalfLookup kLookup, class L, class F>
HWY_INLINE void WithHalves(unsigned max_bits, const F& f) {
  if constexpr (kLookup == HalfLookup::kTwoRegisters) {
    if (max_bits == 0) {
      return f.template operator()<HalvesUnpacker<HalfWidths::kNone, kLookup, L>>();
    }
  }
  if (sizeof(L) < 4 || max_bits <= kShortHalvesBits) {
    return f.template operator()<HalvesUnpacker<HalfWidths::kShort, kLookup, L>>();
  }
  if constexpr (sizeof(L) >= 4 && kLookup != HalfLookup::kFourRegisters) {
    f.template operator()<HalvesUnpacker<HalfWidths::kWide, kLookup, L>>();
  }
}

template <bool kJumps, class L, class F>
HWY_INLINE void WithUnpacker(const LatentTables<L>& tables, const CodeTrail& trail, Finish<L>&,
                             const F& f) {
  const unsigned max_bits = MaxOffsetBits(tables, trail);
  if (tables.layout.symbol_shift != kByteLayout.symbol_shift) {
    return WithSymbol<SymbolAbove, 0, L>(max_bits, f);
  }
  if constexpr (sizeof(L) < 8) {
    if (tables.bin_n <= kTwoRegistersBinN) {
      return WithHalves<HalfLookup::kTwoRegisters, L>(max_bits, f);
    }
  }
  if (max_bits == 0) {
    return f.template operator()<ScalarUnpacker<OffsetsPerWord::kNone, SymbolInByte, L>>();
  }
  if constexpr (sizeof(L) < 8) {
    // Wider offsets are faster with lookups in memory.
    if (tables.bin_n <= kFourRegistersBinN && max_bits <= kShortHalvesBits) {
      return WithHalves<HalfLookup::kFourRegisters, L>(max_bits, f);
    }
  }
  if (sizeof(L) < 8 || max_bits <= kWideHalvesBits) {
    return WithHalves<HalfLookup::kMemory, L>(max_bits, f);
  }
  if constexpr (sizeof(L) == 8) WithSymbol<SymbolInByte, kWideHalvesBits, L>(max_bits, f);
}

#else

template <bool kJumps, class L, class F>
HWY_INLINE void WithUnpacker(const LatentTables<L>& tables, const CodeTrail& trail, Finish<L>&,
                             const F& f) {
  const unsigned max_bits = MaxOffsetBits(tables, trail);
  if constexpr (!kFuses) {
    // Two loops, which do for any tables.
    if constexpr (sizeof(L) == 8) {
      if (max_bits > 57) {
        return f
            .template operator()<ScalarUnpacker<OffsetsPerWord::kOneInTwoWords, SymbolAbove, L>>();
      }
    }
    f.template operator()<ScalarUnpacker<OffsetsPerWord::kOne, SymbolAbove, L>>();
  } else if (tables.layout.symbol_shift == kByteLayout.symbol_shift) {
    WithSymbol<SymbolInByte, 0, L>(max_bits, f);
  } else {
    WithSymbol<SymbolAbove, 0, L>(max_bits, f);
  }
}

#endif

template <class Unpacker, class L>
HWY_INLINE void StoreMoment(const Unpacker&, Finish<L>&) {}

#endif

template <class Unpacker, class L>
HWY_NOINLINE void UnpackAndWalkWith(const LatentTables<L>& tables, const CodeTrail& trail,
                                    const std::byte* in, std::uint64_t position, L* out,
                                    Finish<L>& finish, CodeWalk& walk) {
  const UnpackCursor<L> cursor{in, position, out, finish.primary};
  Unpacker unpacker(tables, finish, cursor);
  Fused<kRecord>(unpacker, cursor, trail, walk);
  StoreMoment(unpacker, finish);
}
template <class Unpacker, class L>
HWY_NOINLINE void UnpackAndWalkJumping(const LatentTables<L>& tables, const CodeTrail& trail,
                                       const std::byte* in, std::uint64_t position, L* out,
                                       Finish<L>& finish, CodeWalk& walk) {
  const UnpackCursor<L> cursor{in, position, out, finish.primary};
  Unpacker unpacker(tables, finish, cursor);
  FusedJumping<kRecord>(unpacker, cursor, tables, trail, walk);
  StoreMoment(unpacker, finish);
}
template <class Unpacker, class L>
HWY_NOINLINE void UnpackWith(const LatentTables<L>& tables, const CodeTrail& trail,
                             const std::byte* in, std::uint64_t position, L* out,
                             Finish<L>& finish) {
  const UnpackCursor<L> cursor{in, position, out, finish.primary};
  Unpacker unpacker(tables, finish, cursor);
  UnpackOnly(unpacker, cursor, tables, trail);
  StoreMoment(unpacker, finish);
}

HWY_NOINLINE void Walk(CodeWalk& walk) {
  if (walk.jumps.targets != nullptr) return WalkJumping<kRecord>(walk);
  WalkOnly<kRecord>(walk);
}

template <class L>
void Unpack(const LatentTables<L>& tables, const CodeTrail& trail, const std::byte* in,
            std::uint64_t position, L* out, Finish<L>& finish) {
  WithUnpacker<false>(tables, trail, finish, [&]<class Unpacker>() HWY_ATTR {
    UnpackWith<Unpacker>(tables, trail, in, position, out, finish);
  });
}

template <class L>
void UnpackAndWalk(const LatentTables<L>& tables, const CodeTrail& trail, const std::byte* in,
                   std::uint64_t position, L* out, Finish<L>& finish, CodeWalk& walk) {
  const bool walk_jumps = walk.jumps.targets != nullptr;
  const bool jumps = walk_jumps || trail.jumped != 0;
  // If both batches have jumps, both loops are short, and fusing them saves nothing. Nor is a batch
  // without jumps fused whose lookup takes four registers: a gather for all its latents costs more.
  const bool fuses_jumps =
      kFusesJumps && !(walk_jumps && (trail.jumped != 0 || NeedsFourRegisters(tables)));
  if (!kFuses || (jumps && !fuses_jumps)) {
    Unpack(tables, trail, in, position, out, finish);
    return Walk(walk);
  }
  if constexpr (kFusesJumps) {
    if (jumps) {
      return WithUnpacker<true>(tables, trail, finish, [&]<class Unpacker>() HWY_ATTR {
        UnpackAndWalkJumping<Unpacker>(tables, trail, in, position, out, finish, walk);
      });
    }
  }
  if constexpr (kFuses) {
    WithUnpacker<false>(tables, trail, finish, [&]<class Unpacker>() HWY_ATTR {
      UnpackAndWalkWith<Unpacker>(tables, trail, in, position, out, finish, walk);
    });
  }
}

template <class L>
inline constexpr LatentKernels<L> kKernels{kPrefersByteSymbols, kRecord == Record::kRunningWord,
                                           kSupportsFinish<L>,  Walk,
                                           Unpack<L>,           UnpackAndWalk<L>,
                                           Decode<L>,           Skip<L>};

const LatentKernels<std::uint8_t>& Kernels8() { return kKernels<std::uint8_t>; }
const LatentKernels<std::uint16_t>& Kernels16() { return kKernels<std::uint16_t>; }
const LatentKernels<std::uint32_t>& Kernels32() { return kKernels<std::uint32_t>; }
const LatentKernels<std::uint64_t>& Kernels64() { return kKernels<std::uint64_t>; }

}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_SCALAR_KERNEL

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact::internal {

NUMPACT_EXPORT_SCALAR(Kernels8);
NUMPACT_EXPORT_SCALAR(Kernels16);
NUMPACT_EXPORT_SCALAR(Kernels32);
NUMPACT_EXPORT_SCALAR(Kernels64);

template <>
const LatentKernels<std::uint8_t>& latent_kernels() {
  return NUMPACT_DISPATCH(Kernels8)();
}
template <>
const LatentKernels<std::uint16_t>& latent_kernels() {
  return NUMPACT_DISPATCH(Kernels16)();
}
template <>
const LatentKernels<std::uint32_t>& latent_kernels() {
  return NUMPACT_DISPATCH(Kernels32)();
}
template <>
const LatentKernels<std::uint64_t>& latent_kernels() {
  return NUMPACT_DISPATCH(Kernels64)();
}

}  // namespace numpact::internal
#endif
