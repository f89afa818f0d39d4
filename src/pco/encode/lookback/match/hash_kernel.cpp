// SPDX-License-Identifier: Apache-2.0
// The hash of a string comes from those of its halves. Let h1(i) be the hash of latent i. Then
//
//   h2(i) = h1(i - 1) * f + h1(i)        two latents that end at i
//   h4(i) = h2(i - 2) * f + h2(i)        four latents
//   h8(i) = h4(i - 4) * f + h4(i), ...
//
// Invariant: after k doublings the hash at i depends on the 2^k latents that end at i, and on
// nothing else. So equal strings have equal hashes wherever they are, on every target. The hash is
// valid from index 2^k - 1 of a HashBlock on, thus for all latents of the block, since k <= 4 and
// kHashHistory = 16 older hashes precede them. Those before index 2^k - 1 are arbitrary, and no
// valid one depends on them.
#include "pco/encode/lookback/match/hash_kernel.hpp"

#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/encode/lookback/match/hash_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>

#if NUMPACT_VECTOR_KERNEL
HWY_BEFORE_NAMESPACE();
namespace numpact::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Odd 32-bit primes with bits spread evenly (those of xxHash). Their values do not matter, except
// that other ones pick other latents and so change what is encoded.
constexpr std::uint32_t kLowFactor = 0x9e3779b1u;
constexpr std::uint32_t kHighFactor = 0x85ebca77u;
constexpr std::uint32_t kStart = 0x27d4eb2fu;
constexpr std::uint32_t kStringFactor = 0xc2b2ae3du;
constexpr std::uint32_t kPickFactor = 0x165667b1u;

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

using Lanes = hn::ScalableTag<std::uint32_t>;
using HashLanes = hn::Vec<Lanes>;

HWY_INLINE HashLanes Fold(HashLanes product) {
  return hn::Xor(product, hn::ShiftRight<15>(product));
}

// low * kLowFactor + high * kHighFactor for a vector of latents.
template <class L>
HWY_INLINE HashLanes Product(const L* latents) {
  const Lanes d;
  const HashLanes low_factor = hn::Set(d, kLowFactor);
  if constexpr (sizeof(L) == 4) {
    return hn::Mul(hn::LoadU(d, latents), low_factor);
  } else if constexpr (sizeof(L) == 8) {
    // Lower and upper halves alternate in memory.
    const auto* const halves = reinterpret_cast<const std::uint32_t*>(latents);
    HashLanes low;
    HashLanes high;
    hn::LoadInterleaved2(d, halves, low, high);
    return hn::Add(hn::Mul(low, low_factor), hn::Mul(high, hn::Set(d, kHighFactor)));
  } else {
    const hn::Rebind<L, Lanes> narrow;
    return hn::Mul(hn::PromoteTo(d, hn::LoadU(narrow, latents)), low_factor);
  }
}

#endif

// The scalar equivalent.
template <class L>
std::uint32_t HashOf(L latent) {
  const std::uint64_t wide = latent;
  const std::uint32_t sum = static_cast<std::uint32_t>(wide) * kLowFactor +
                            static_cast<std::uint32_t>(wide >> 32) * kHighFactor + kStart;
  return sum ^ sum >> 15;
}

template <class L>
void Hash(const L* latents, std::size_t n, HashBlock& block) {
  std::uint32_t* const hashes = block.hashes + kHashHistory;
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  const Lanes d;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    hn::StoreU(Fold(hn::Add(Product(latents + i), hn::Set(d, kStart))), d, hashes + i);
  }
#endif
  for (; i < n; ++i) hashes[i] = HashOf(latents[i]);
}

// Hashes of strings of 2 * length latents from those of `length`. Writes whole vectors.
void Double(const HashBlock& block, std::size_t end, std::size_t length, HashBlock& doubled) {
  std::size_t i = length;
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  const Lanes d;
  const HashLanes factor = hn::Set(d, kStringFactor);
  for (; i < end; i += hn::Lanes(d)) {
    const HashLanes last = hn::LoadU(d, block.hashes + i);
    const HashLanes before = hn::LoadU(d, block.hashes + i - length);
    hn::StoreU(hn::Add(hn::Mul(before, factor), last), d, doubled.hashes + i);
  }
#else
  for (; i < end; ++i) {
    doubled.hashes[i] = block.hashes[i - length] * kStringFactor + block.hashes[i];
  }
#endif
}

void Strings(const HashBlock& block, std::size_t n, unsigned doublings, HashBlock& strings) {
  HashBlock other;
  const std::size_t end = kHashHistory + n;
  // The last doubling must write to `strings`.
  HashBlock* to = doublings % 2 == 1 ? &strings : &other;
  HashBlock* spare = doublings % 2 == 1 ? &other : &strings;
  const HashBlock* from = &block;
  for (unsigned k = 0; k < doublings; ++k) {
    Double(*from, end, std::size_t{1} << k, *to);
    from = to;
    std::swap(to, spare);
  }
}

HWY_INLINE std::uint32_t Scramble(std::uint32_t hash) { return (hash ^ hash >> 15) * kPickFactor; }

// A hash is picked if it is below 2^(32 - pick_log) once scrambled: then its upper pick_log bits
// are 0. Positions are written before it is known whether they are picked; found advances if they
// are.
void Pick(const HashBlock& block, std::size_t n, unsigned pick_log, PickedHashes& picked) {
  const std::uint32_t* const hashes = block.hashes + kHashHistory;
  const std::uint32_t limit = std::uint32_t{1} << (32 - pick_log);
  std::size_t found = 0;
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  const Lanes d;
  const auto are_picked = [=](std::size_t at) HWY_ATTR {
    const HashLanes scrambled = hn::Mul(Fold(hn::LoadU(d, hashes + at)), hn::Set(d, kPickFactor));
    return hn::Lt(scrambled, hn::Set(d, limit));
  };
#if HWY_TARGET <= HWY_AVX3
  HashLanes positions = hn::Iota(d, 0);
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    const auto picks = are_picked(i);
    // Compress in registers and store is faster than a compressing store.
    hn::StoreU(hn::Compress(positions, picks), d, picked.positions + found);
    found += hn::CountTrue(d, picks);
    positions = hn::Add(positions, hn::Set(d, static_cast<std::uint32_t>(hn::Lanes(d))));
  }
#else
  // Without a compress instruction it is faster to collect 64 lanes in a mask and visit the few
  // bits that are set.
  constexpr std::size_t kMaskBits = 64;
  static_assert(hn::MaxLanes(d) <= 8);
  for (; i + kMaskBits <= n; i += kMaskBits) {
    std::uint64_t bits = 0;
    for (std::size_t j = 0; j < kMaskBits; j += hn::Lanes(d)) {
      std::uint8_t lanes[sizeof(bits)] = {};
      hn::StoreMaskBits(d, are_picked(i + j), lanes);
      bits |= std::uint64_t{lanes[0]} << j;
    }
    for (; bits != 0; bits &= bits - 1) {
      const std::size_t j = static_cast<std::size_t>(std::countr_zero(bits));
      picked.positions[found++] = static_cast<std::uint32_t>(i + j);
    }
  }
#endif
#endif
  for (; i < n; ++i) {
    picked.positions[found] = static_cast<std::uint32_t>(i);
    found += Scramble(hashes[i]) < limit ? 1 : 0;
  }
  picked.n = found;
  // Few are picked, so this need not be vectorized.
  for (i = 0; i < found; ++i) picked.hashes[i] = Scramble(hashes[picked.positions[i]]);
}

#define NUMPACT_KERNEL(L, S) \
  void Hash##S(const L* latents, std::size_t n, HashBlock& block) { Hash(latents, n, block); }
NUMPACT_KERNEL(std::uint8_t, 8)
NUMPACT_KERNEL(std::uint16_t, 16)
NUMPACT_KERNEL(std::uint32_t, 32)
NUMPACT_KERNEL(std::uint64_t, 64)
#undef NUMPACT_KERNEL

}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();
#endif  // NUMPACT_VECTOR_KERNEL

#if HWY_ONCE
#include "simd/dispatch.hpp"

namespace numpact::internal {

#define NUMPACT_ENTRY_POINT(L, S)                                           \
  NUMPACT_EXPORT_VECTOR(Hash##S);                                           \
  template <>                                                               \
  void hash_latents<L>(const L* latents, std::size_t n, HashBlock& block) { \
    NUMPACT_DISPATCH(Hash##S)(latents, n, block);                           \
  }
NUMPACT_ENTRY_POINT(std::uint8_t, 8)
NUMPACT_ENTRY_POINT(std::uint16_t, 16)
NUMPACT_ENTRY_POINT(std::uint32_t, 32)
NUMPACT_ENTRY_POINT(std::uint64_t, 64)
#undef NUMPACT_ENTRY_POINT

NUMPACT_EXPORT_VECTOR(Strings);
NUMPACT_EXPORT_VECTOR(Pick);

void hash_strings(const HashBlock& block, std::size_t n, unsigned doublings, HashBlock& strings) {
  NUMPACT_DISPATCH(Strings)(block, n, doublings, strings);
}
void pick_hashes(const HashBlock& block, std::size_t n, unsigned pick_log, PickedHashes& picked) {
  NUMPACT_DISPATCH(Pick)(block, n, pick_log, picked);
}

}  // namespace numpact::internal
#endif
