// SPDX-License-Identifier: Apache-2.0
// The walk over tANS codes. Included once per instruction set, by kernels only.
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
namespace numpact::internal {
namespace HWY_NAMESPACE {

// Whether LowBits() supports a count of 64.
inline constexpr bool kLowBitsOfWholeWords = HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX2;

// The low bits of a word. Their count, 0 to 63 or 64, is the lowest byte of `bits`.
HWY_INLINE std::uint64_t LowBits(std::uint64_t word, std::uint64_t bits) {
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX2
  return _bzhi_u64(word, bits);  // compilers do not derive it from the mask
#else
  return word & ~(~std::uint64_t{0} << (bits & 63));
#endif
}

// Offset bits of the latents between two running words.
HWY_INLINE std::uint32_t OffsetBitsBetween(std::uint32_t before, std::uint32_t after,
                                           std::uint32_t sum_mask) {
  return ((before >> kEntryOffsetShift) - (after >> kEntryOffsetShift)) & sum_mask;
}

// Position of an unpacker. During a fused loop it is kept in memory, because the walk needs all
// registers: otherwise compilers spill registers of the walk, inside the chain from state to state.
template <class L>
struct UnpackCursor {
  const std::byte* HWY_RESTRICT in;
  std::uint64_t position;
  L* HWY_RESTRICT out;
  const L* HWY_RESTRICT primary;  // for joins

  HWY_INLINE const std::byte* At() const { return in + position / 8; }

  HWY_INLINE void SpillToMemory() {
#if HWY_COMPILER_GCC || HWY_COMPILER_CLANG
    asm("" : "+m"(*this));
#endif
  }
};

// A walk records per latent either the table entry of its state, or the running word behind it;
// kEntryAndSums: the entries, and the running word behind each four latents.
enum class Record { kEntry, kEntryAndSums, kRunningWord };

// Walks the codes of four interleaved states. Latent i belongs to state i % 4.
//
// Invariants:
// 1. `buffer` holds the next bits of the input in its low bits. The low six bits of `filled` count
//    the valid ones. Bits above may be valid too.
// 2. `at` is the byte of the first bit that is not counted. A refill loads the word there and then
//    at least 56 bits are counted, enough for four codes of 14 bits.
// 3. Whole entries are subtracted from `filled`. Code bits are the lowest byte of an entry, so the
//    low six bits of `filled` stay the count, and shifts ignore the bits above. In summed layouts
//    the fields above become minus the sums of offset bits and symbols, so `filled` is the running
//    word of the trail.
//
// Example: `filled` is 56. The entries of two latents are (symbol 3, 5 offset bits, 4 code bits)
// and (symbol 1, 2 offset bits, 6 code bits). The running words are 56 - e0 and 56 - e0 - e1. Their
// low six bits are 52 and 46, the valid bits; bits 8 to symbol_shift of the difference to the first
// word are 5 + 2, the offset bits of both; their own difference is e1.
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

  // Loads the word kAhead bytes behind `at`. The address of the next word is the second long chain
  // of a walk, from one refill to the load of the next, so it is kept to two operations: a refill
  // only subtracts the whole bytes still in the buffer. The seven bytes that each refill advances
  // are left to the caller, which passes them as kAhead and adds their sum once.
  template <int kAhead>
  HWY_INLINE void Refill() {
    buffer |= load_le64(at + kAhead) << (filled & 63);
    at -= LowByte(filled) >> 3;
    filled |= kRefillBits;
  }

  static HWY_INLINE std::uint32_t LowByte(std::uint32_t word) {
#if HWY_ARCH_X86_64 && (HWY_COMPILER_GCC || HWY_COMPILER_CLANG)
    std::uint32_t byte;
    // Keeps the compiler from extracting a part of the register.
    asm("movzbl %b1, %0" : "=r"(byte) : "r"(word));
    return byte;
#else
    return word & 0xff;
#endif
  }

  template <Record kRecord>
  HWY_INLINE void Step(std::uint64_t& state, std::uint32_t* HWY_RESTRICT word) {
    const std::uint64_t entry = nodes[state].entry;
    const std::uint64_t value = LowBits(buffer, entry);
    buffer >>= entry & 63;
    filled -= static_cast<std::uint32_t>(entry);
    KeepOrder(filled);
    *word = kRecord == Record::kRunningWord ? filled : static_cast<std::uint32_t>(entry);
    state = NextState(state, value);
  }

  // Keeps compilers from summing several entries first, which would delay the single words.
  static HWY_INLINE void KeepOrder(std::uint32_t& word) {
#if HWY_COMPILER_GCC || HWY_COMPILER_CLANG
    asm("" : "+r"(word));
#else
    (void)word;
#endif
  }

  HWY_INLINE std::uint64_t NextState(std::uint64_t state, std::uint64_t value) const {
#if HWY_ARCH_X86_64 && (HWY_COMPILER_GCC || HWY_COMPILER_CLANG)
    // In C++ compilers compute the address of the node once for both halves, and extend the sum to
    // 64 bits separately. Both put more operations into the chain from state to state.
    asm("addl %c3(%1,%2,8), %k0"
        : "+r"(value)
        : "r"(nodes), "r"(state), "i"(offsetof(AnsNode, base)), "m"(*nodes)
        : "cc");
    return value;
#else
    return value + nodes[state].base;
#endif
  }

  // Records latents i to i + 15.
  template <Record kRecord>
  HWY_INLINE void Sixteen(CodeTrail& trail, std::size_t i) {
    std::uint32_t* const HWY_RESTRICT words = trail.words + i;
    std::uint32_t* const HWY_RESTRICT sums = trail.sums + i;
    FourAhead<kRecord, 0>(words);
    if constexpr (kRecord == Record::kEntryAndSums) sums[3] = filled;
    FourAhead<kRecord, 7>(words + 4);
    if constexpr (kRecord == Record::kEntryAndSums) sums[7] = filled;
    FourAhead<kRecord, 14>(words + 8);
    if constexpr (kRecord == Record::kEntryAndSums) sums[11] = filled;
    FourAhead<kRecord, 21>(words + 12);
    if constexpr (kRecord == Record::kEntryAndSums) sums[15] = filled;
    at += 28;
  }

  template <Record kRecord>
  HWY_INLINE void Four(std::uint32_t* HWY_RESTRICT words) {
    FourAhead<kRecord, 0>(words);
    at += 7;
  }

  template <Record kRecord, int kAhead>
  HWY_INLINE void FourAhead(std::uint32_t* HWY_RESTRICT words) {
    Refill<kAhead>();
    Step<kRecord>(s0, words);
    Step<kRecord>(s1, words + 1);
    Step<kRecord>(s2, words + 2);
    Step<kRecord>(s3, words + 3);
  }

  // Decodes sixteen latents at once if all of them are the dominant symbol and read no bits.
  template <Record kRecord>
  HWY_INLINE bool Jump(const AnsJumps& jumps, CodeTrail& trail, std::size_t i) {
    const std::uint32_t target0 = jumps.targets[s0];
    const std::uint32_t target1 = jumps.targets[s1];
    const std::uint32_t target2 = jumps.targets[s2];
    const std::uint32_t target3 = jumps.targets[s3];
    if (((target0 | target1 | target2 | target3) & AnsJumps::kNoJump) != 0) return false;
    s0 = target0;
    s1 = target1;
    s2 = target2;
    s3 = target3;
    filled -= 16 * jumps.entry;
    // The other words are not read: the trail marks these latents as jumped over.
    if constexpr (kRecord == Record::kRunningWord) trail.words[i + 15] = filled;
    if constexpr (kRecord == Record::kEntryAndSums) trail.sums[i + 15] = filled;
    return true;
  }

  // Decodes fewer than four latents, the first of which belongs to state 0.
  template <Record kRecord>
  HWY_INLINE void Rest(std::size_t n, std::uint32_t* HWY_RESTRICT words) {
    Refill<0>();
    at += 7;
    if (n > 0) Step<kRecord>(s0, words);
    if (n > 1) Step<kRecord>(s1, words + 1);
    if (n > 2) Step<kRecord>(s2, words + 2);
  }
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace numpact::internal
HWY_AFTER_NAMESPACE();

#endif
