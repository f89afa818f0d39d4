// SPDX-License-Identifier: Apache-2.0
// The innermost loops of decoding. Two passes over a batch: the tANS states are walked and the
// nodes they pass are noted; then offsets are unpacked where the nodes say. Shifts by a variable
// and masks compile to BMI2 on the targets that have it.
#include "simd/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pco/latent/latent_decoder_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "base/load.hpp"
#include "pco/latent/latent_decoder.hpp"

HWY_BEFORE_NAMESPACE();
namespace numpact {
namespace HWY_NAMESPACE {

// The low `bits` of a word: 0 to 63, of which only the lowest byte is looked at.
HWY_INLINE std::uint64_t LowBits(std::uint64_t word, std::uint64_t bits) {
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX2
  return _bzhi_u64(word, bits);  // not found by the compiler behind a mask
#else
  return word & ~(~std::uint64_t{0} << (bits & 63));
#endif
}

// Walks the tANS codes of n latents from bit `position`; infos[i] becomes the low half of the node
// of latent i (code bits, offset bits, symbol). Returns the position behind the codes.
//
// `buffer` holds the next bits, `filled` of them counted (those above are true too). A refill reads
// the word at `at`, the byte of the first bit not counted, and leaves at least 56 counted: enough
// for four codes of 14. Whole nodes are taken from `filled`: its low six bits stay right, since
// code bits lie lowest in a node, and shifts look at no others.
HWY_NOINLINE std::uint64_t WalkCodes(const AnsNode* HWY_RESTRICT nodes, AnsStates& states,
                                     const std::byte* HWY_RESTRICT in, std::uint64_t position,
                                     std::size_t n, std::uint32_t* HWY_RESTRICT infos) {
  const std::byte* at = in + position / 8;
  std::uint64_t buffer = load_le64(at) >> (position % 8);
  std::uint64_t filled = 56 - position % 8;
  at += 7;
  std::uint64_t s0 = states[0];
  std::uint64_t s1 = states[1];
  std::uint64_t s2 = states[2];
  std::uint64_t s3 = states[3];
  const auto refill = [&]() HWY_ATTR {
    buffer |= load_le64(at) << (filled & 63);
    at += (~filled & 56) >> 3;
    filled |= 56;
  };
  const auto step = [&](std::uint64_t& state, std::uint32_t& info) HWY_ATTR {
    const std::uint64_t node = nodes[state];
    info = static_cast<std::uint32_t>(node);
    state = (node >> 32) + LowBits(buffer, node);
    buffer >>= node & 63;
    filled -= node;
  };
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    refill();
    step(s0, infos[i]);
    step(s1, infos[i + 1]);
    step(s2, infos[i + 2]);
    step(s3, infos[i + 3]);
  }
  refill();
  if (i < n) step(s0, infos[i++]);
  if (i < n) step(s1, infos[i++]);
  if (i < n) step(s2, infos[i++]);
  states = {static_cast<std::uint32_t>(s0), static_cast<std::uint32_t>(s1),
            static_cast<std::uint32_t>(s2), static_cast<std::uint32_t>(s3)};
  return 8 * static_cast<std::uint64_t>(at - in) - (filled & 63);
}

HWY_INLINE std::uint64_t OffsetBits(std::uint32_t info) { return (info >> 8) & 0xff; }

// `width` (0 to 64) bits at any position; wide is whether it may be over 57.
template <bool kWide>
HWY_INLINE std::uint64_t Bits(const std::byte* in, std::uint64_t position, std::uint64_t width) {
  const std::byte* const at = in + position / 8;
  const std::uint64_t shift = position % 8;
  std::uint64_t word = load_le64(at) >> shift;
  if constexpr (kWide) {
    // Shifting in two steps keeps a shift of 0 from becoming one of 64.
    word |= load_le64(at + 8) << 1 << (63 - shift);
    return width >= 64 ? word : LowBits(word, width);
  }
  return LowBits(word, width);
}

template <bool kWide, class L>
HWY_NOINLINE std::uint64_t Unpack(const L* HWY_RESTRICT lowers,
                                  const std::uint32_t* HWY_RESTRICT infos,
                                  const std::byte* HWY_RESTRICT in, std::uint64_t position,
                                  std::size_t n, L* HWY_RESTRICT out) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t width = OffsetBits(infos[i]);
    out[i] = static_cast<L>(lowers[infos[i] >> 16] + Bits<kWide>(in, position, width));
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
std::uint64_t DecodeLatents(const LatentTables<L>& tables, AnsStates& states, const std::byte* in,
                            std::uint64_t position, std::size_t n, L* out) {
  const unsigned widest = tables.max_offset_bits;
  if (tables.bin_n <= 1) {
    const L lower = tables.bin_n == 0 ? L{0} : tables.lowers[0];
    if (widest == 0) {
      std::fill_n(out, n, lower);
      return position;
    }
    return widest <= 57 ? UnpackUniform<false>(lower, widest, in, position, n, out)
                        : UnpackUniform<true>(lower, widest, in, position, n, out);
  }
  HWY_ALIGN std::uint32_t infos[kBatchN];
  position = WalkCodes(tables.nodes.data(), states, in, position, n, infos);
  const L* const lowers = tables.lowers.data();
  if (widest == 0) {
    for (std::size_t i = 0; i < n; ++i) out[i] = lowers[infos[i] >> 16];
    return position;
  }
  return widest <= 57 ? Unpack<false>(lowers, infos, in, position, n, out)
                      : Unpack<true>(lowers, infos, in, position, n, out);
}

template <class L>
SkippedBits SkipLatents(const LatentTables<L>& tables, AnsStates& states, const std::byte* in,
                        std::uint64_t position, std::size_t n) {
  SkippedBits skipped;
  if (tables.bin_n <= 1) {
    skipped.offsets = n * std::uint64_t{tables.max_offset_bits};
    return skipped;
  }
  HWY_ALIGN std::uint32_t infos[kBatchN];
  skipped.codes = WalkCodes(tables.nodes.data(), states, in, position, n, infos) - position;
  std::uint32_t widths = 0;
  for (std::size_t i = 0; i < n; ++i) widths += (infos[i] >> 8) & 0xff;
  skipped.offsets = widths;
  return skipped;
}

#define NUMPACT_KERNELS(L, S)                                                                \
  std::uint64_t DecodeLatents##S(const LatentTables<L>& tables, AnsStates& states,           \
                                 const std::byte* in, std::uint64_t position, std::size_t n, \
                                 L* out) {                                                   \
    return DecodeLatents(tables, states, in, position, n, out);                              \
  }                                                                                          \
  SkippedBits SkipLatents##S(const LatentTables<L>& tables, AnsStates& states,               \
                             const std::byte* in, std::uint64_t position, std::size_t n) {   \
    return SkipLatents(tables, states, in, position, n);                                     \
  }
NUMPACT_KERNELS(std::uint8_t, 8)
NUMPACT_KERNELS(std::uint16_t, 16)
NUMPACT_KERNELS(std::uint32_t, 32)
NUMPACT_KERNELS(std::uint64_t, 64)
#undef NUMPACT_KERNELS

}  // namespace HWY_NAMESPACE
}  // namespace numpact
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace numpact {

#define NUMPACT_DOORS(L, S)                                                                   \
  HWY_EXPORT(DecodeLatents##S);                                                               \
  HWY_EXPORT(SkipLatents##S);                                                                 \
  template <>                                                                                 \
  std::uint64_t decode_latents<L>(const LatentTables<L>& tables, AnsStates& states,           \
                                  const std::byte* in, std::uint64_t position, std::size_t n, \
                                  L* out) {                                                   \
    return HWY_DYNAMIC_DISPATCH(DecodeLatents##S)(tables, states, in, position, n, out);      \
  }                                                                                           \
  template <>                                                                                 \
  SkippedBits skip_latents<L>(const LatentTables<L>& tables, AnsStates& states,               \
                              const std::byte* in, std::uint64_t position, std::size_t n) {   \
    return HWY_DYNAMIC_DISPATCH(SkipLatents##S)(tables, states, in, position, n);             \
  }
NUMPACT_DOORS(std::uint8_t, 8)
NUMPACT_DOORS(std::uint16_t, 16)
NUMPACT_DOORS(std::uint32_t, 32)
NUMPACT_DOORS(std::uint64_t, 64)
#undef NUMPACT_DOORS

}  // namespace numpact
#endif
