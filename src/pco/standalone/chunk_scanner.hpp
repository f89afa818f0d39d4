// SPDX-License-Identifier: Apache-2.0
// Guesses where chunks start: nothing in a standalone file says so but decoding all before them.
#ifndef NUMPACT_PCO_STANDALONE_CHUNK_SCANNER_HPP
#define NUMPACT_PCO_STANDALONE_CHUNK_SCANNER_HPP

#include "base/arena.hpp"
#include "pco/standalone/frame.hpp"
#include "pco/standalone/head_scan.hpp"

namespace numpact::standalone {

// Bytes of a file that are at hand.
struct Stretch {
  std::span<const std::byte> bytes;
  std::uint64_t base = 0;  // their place in the file
  bool is_last = true;     // nothing comes after them

  std::uint64_t end() const { return base + bytes.size(); }
};

// What looks like a chunk, by its head and metadata.
struct LikelyChunk {
  std::uint64_t offset = 0;
  std::uint64_t n = 0;
  // Its page ends between these, whatever it holds.
  std::uint64_t least_end = 0;
  std::uint64_t most_end = 0;
};

// Looks for chunk heads of a type, of any count that is plausible, with metadata that parses and
// suits the count. Remembers what it has seen, so that asking again, or with more bytes at hand,
// costs nothing twice. All positions are of the file.
class ChunkScanner {
 public:
  // Heads of fewer numbers look too much like other bytes.
  static constexpr std::uint64_t kMinN = 256;

  ChunkScanner(NumberType type, FormatVersion format);

  enum class Outcome {
    kFound,
    kNone,
    kMore,  // more bytes are needed to tell
  };

  // What starts at `at`, where a chunk is known to start if the file is sound. `scratch` is left as
  // it was, here and below.
  Outcome look_at(const Stretch& stretch, std::uint64_t at, Arena& scratch, LikelyChunk& chunk);

  // The first likely chunk that starts where the page of `before` may end.
  Outcome find_next(const Stretch& stretch, const LikelyChunk& before, Arena& scratch,
                    LikelyChunk& chunk);

 private:
  void expect_up_to(std::uint64_t n);
  Outcome examine(const Stretch& stretch, std::size_t at, Arena& scratch, LikelyChunk& chunk);
  bool is_followed(const Stretch& stretch, const LikelyChunk& chunk, Arena& scratch);
  bool may_go_on() const;

  NumberType type_;
  FormatVersion format_;
  HeadPattern pattern_;
  std::uint64_t most_n_ = 0;  // of the heads that are looked for
  // No likely chunk starts in [clean_begin_, clean_end_); if has_found_, one does at clean_end_.
  std::uint64_t clean_begin_ = 0;
  std::uint64_t clean_end_ = 0;
  bool has_found_ = false;
  LikelyChunk found_;
  // Metadata there goes on behind the stretch: not to be tried again before that has come so far.
  std::uint64_t cut_off_at_ = 0;
  std::uint64_t wanted_end_ = 0;
  // What was refused, in bytes whose decoding costs as much; and how far scans came.
  std::uint64_t refused_ = 0;
  std::uint64_t reached_ = 0;
};

// The count in the chunk head that starts with these kChunkHeadBytes.
std::uint64_t head_n(const std::byte* at);

}  // namespace numpact::standalone

#endif
