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

// Looks for chunk heads of a type and about a count, with metadata that parses. Remembers what it
// has seen, so that asking again, or with more bytes at hand, costs nothing twice. All positions
// are of the file.
class ChunkScanner {
 public:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  // Heads of fewer numbers look too much like other bytes.
  static constexpr std::uint64_t kMinN = 256;

  ChunkScanner(NumberType type, FormatVersion format) : type_(type), format_(format) {}

  // What to look for: n numbers, one more or less. Forgets what was seen.
  void look_for(std::uint64_t n);
  std::uint64_t wanted_n() const { return n_; }

  // The first likely start at or after `from`; kNone if there is none in the stretch. `scratch` is
  // left as it was.
  std::uint64_t find(const Stretch& stretch, std::uint64_t from, Arena& scratch);

 private:
  bool is_wanted_head(const std::byte* at) const;
  bool is_likely(const Stretch& stretch, std::size_t at, Arena& scratch);

  NumberType type_;
  FormatVersion format_;
  HeadPattern pattern_;
  std::uint64_t n_ = 0;
  // No chunk starts in [clean_begin_, clean_end_); found_, if any, is clean_end_.
  std::uint64_t clean_begin_ = 0;
  std::uint64_t clean_end_ = 0;
  std::uint64_t found_ = kNone;
  // Heads that were parsed in vain; each may cost as much as scanning kBytesPerRefusal.
  std::uint64_t refusals_ = 0;
  std::uint64_t scanned_ = 0;
};

// The count in the chunk head that starts with these kChunkHeadBytes.
std::uint64_t head_n(const std::byte* at);

}  // namespace numpact::standalone

#endif
