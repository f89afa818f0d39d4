// SPDX-License-Identifier: Apache-2.0
// Pages: the stages of decoding chained, batch by batch.
//
// ChunkTables is what a chunk's pages share: immutable, usable from several threads. A PageDecoder
// is the state within one page; it holds no pointer into the input, so the input may move between
// calls.
#ifndef NUMPACT_PCO_PAGE_PAGE_DECODER_HPP
#define NUMPACT_PCO_PAGE_PAGE_DECODER_HPP

#include <algorithm>
#include <array>

#include "base/arena.hpp"
#include "bits/bit_writer.hpp"
#include "numpact/error.hpp"
#include "pco/meta/chunk_meta.hpp"
#include "pco/page/bit_window.hpp"

namespace numpact {

struct PageVariableSizes {
  std::uint64_t state_bits = 0;
  std::uint64_t code_bits = 0;
  std::uint64_t offset_bits = 0;
};

class PageDecoder {
 public:
  PageDecoder(const PageDecoder&) = delete;
  PageDecoder& operator=(const PageDecoder&) = delete;

  // Reads the page's states. If the window ends too early, kTruncated where it is the last, else
  // `more` is set and nothing was consumed.
  virtual Status start(BitWindow& window, std::size_t page_n, bool& more) = 0;

  // Decodes up to n numbers to `out`; `done` becomes how many. Stops early, with `more` set, where
  // the window may not hold the next batch whole and is not the last.
  virtual Status decode(BitWindow& window, std::size_t n, void* out, std::size_t& done,
                        bool& more) = 0;

  // Walks one batch without making its numbers; adds what it takes to `sizes`. `done` becomes the
  // numbers passed. Not to be mixed with decode() in one page.
  virtual Status skip(BitWindow& window, std::array<PageVariableSizes, kVariables>& sizes,
                      std::size_t& done) = 0;

  // Whether decoding can go on from a state: with Lookback it takes a window of numbers, too.
  virtual bool has_state() const = 0;
  // Between batches: what the head of a page would be that begins here, whole bytes. start() takes
  // it, with the numbers left.
  virtual std::size_t state_bytes() const = 0;
  virtual void write_state(BitWriter& writer) const = 0;

  // Checks the padding behind the last batch and moves to the next byte.
  static Status finish(BitWindow& window);

  std::size_t numbers_left() const { return numbers_left_; }

 protected:
  PageDecoder() = default;
  ~PageDecoder() = default;  // lives in an arena, owns nothing

  std::size_t numbers_left_ = 0;  // not yet given out
};

// The decoding tables of a chunk, in `arena`. `meta` must outlive them.
class ChunkTables {
 public:
  virtual PageDecoder* make_page_decoder(Arena& arena) const = 0;

  static const ChunkTables* make(const ChunkMeta& meta, Arena& arena);

 protected:
  ~ChunkTables() = default;
};

// The most bytes that the state of a page without Lookback can take, for numbers of a type.
constexpr std::size_t max_state_bytes(NumberType type) {
  // Deltas of the primary and the secondary variable; states of these.
  constexpr std::size_t kMaxOrder = std::max(kMaxConsecutiveOrder, kMaxConv1Order);
  // Dictionary indices take 32 bits, whatever the numbers do.
  const std::size_t size = std::max(size_of(type), sizeof(std::uint32_t));
  return 2 * kMaxOrder * size + (2 * kAnsStates * kMaxAnsSizeLog + 7) / 8;
}
inline constexpr std::size_t kMaxStateBytes = max_state_bytes(NumberType::kU64);

}  // namespace numpact

#endif
