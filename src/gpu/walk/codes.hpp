// SPDX-License-Identifier: Apache-2.0
// Decoding of the tANS codes of a batch: docs/format/pco.md, "tANS".
#pragma once

#include "base/internal.hpp"
#include "gpu/walk/view.hpp"
#include "gpu/walk/words.hpp"

namespace numpact::gpu {

// Interleaved tANS states; lanes 0 to 3 of a warp hold one each.
inline constexpr unsigned kStates = 4;

// The fields of a table entry (DevicePlan::nodes): 4 bits of code length, 14 of next state, 14 of
// bin.
NUMPACT_HD std::uint32_t code_bits_of(std::uint32_t node) { return node & 15; }
NUMPACT_HD std::uint32_t next_of(std::uint32_t node) { return node >> 4 & 0x3fff; }
NUMPACT_HD std::uint32_t bin_of(std::uint32_t node) { return node >> 18; }

// The bits of a turn, which is one code of each state. Four codes take up to 14 bits each, so three
// words hold all of them.
class TurnBits {
 public:
  NUMPACT_HD TurnBits(const std::uint32_t* words, std::uint32_t at) : shift_(at % 32) {
    words += at / 32;
    low_ = load_constant(words);
    middle_ = load_constant(words + 1);
    high_ = load_constant(words + 2);
  }

  // The `width` (0 to 14) bits that start `before` (0 to 42) bits into the turn.
  NUMPACT_HD std::uint32_t code(std::uint32_t before, std::uint32_t width) const {
    const std::uint32_t at = shift_ + before;
    const std::uint32_t first = at < 32 ? low_ : at < 64 ? middle_ : high_;
    const std::uint32_t second = at < 32 ? middle_ : high_;
    return funnel(first, second, at % 32) & ((std::uint32_t{1} << width) - 1);
  }

 private:
  std::uint32_t shift_;
  std::uint32_t low_, middle_, high_;
};

// Decodes n codes, or a whole batch (kWhole), four per turn: lane i has every fourth code, starting
// with the i-th. `at` is in bits from `words` and moves behind the codes. Called by lanes 0 to 3.
//
// The four codes of a turn are one after the other, so a lane must know the lengths of the codes
// before its own. Each lane puts its length into its own byte of a word, the words are combined
// (quad_or), and a multiplication makes running sums. Example with lengths 3, 5, 2, 4:
//   counts           = 04 02 05 03   (byte 3 first)
//   sums             = 0e 0a 08 03   counts * 0x01010101
//   before of lane 2 = 08            byte 1 of sums: bits of lanes 0 and 1
//   the turn takes   = 0e            byte 3 of sums
template <bool kWhole, class Warp>
NUMPACT_HD void decode_turns(Warp& warp, const std::uint32_t* nodes, const std::uint32_t* words,
                             std::uint32_t& at, unsigned n, std::uint32_t& state,
                             std::uint16_t* bins) {
  const unsigned lane = warp.lane();
  for (unsigned turn = 0; turn < (kWhole ? kBatch : n); turn += kStates) {
    const bool has_code = kWhole || turn + lane < n;
    // Both loads are issued at once. The chain from state to state limits the speed.
    const TurnBits bits(words, at);
    const std::uint32_t node = has_code ? load_constant(nodes + state) : 0;
    // A byte for each lane: at most 14, so that running sums are at most 56.
    const std::uint32_t counts = warp.quad_or(code_bits_of(node) << (8 * lane));
    const std::uint32_t sums = counts * 0x01010101u;
    const std::uint32_t before = sums << 8 >> (8 * lane) & 0xff;
    if (has_code) {
      bins[turn + lane] = static_cast<std::uint16_t>(bin_of(node));
      state = next_of(node) + bits.code(before, code_bits_of(node));
    }
    at += sums >> 24;
  }
}

// Decodes n codes on lanes 0 to 3 while the others wait. `bins` (shared memory) becomes the bin of
// each latent. Returns the position of the offsets, in all lanes.
template <class Warp>
NUMPACT_HD std::uint64_t decode_codes(Warp& warp, const std::uint32_t* nodes,
                                      const std::uint32_t* input, std::uint64_t position,
                                      unsigned n, std::uint32_t& state, std::uint16_t* bins) {
  const std::uint32_t* const words = input + position / 32;
  std::uint32_t at = static_cast<std::uint32_t>(position % 32);
  if (warp.lane() < kStates) {
    if (n == kBatch) {
      decode_turns<true>(warp, nodes, words, at, n, state, bins);
    } else {
      decode_turns<false>(warp, nodes, words, at, n, state, bins);
    }
  }
  warp.sync();
  return position - position % 32 + warp.from(at, 0);
}

}  // namespace numpact::gpu
