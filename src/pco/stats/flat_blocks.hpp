// SPDX-License-Identifier: Apache-2.0
// Blocks within runs of equal latents: what is the same for all of a run is done at once for them.
#ifndef NUMPACT_PCO_STATS_FLAT_BLOCKS_HPP
#define NUMPACT_PCO_STATS_FLAT_BLOCKS_HPP

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "base/arena.hpp"
#include "number/latent.hpp"

namespace numpact {

inline constexpr std::size_t kFlatBlockN = 8;
inline constexpr std::size_t kFlatWordBlocks = 64;

// words: of a bit for each whole block of latents, the first block's the lowest; one more than
// there are full words. A bit is set where all of the block equal the latent before it; there is
// none before the first.
template <Latent L>
void find_flat_blocks(std::span<const L> latents, std::uint64_t* words);

class FlatBlocks {
 public:
  // Lives in the arena.
  template <Latent L>
  FlatBlocks(std::span<const L> latents, Arena& arena)
      : n_(latents.size()),
        words_(arena.make<std::uint64_t>(n_ / (kFlatBlockN * kFlatWordBlocks) + 1)) {
    find_flat_blocks(latents, words_.data());
  }

  // How many latents the flat blocks hold.
  std::size_t flat_n() const {
    std::size_t blocks = 0;
    for (const std::uint64_t word : words_) blocks += static_cast<std::size_t>(std::popcount(word));
    return blocks * kFlatBlockN;
  }

  // Calls uneven(begin, end) and flat(begin, end) in turn for all latents. Flat ones all equal the
  // before_n latents before `begin`, one at least.
  template <class Uneven, class Flat>
  void each(std::size_t before_n, Uneven&& uneven, Flat&& flat) const {
    const std::size_t skipped = (before_n + kFlatBlockN - 2) / kFlatBlockN;
    const std::size_t blocks = n_ / kFlatBlockN;
    std::size_t done = 0;
    for (std::size_t end = 0; end < blocks;) {
      const std::size_t first = next(end, 0);
      const std::size_t begin = first + skipped;
      end = next(first, ~std::uint64_t{0});
      if (begin >= end) continue;
      if (done < begin * kFlatBlockN) uneven(done, begin * kFlatBlockN);
      done = end * kFlatBlockN;
      flat(begin * kFlatBlockN, done);
    }
    if (done < n_) uneven(done, n_);
  }

 private:
  // The first block from `block` on whose bit is not that of `flip`, or how many there are.
  std::size_t next(std::size_t block, std::uint64_t flip) const {
    const std::size_t blocks = n_ / kFlatBlockN;
    while (block < blocks) {
      const std::size_t bit = block % kFlatWordBlocks;
      const std::uint64_t rest = (words_[block / kFlatWordBlocks] ^ flip) >> bit;
      if (rest != 0) {
        return std::min(blocks, block + static_cast<std::size_t>(std::countr_zero(rest)));
      }
      block += kFlatWordBlocks - bit;
    }
    return blocks;
  }

  std::size_t n_;
  std::span<std::uint64_t> words_;
};

}  // namespace numpact

#endif
