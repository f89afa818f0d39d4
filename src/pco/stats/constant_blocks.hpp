// SPDX-License-Identifier: Apache-2.0
// Finds blocks of latents that continue a run of equal latents, so that callers process a long run
// at once instead of latent by latent.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "base/arena.hpp"
#include "number/latent.hpp"

namespace numpact::internal {

// Latents per block. A vector comparison of 8 latents gives one byte of mask, so a block is
// constant if its byte is 0xff.
inline constexpr std::size_t kConstantBlockN = 8;
// Blocks per word of the bit map.
inline constexpr std::size_t kBlocksPerWord = 64;

// words: a bit map with one bit per whole block, the first block lowest, of
// n / (kConstantBlockN * kBlocksPerWord) + 1 words. A bit is set if all latents of the block equal
// the latent before the block. The first block has no latent before it, so its bit is 0.
template <Latent L>
void find_constant_blocks(std::span<const L> latents, std::uint64_t* words);

class ConstantBlocks {
 public:
  // The bit map lives in the arena.
  template <Latent L>
  ConstantBlocks(std::span<const L> latents, Arena& arena)
      : n_(latents.size()),
        words_(arena.make<std::uint64_t>(n_ / (kConstantBlockN * kBlocksPerWord) + 1)) {
    find_constant_blocks(latents, words_.data());
  }

  // The count of latents in constant blocks.
  std::size_t constant_n() const {
    std::size_t blocks = 0;
    for (const std::uint64_t word : words_) blocks += static_cast<std::size_t>(std::popcount(word));
    return blocks * kConstantBlockN;
  }

  // Covers all latents by alternating calls of varied(begin, end) and constant(begin, end). The
  // latents of a constant range equal each other and the equal_before_n (at least 1) latents before
  // `begin`; the first blocks of a run are passed to `varied` where this requires it.
  template <class Varied, class Constant>
  void each(std::size_t equal_before_n, Varied&& varied, Constant&& constant) const {
    const std::size_t skipped = (equal_before_n + kConstantBlockN - 2) / kConstantBlockN;
    const std::size_t blocks = n_ / kConstantBlockN;
    std::size_t done = 0;
    for (std::size_t end = 0; end < blocks;) {
      const std::size_t first = next(end, 0);
      const std::size_t begin = first + skipped;
      end = next(first, ~std::uint64_t{0});
      if (begin >= end) continue;
      if (done < begin * kConstantBlockN) varied(done, begin * kConstantBlockN);
      done = end * kConstantBlockN;
      constant(begin * kConstantBlockN, done);
    }
    if (done < n_) varied(done, n_);
  }

 private:
  // The first block from `block` on whose bit differs from the bits of `flip`, which are all 0 or
  // all 1; the count of blocks if there is none.
  std::size_t next(std::size_t block, std::uint64_t flip) const {
    const std::size_t blocks = n_ / kConstantBlockN;
    while (block < blocks) {
      const std::size_t bit = block % kBlocksPerWord;
      const std::uint64_t rest = (words_[block / kBlocksPerWord] ^ flip) >> bit;
      if (rest != 0) {
        return std::min(blocks, block + static_cast<std::size_t>(std::countr_zero(rest)));
      }
      block += kBlocksPerWord - bit;
    }
    return blocks;
  }

  std::size_t n_;
  std::span<std::uint64_t> words_;
};

}  // namespace numpact::internal
