// SPDX-License-Identifier: Apache-2.0
// Walking tANS codes. Included once for each instruction set, by kernels only.
#if defined(NUMPACT_PCO_LATENT_WALK_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef NUMPACT_PCO_LATENT_WALK_INL_HPP
#undef NUMPACT_PCO_LATENT_WALK_INL_HPP
#else
#define NUMPACT_PCO_LATENT_WALK_INL_HPP
#endif

#include <hwy/highway.h>

#include <cstddef>

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

// Bits of offsets between two running words.
HWY_INLINE std::uint32_t OffsetBitsBetween(std::uint32_t before, std::uint32_t after,
                                           std::uint32_t sum_mask) {
  return ((before >> kInfoOffsetShift) - (after >> kInfoOffsetShift)) & sum_mask;
}

// Where an unpacker stands. Lies in memory for the time of a walk in the same loop, which needs all
// registers: otherwise compilers spill those of the walk, in the chain from state to state.
template <class L>
struct UnpackCursor {
  const std::byte* HWY_RESTRICT in;
  std::uint64_t position;
  L* HWY_RESTRICT out;
  const L* HWY_RESTRICT primary;  // for joining

  HWY_INLINE const std::byte* At() const { return in + position / 8; }

  HWY_INLINE void LeaveRegisters() {
#if HWY_COMPILER_GCC || HWY_COMPILER_CLANG
    asm("" : "+m"(*this));
#endif
  }
};

// What is noted for a latent: the info of its state, or the running word after it.
enum class Note { kInfo, kRunning };

// Four states, and a buffer in a register. The buffer holds the next bits, `filled` of them counted
// (those above are true too). A refill reads the word at `at`, the byte of the first bit not
// counted, and leaves at least 56 counted: enough for four codes of 14.
//
// Whole infos are taken from `filled`. Its low six bits stay right, since code bits lie lowest in
// an info and shifts look at no others; in the summed layout, the fields above become minus the
// sums of offset bits and symbols.
struct Walker {
  const AnsNode* HWY_RESTRICT nodes;
  const std::byte* HWY_RESTRICT at;
  std::uint64_t buffer;
  std::uint32_t filled;
  std::uint64_t s0, s1, s2, s3;

  HWY_INLINE void Start(const CodeWalk& walk) {
    nodes = walk.nodes;
    const std::uint64_t position = walk.position;
    at = walk.in + position / 8;
    buffer = load_le64(at) >> (position % 8);
    filled = 56 - static_cast<std::uint32_t>(position % 8);
    at += 7;
    s0 = (*walk.states)[0];
    s1 = (*walk.states)[1];
    s2 = (*walk.states)[2];
    s3 = (*walk.states)[3];
  }

  HWY_INLINE void Finish(CodeWalk& walk) const {
    *walk.states = {static_cast<std::uint32_t>(s0), static_cast<std::uint32_t>(s1),
                    static_cast<std::uint32_t>(s2), static_cast<std::uint32_t>(s3)};
    walk.position = 8 * static_cast<std::uint64_t>(at - walk.in) - (filled & 63);
  }

  // The word at `at`, or kAhead bytes behind it. Where the next one lies is the other long chain of
  // a walk: from one refill to the load of the next. So it is kept to two operations, and the seven
  // bytes that each goes on, less whole bytes still in the buffer, are left to the caller to add.
  template <int kAhead>
  HWY_INLINE void Refill() {
    buffer |= load_le64(at + kAhead) << (filled & 63);
    at -= LowByte(filled) >> 3;
    filled |= 56;
  }

  static HWY_INLINE std::uint32_t LowByte(std::uint32_t word) {
#if HWY_ARCH_X86_64 && (HWY_COMPILER_GCC || HWY_COMPILER_CLANG)
    std::uint32_t byte;
    asm("movzbl %b1, %0" : "=r"(byte) : "r"(word));  // rather than shifting a part of a register
    return byte;
#else
    return word & 0xff;
#endif
  }

  template <Note kNote>
  HWY_INLINE void Step(std::uint64_t& state, std::uint32_t* HWY_RESTRICT word) {
    const std::uint64_t info = nodes[state].info;
    const std::uint64_t value = LowBits(buffer, info);
    buffer >>= info & 63;
    filled -= static_cast<std::uint32_t>(info);
    KeepOrder(filled);
    *word = kNote == Note::kInfo ? static_cast<std::uint32_t>(info) : filled;
    state = NextState(state, value);
  }

  // Keeps compilers from taking sums of several infos first, which come later than the single ones.
  static HWY_INLINE void KeepOrder(std::uint32_t& word) {
#if HWY_COMPILER_GCC || HWY_COMPILER_CLANG
    asm("" : "+r"(word));
#else
    (void)word;
#endif
  }

  HWY_INLINE std::uint64_t NextState(std::uint64_t state, std::uint64_t value) const {
#if HWY_ARCH_X86_64 && (HWY_COMPILER_GCC || HWY_COMPILER_CLANG)
    // Left alone, compilers compute the node's address once for both its halves, and extend the sum
    // to 64 bits apart, which puts more operations into the chain from state to state.
    asm("addl %c3(%1,%2,8), %k0"
        : "+r"(value)
        : "r"(nodes), "r"(state), "i"(offsetof(AnsNode, base)), "m"(*nodes)
        : "cc");
    return value;
#else
    return value + nodes[state].base;
#endif
  }

  template <Note kNote>
  HWY_INLINE void Sixteen(std::uint32_t* HWY_RESTRICT words) {
    FourAhead<kNote, 0>(words);
    FourAhead<kNote, 7>(words + 4);
    FourAhead<kNote, 14>(words + 8);
    FourAhead<kNote, 21>(words + 12);
    at += 28;
  }

  template <Note kNote>
  HWY_INLINE void Four(std::uint32_t* HWY_RESTRICT words) {
    FourAhead<kNote, 0>(words);
    at += 7;
  }

  template <Note kNote, int kAhead>
  HWY_INLINE void FourAhead(std::uint32_t* HWY_RESTRICT words) {
    Refill<kAhead>();
    Step<kNote>(s0, words);
    Step<kNote>(s1, words + 1);
    Step<kNote>(s2, words + 2);
    Step<kNote>(s3, words + 3);
  }

  // Sixteen at once, if all of them are the dominant symbol and need no bits.
  template <Note kNote>
  HWY_INLINE bool Jump(const AnsJumps& jumps, std::uint32_t* HWY_RESTRICT words) {
    const std::uint32_t to0 = jumps.targets[s0];
    const std::uint32_t to1 = jumps.targets[s1];
    const std::uint32_t to2 = jumps.targets[s2];
    const std::uint32_t to3 = jumps.targets[s3];
    if (((to0 | to1 | to2 | to3) & AnsJumps::kNoJump) != 0) return false;
    s0 = to0;
    s1 = to1;
    s2 = to2;
    s3 = to3;
    filled -= 16 * jumps.info;
    // Nobody looks at the others, as the trail says that these were jumped over.
    if constexpr (kNote == Note::kRunning) words[15] = filled;
    return true;
  }

  // Less than four, of which the first is that of state 0.
  template <Note kNote>
  HWY_INLINE void Rest(std::size_t n, std::uint32_t* HWY_RESTRICT words) {
    Refill<0>();
    at += 7;
    if (n > 0) Step<kNote>(s0, words);
    if (n > 1) Step<kNote>(s1, words + 1);
    if (n > 2) Step<kNote>(s2, words + 2);
  }
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace numpact
HWY_AFTER_NAMESPACE();

#endif
