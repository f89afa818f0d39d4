// SPDX-License-Identifier: Apache-2.0
// Decoding of pages: chains the stages of decoding, batch by batch.
//
// ChunkTables is shared by the pages of a chunk; it is immutable and usable from several threads. A
// PageDecoder is the state within one page. It holds no pointer into the input, so the input may
// move between calls, except between first_walk() and decode().
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "base/alignment.hpp"
#include "base/arena.hpp"
#include "bits/bit_writer.hpp"
#include "numpact/error.hpp"
#include "pco/meta/chunk_meta.hpp"
#include "pco/page/bit_window.hpp"

namespace numpact::internal {

struct PageVariableSizes {
  std::uint64_t state_bits = 0;
  std::uint64_t code_bits = 0;
  std::uint64_t offset_bits = 0;
};

struct FirstWalk;

class PageDecoder {
 public:
  PageDecoder(const PageDecoder&) = delete;
  PageDecoder& operator=(const PageDecoder&) = delete;

  // Reads the states of the page. If the window ends too early, returns kTruncated if it is the
  // last one, else sets `more` and consumes nothing.
  virtual Status start(BitWindow& window, std::size_t page_n, bool& more) = 0;

  // Decodes up to n numbers to `out`, of any alignment, and sets `done` to their count. Stops
  // early, with `more` set, if the window may not hold the whole next batch and is not the last
  // one. `next`, which may be null: the first walk of another page of the chunk, which may be done
  // meanwhile.
  Status decode(BitWindow& window, std::size_t n, void* out, std::size_t& done, bool& more,
                FirstWalk* next = nullptr) {
    if (!is_aligned_for(out, number_bytes_)) return decode_unaligned(window, n, out, done, more);
    return decode_aligned(window, n, out, done, more, next);
  }

  // After start(): the walk that decode() begins with, so that the call for the page before may do
  // it. Then decode() must follow for the whole page, with the same window. Null if decode() does
  // not begin with a walk.
  virtual FirstWalk* first_walk(const BitWindow& window) = 0;

  // Skips one batch without computing its numbers and adds its sizes to `sizes`. Sets `done` to the
  // count of numbers skipped. Must not be mixed with decode() in one page.
  virtual Status skip(BitWindow& window, std::array<PageVariableSizes, kVariables>& sizes,
                      std::size_t& done) = 0;

  // Whether decoding can continue from a state. Lookback also needs a window of numbers.
  virtual bool has_state() const = 0;
  // Between batches: size in bytes and contents of the head that a page would have if it began
  // here. start() reads it, with the count of numbers left.
  virtual std::size_t state_bytes() const = 0;
  virtual void write_state(BitWriter& writer) const = 0;

  // Checks the padding behind the last batch and moves to the next byte.
  static Status finish(BitWindow& window);

  std::size_t numbers_left() const { return numbers_left_; }

 protected:
  explicit PageDecoder(std::size_t number_bytes) : number_bytes_(number_bytes) {}
  ~PageDecoder() = default;  // lives in an arena, owns nothing

  virtual Status decode_aligned(BitWindow& window, std::size_t n, void* out, std::size_t& done,
                                bool& more, FirstWalk* next) = 0;

  std::size_t numbers_left_ = 0;  // not yet output

 private:
  // decode() to memory that is not aligned, through a block of whole batches.
  Status decode_unaligned(BitWindow& window, std::size_t n, void* out, std::size_t& done,
                          bool& more);

  std::size_t number_bytes_;
};

// Pages that decode_together() takes at most.
inline constexpr std::size_t kMaxPagesTogether = 8;

// A page that is decoded together with others of its chunk. It was started. `out` has memory for
// the whole page, aligned for its numbers.
struct PagePart {
  PageDecoder* decoder;
  BitWindow* window;
  void* out;
};

// The decoding tables of a chunk, in `arena`. `meta` must outlive them.
class ChunkTables {
 public:
  virtual PageDecoder* make_page_decoder(Arena& arena) const = 0;

  // Pages from which decode_together() is of use; SIZE_MAX: it does nothing for this chunk.
  virtual std::size_t min_together() const = 0;
  // Decodes the first numbers of 2 to kMaxPagesTogether pages at once, and sets `done_n` to their
  // count in each page; decode() does the rest. After an error the pages must be started again.
  virtual Status decode_together(std::span<const PagePart> parts, std::size_t& done_n) const = 0;

  static const ChunkTables* make(const ChunkMeta& meta, Arena& arena);

 protected:
  ~ChunkTables() = default;
};

// Largest size in bytes of write_state(), for numbers of a type.
constexpr std::size_t max_state_bytes(NumberType type) {
  // The delta states and tANS states of the primary and the secondary variable.
  // Dictionary indices have 32 bits.
  const std::size_t size = std::max(size_of(type), sizeof(std::uint32_t));
  return 2 * kMaxRestartStateN * size + (2 * kAnsStates * kMaxAnsSizeLog + 7) / 8;
}
inline constexpr std::size_t kMaxStateBytes = max_state_bytes(NumberType::kU64);

}  // namespace numpact::internal
