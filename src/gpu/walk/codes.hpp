// SPDX-License-Identifier: Apache-2.0
// Decoding of the tANS codes of a batch: docs/format/pco.md, "tANS".
#pragma once

#include "base/internal.hpp"
#include "gpu/walk/bins.hpp"
#include "gpu/walk/view.hpp"
#include "gpu/walk/words.hpp"

namespace numpact::gpu {

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

// Turns that are compiled in a row. More would save little.
inline constexpr unsigned kUnrolledTurns = 4;

// Decodes codes of a variable, those of each task of the group by a quad: n codes of the own task,
// 0 if the quad has none, which is at most kBatch. `position` moves behind the codes. `symbols`
// (shared memory) becomes the bin of each latent. Called by all lanes.
//
// In a turn each lane of a quad decodes one code. They are one after the other in the input, so a
// lane must know the lengths of the codes before its own. Each lane puts its length into its own
// byte of a word, the words are combined (quad_or), and a multiplication makes running sums.
// Example with lengths 3, 5, 2, 4:
//   counts           = 04 02 05 03   (byte 3 first)
//   sums             = 0e 0a 08 03   counts * 0x01010101
//   before of lane 2 = 08            byte 1 of sums: bits of lanes 0 and 1
//   the turn takes   = 0e            byte 3 of sums
//
// kSumsWidths: returns the sum of the offset widths of the lane's codes, otherwise 0. The load of a
// width is not part of the chain from state to state, which limits the speed.
template <class L, bool kSumsWidths, class Warp>
NUMPACT_HD std::uint32_t walk_codes(Warp& warp, const std::uint32_t* nodes,
                                    const std::uint64_t* bins, const std::uint32_t* input,
                                    std::uint64_t& position, unsigned n, std::uint32_t& state,
                                    std::uint16_t* symbols) {
  const unsigned lane = warp.lane() % kStates;
  const unsigned most = warp.max(n);
  const std::uint32_t* const words = kept(input + position / 32);
  const std::uint32_t* const table = kept(nodes);
  std::uint32_t at = static_cast<std::uint32_t>(position % 32);
  std::uint32_t widths = 0;
  for (unsigned first = 0; first < most; first += kUnrolledTurns * kStates) {
    for (unsigned turn = 0; turn < kUnrolledTurns; ++turn) {
      warp.count(Step::kTurns);
      const unsigned i = first + turn * kStates + lane;
      const bool has_code = i < n;
      // All loads are issued at once, also on lanes without a code, and before the lanes exchange
      // anything: branches would delay them.
      const TurnBits bits(words, at);
      const std::uint32_t loaded = load_constant(table + state);
      const std::uint32_t node = has_code ? loaded : 0;
      // A byte for each lane: at most 14, so that running sums are at most 56.
      const std::uint32_t counts = warp.quad_or(code_bits_of(node) << (8 * lane));
      const std::uint32_t sums = counts * 0x01010101u;
      const std::uint32_t before = sums << 8 >> (8 * lane) & 0xff;
      if (has_code) symbols[i] = static_cast<std::uint16_t>(bin_of(node));
      const std::uint32_t next = next_of(node) + bits.code(before, code_bits_of(node));
      state = has_code ? next : state;
      if constexpr (kSumsWidths) {
        warp.count(Step::kWidths);
        widths += has_code ? width_at<L>(bins, bin_of(node)) : 0;
      }
      at += sums >> 24;
    }
  }
  position += at - static_cast<std::uint32_t>(position % 32);
  return widths;
}

}  // namespace numpact::gpu
