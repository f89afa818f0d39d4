// SPDX-License-Identifier: Apache-2.0
// The innermost loops of decoding.
#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/latent/latent_decoder_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "pco/latent/latent_decoder.hpp"
// After foreach_target.
#include "pco/latent/unpack_scalar-inl.hpp"
#include "pco/latent/unpack_vbmi-inl.hpp"
#include "pco/latent/walk-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace numpact {
namespace HWY_NAMESPACE {

// ---- any number of latents, any table: by the letter ----

// infos[i] becomes the info of latent i. Returns the position behind the codes.
HWY_NOINLINE std::uint64_t WalkSome(const AnsNode* nodes, AnsStates& states, const std::byte* in,
                                    std::uint64_t position, std::size_t n,
                                    std::uint32_t* HWY_RESTRICT infos) {
  CodeWalk walk{nodes, kPlainInfo, {}, &states, in, position, nullptr};
  Walker walker;
  walker.Start(walk);
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) walker.Four<Note::kInfo>(infos + i);
  walker.Rest<Note::kInfo>(n - i, infos + i);
  walker.Finish(walk);
  return walk.position;
}

template <bool kWide, class L>
HWY_NOINLINE std::uint64_t UnpackSome(const LatentTables<L>& tables,
                                      const std::uint32_t* HWY_RESTRICT infos,
                                      const std::byte* HWY_RESTRICT in, std::uint64_t position,
                                      std::size_t n, L* HWY_RESTRICT out) {
  const Lower<L>* const lowers = tables.lowers.data();
  const unsigned shift = tables.layout.symbol_shift;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t width = OffsetBits(infos[i]);
    out[i] = static_cast<L>(lowers[infos[i] >> shift] + Bits<kWide>(in, position, width));
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
  const std::uint64_t behind = UnpackOneBin(lower, width, in, position, n, out);
  const std::size_t done = static_cast<std::size_t>((behind - position) / width);
  position = behind;
  out += done;
  n -= done;
  if (n == 0) return position;
#endif
  return width <= 57 ? UnpackUniform<false>(lower, width, in, position, n, out)
                     : UnpackUniform<true>(lower, width, in, position, n, out);
}

template <class L>
std::uint64_t Decode(const LatentTables<L>& tables, AnsStates& states, const std::byte* in,
                     std::uint64_t position, std::size_t n, L* out) {
  if (!tables.is_coded()) return DecodeUncoded(tables, in, position, n, out);
  HWY_ALIGN std::uint32_t infos[kBatchN];
  position = WalkSome(tables.nodes.data(), states, in, position, n, infos);
  return tables.max_offset_bits <= 57 ? UnpackSome<false>(tables, infos, in, position, n, out)
                                      : UnpackSome<true>(tables, infos, in, position, n, out);
}

template <class L>
SkippedBits Skip(const LatentTables<L>& tables, AnsStates& states, const std::byte* in,
                 std::uint64_t position, std::size_t n) {
  SkippedBits skipped;
  if (!tables.is_coded()) {
    skipped.offsets = n * std::uint64_t{tables.max_offset_bits};
    return skipped;
  }
  HWY_ALIGN std::uint32_t infos[kBatchN];
  skipped.codes = WalkSome(tables.nodes.data(), states, in, position, n, infos) - position;
  std::uint32_t widths = 0;
  for (std::size_t i = 0; i < n; ++i) widths += (infos[i] >> kInfoOffsetShift) & 0xff;
  skipped.offsets = widths;
  return skipped;
}

// ---- whole batches, tables of the summed layout ----

// Finishes a walk whose words were noted; `before` is the running word ahead of them.
template <Note kNote>
HWY_INLINE void EndTrail(const Walker& walker, std::uint32_t before, CodeWalk& walk) {
  walker.Finish(walk);
  CodeTrail& trail = *walk.trail;
  const std::uint32_t mask = walk.layout.sum_mask();
  if (HWY_LIKELY(walk.layout.sums_batches)) {
    trail.offset_bits = OffsetBitsBetween(before, walker.filled, mask);
    return;
  }
  trail.offset_bits = 0;
  for (std::size_t i = 0; i < kBatchN; i += 16) {
    if constexpr (kNote == Note::kRunning) {
      trail.offset_bits += OffsetBitsBetween(before, trail.words[i + 15], mask);
      before = trail.words[i + 15];
    } else if ((trail.jumped >> (i / 16) & 1) == 0) {
      for (std::size_t k = 0; k < 16; ++k) trail.offset_bits += OffsetBits(trail.words[i + k]);
    }
  }
}

// Unpacks a batch with `unpacker` from its trail while walking another.
template <Note kNote, class Unpacker, class L>
HWY_INLINE void Fused(Unpacker& unpacker, UnpackCursor<L> cursor, const CodeTrail& trail,
                      CodeWalk& walk) {
  Walker walker;
  walker.Start(walk);
  CodeTrail& next = *walk.trail;
  const std::uint32_t before = walker.filled;
  next.before[15] = before;
  next.jumped = 0;
  for (std::size_t i = 0; i < kBatchN; i += 16) {
    walker.Sixteen<kNote>(next.words + i);
    cursor.LeaveRegisters();
    unpacker.Sixteen(trail.words + i, cursor);
    cursor.LeaveRegisters();
  }
  EndTrail<kNote>(walker, before, walk);
}

// The same where sixteen latents may be jumped over in either batch. Latents that were are all
// alike: the dominant symbol has no offsets.
template <Note kNote, class Unpacker, class L>
HWY_INLINE void FusedJumping(Unpacker& unpacker, UnpackCursor<L> cursor,
                             const LatentTables<L>& tables, const CodeTrail& trail,
                             CodeWalk& walk) {
  static_assert(AnsJumps::kSteps * kAnsStates == 16);
  Walker walker;
  walker.Start(walk);
  CodeTrail& next = *walk.trail;
  const std::uint32_t before = walker.filled;
  next.before[15] = before;
  next.jumped = 0;
  unpacker.AimAt(tables.lowers[tables.jumps.info >> tables.layout.symbol_shift]);
  for (std::size_t i = 0; i < kBatchN; i += 16) {
    if (walk.jumps.targets != nullptr && walker.Jump<kNote>(walk.jumps, next.words + i)) {
      next.jumped |= std::uint32_t{1} << (i / 16);
    } else {
      walker.Sixteen<kNote>(next.words + i);
    }
    cursor.LeaveRegisters();
    if ((trail.jumped >> (i / 16) & 1) != 0) {
      unpacker.SixteenAlike(cursor);
    } else {
      unpacker.Sixteen(trail.words + i, cursor);
    }
    cursor.LeaveRegisters();
  }
  EndTrail<kNote>(walker, before, walk);
}

// The width that an unpacker must be made for: bins with offsets may be rare.
template <class L>
HWY_INLINE unsigned WidestIn(const LatentTables<L>& tables, const CodeTrail& trail) {
  return trail.offset_bits == 0 ? 0 : tables.max_offset_bits;
}

template <class Unpacker, class L>
HWY_INLINE void UnpackOnly(Unpacker& unpacker, UnpackCursor<L> cursor,
                           const LatentTables<L>& tables, const CodeTrail& trail) {
  unpacker.AimAt(tables.lowers[tables.jumps.info >> tables.layout.symbol_shift]);
  for (std::size_t i = 0; i < kBatchN; i += 16) {
    if ((trail.jumped >> (i / 16) & 1) != 0) {
      unpacker.SixteenAlike(cursor);
    } else {
      unpacker.Sixteen(trail.words + i, cursor);
    }
  }
}

template <Note kNote>
HWY_INLINE void WalkOnly(CodeWalk& walk) {
  Walker walker;
  walker.Start(walk);
  CodeTrail& trail = *walk.trail;
  const std::uint32_t before = walker.filled;
  trail.before[15] = before;
  trail.jumped = 0;
  for (std::size_t i = 0; i < kBatchN; i += 16) walker.Sixteen<kNote>(trail.words + i);
  EndTrail<kNote>(walker, before, walk);
}

template <Note kNote>
HWY_NOINLINE void WalkJumping(CodeWalk& walk) {
  Walker walker;
  walker.Start(walk);
  CodeTrail& trail = *walk.trail;
  const std::uint32_t before = walker.filled;
  trail.before[15] = before;
  trail.jumped = 0;
  for (std::size_t i = 0; i < kBatchN; i += 16) {
    if (walker.Jump<kNote>(walk.jumps, trail.words + i)) {
      trail.jumped |= std::uint32_t{1} << (i / 16);
      continue;
    }
    walker.Sixteen<kNote>(trail.words + i);
  }
  EndTrail<kNote>(walker, before, walk);
}

template <OffsetsPerWord kOffsets, class Symbol, class L>
struct ScalarUnpacker {
  const Lower<L>* HWY_RESTRICT lowers;
  Symbol symbol_at;
  L alike = 0;

  HWY_INLINE ScalarUnpacker(const LatentTables<L>& tables, const Finish<L>&)
      : lowers(tables.lowers.data()) {
    if constexpr (std::is_same_v<Symbol, SymbolAbove>) {
      symbol_at.shift = tables.layout.symbol_shift;
    }
  }

  HWY_INLINE void Sixteen(const std::uint32_t* HWY_RESTRICT words, UnpackCursor<L>& cursor) {
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

  HWY_INLINE void AimAt(Lower<L> latent) { alike = static_cast<L>(latent); }
  HWY_INLINE void SixteenAlike(UnpackCursor<L>& cursor) const {
    std::fill_n(cursor.out, 16, alike);
    cursor.out += 16;
  }
};

#if HWY_TARGET <= HWY_AVX3_DL

inline constexpr Note kNote = Note::kRunning;
inline constexpr bool kLikesByteSymbols = false;
inline constexpr bool kFusesJumps = true;
template <class L>
inline constexpr bool kFinishes = sizeof(L) >= 4;

// Calls f with the unpacker made for the tables and the finish.
template <FinishKind kFinish, Widths kWidths, class L, class F>
HWY_INLINE void WithLookup(const LatentTables<L>& tables, const F& f) {
  constexpr std::size_t kLanes = 64 / sizeof(Lower<L>);
  if (tables.bin_n <= 2 * kLanes) {
    f.template operator()<VectorUnpacker<kWidths, Lookup::kTwoRegisters, kFinish, L>>();
  } else if (tables.bin_n <= 4 * kLanes) {
    f.template operator()<VectorUnpacker<kWidths, Lookup::kFourRegisters, kFinish, L>>();
  } else {
    f.template operator()<VectorUnpacker<kWidths, Lookup::kGather, kFinish, L>>();
  }
}

template <FinishKind kFinish, class L, class F>
HWY_INLINE void WithWidths(const LatentTables<L>& tables, const CodeTrail& trail, const F& f) {
  const unsigned widest = WidestIn(tables, trail);
  if (widest == 0) return WithLookup<kFinish, Widths::kNone>(tables, f);
  if (sizeof(L) < 4 || widest <= 25) return WithLookup<kFinish, Widths::kShort>(tables, f);
  if constexpr (sizeof(L) == 8) {
    if (widest <= 57) return WithLookup<kFinish, Widths::kMedium>(tables, f);
  }
  if constexpr (sizeof(L) >= 4) return WithLookup<kFinish, Widths::kWide>(tables, f);
}

// Narrow latents are finished by passes over whole vectors of them.
template <class L, class F>
HWY_INLINE void WithUnpacker(const LatentTables<L>& tables, const CodeTrail& trail,
                             Finish<L>& finish, const F& f) {
  if constexpr (kFinishes<L>) {
    switch (finish.kind) {
      case FinishKind::kSum:
        return WithWidths<FinishKind::kSum>(tables, trail, f);
      case FinishKind::kFloat:
        return WithWidths<FinishKind::kFloat>(tables, trail, f);
      case FinishKind::kSumFloat:
        return WithWidths<FinishKind::kSumFloat>(tables, trail, f);
      case FinishKind::kFloatMult:
        return WithWidths<FinishKind::kFloatMult>(tables, trail, f);
      case FinishKind::kFloatQuant:
        return WithWidths<FinishKind::kFloatQuant>(tables, trail, f);
      case FinishKind::kStore:
        break;
    }
  }
  WithWidths<FinishKind::kStore>(tables, trail, f);
}

template <class Unpacker, class L>
HWY_INLINE void NoteMoment(const Unpacker& unpacker, Finish<L>& finish) {
  finish.moment = unpacker.Moment();
}

#else

inline constexpr Note kNote = Note::kInfo;
inline constexpr bool kLikesByteSymbols = true;
// Left out here, where it would be half as much code again.
inline constexpr bool kFusesJumps = false;
template <class L>
inline constexpr bool kFinishes = false;

template <class Symbol, class L, class F>
HWY_INLINE void WithSymbol(const LatentTables<L>& tables, const CodeTrail& trail, const F& f) {
  const unsigned widest = WidestIn(tables, trail);
  if (widest == 0) {
    f.template operator()<ScalarUnpacker<OffsetsPerWord::kNone, Symbol, L>>();
  } else if (widest <= 14) {
    f.template operator()<ScalarUnpacker<OffsetsPerWord::kFour, Symbol, L>>();
  } else if (widest <= 28) {
    f.template operator()<ScalarUnpacker<OffsetsPerWord::kTwo, Symbol, L>>();
  } else if (widest <= 57) {
    f.template operator()<ScalarUnpacker<OffsetsPerWord::kOne, Symbol, L>>();
  } else {
    f.template operator()<ScalarUnpacker<OffsetsPerWord::kOneInTwoWords, Symbol, L>>();
  }
}

template <class L, class F>
HWY_INLINE void WithUnpacker(const LatentTables<L>& tables, const CodeTrail& trail, Finish<L>&,
                             const F& f) {
  if (tables.layout.symbol_shift == kByteInfo.symbol_shift) {
    WithSymbol<SymbolInByte>(tables, trail, f);
  } else {
    WithSymbol<SymbolAbove>(tables, trail, f);
  }
}

template <class Unpacker, class L>
HWY_INLINE void NoteMoment(const Unpacker&, Finish<L>&) {}

#endif

template <class Unpacker, class L>
HWY_NOINLINE void UnpackAndWalkWith(const LatentTables<L>& tables, const CodeTrail& trail,
                                    const std::byte* in, std::uint64_t position, L* out,
                                    Finish<L>& finish, CodeWalk& walk) {
  Unpacker unpacker(tables, finish);
  Fused<kNote>(unpacker, UnpackCursor<L>{in, position, out, finish.primary}, trail, walk);
  NoteMoment(unpacker, finish);
}
template <class Unpacker, class L>
HWY_NOINLINE void UnpackAndWalkJumping(const LatentTables<L>& tables, const CodeTrail& trail,
                                       const std::byte* in, std::uint64_t position, L* out,
                                       Finish<L>& finish, CodeWalk& walk) {
  Unpacker unpacker(tables, finish);
  FusedJumping<kNote>(unpacker, UnpackCursor<L>{in, position, out, finish.primary}, tables, trail,
                      walk);
  NoteMoment(unpacker, finish);
}
template <class Unpacker, class L>
HWY_NOINLINE void UnpackWith(const LatentTables<L>& tables, const CodeTrail& trail,
                             const std::byte* in, std::uint64_t position, L* out,
                             Finish<L>& finish) {
  Unpacker unpacker(tables, finish);
  const UnpackCursor<L> cursor{in, position, out, finish.primary};
  UnpackOnly(unpacker, cursor, tables, trail);
  NoteMoment(unpacker, finish);
}

HWY_NOINLINE void Walk(CodeWalk& walk) {
  if (walk.jumps.targets != nullptr) return WalkJumping<kNote>(walk);
  WalkOnly<kNote>(walk);
}

template <class L>
void Unpack(const LatentTables<L>& tables, const CodeTrail& trail, const std::byte* in,
            std::uint64_t position, L* out, Finish<L>& finish) {
  WithUnpacker(tables, trail, finish, [&]<class Unpacker>() HWY_ATTR {
    UnpackWith<Unpacker>(tables, trail, in, position, out, finish);
  });
}

template <class L>
void UnpackAndWalk(const LatentTables<L>& tables, const CodeTrail& trail, const std::byte* in,
                   std::uint64_t position, L* out, Finish<L>& finish, CodeWalk& walk) {
  const bool walk_jumps = walk.jumps.targets != nullptr;
  const bool jumps = walk_jumps || trail.jumped != 0;
  // Where both jump, both are short: nothing waits for the other.
  if ((jumps && !kFusesJumps) || (walk_jumps && trail.jumped != 0)) {
    Unpack(tables, trail, in, position, out, finish);
    return Walk(walk);
  }
  WithUnpacker(tables, trail, finish, [&]<class Unpacker>() HWY_ATTR {
    if constexpr (kFusesJumps) {
      if (jumps) {
        return UnpackAndWalkJumping<Unpacker>(tables, trail, in, position, out, finish, walk);
      }
    }
    UnpackAndWalkWith<Unpacker>(tables, trail, in, position, out, finish, walk);
  });
}

template <class L>
inline constexpr LatentKernels<L> kKernels{kLikesByteSymbols, kFinishes<L>, Walk,   Unpack<L>,
                                           UnpackAndWalk<L>,  Decode<L>,    Skip<L>};

const LatentKernels<std::uint8_t>& Kernels8() { return kKernels<std::uint8_t>; }
const LatentKernels<std::uint16_t>& Kernels16() { return kKernels<std::uint16_t>; }
const LatentKernels<std::uint32_t>& Kernels32() { return kKernels<std::uint32_t>; }
const LatentKernels<std::uint64_t>& Kernels64() { return kKernels<std::uint64_t>; }

}  // namespace HWY_NAMESPACE
}  // namespace numpact
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact {

NUMPACT_EXPORT(Kernels8);
NUMPACT_EXPORT(Kernels16);
NUMPACT_EXPORT(Kernels32);
NUMPACT_EXPORT(Kernels64);

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

}  // namespace numpact
#endif
