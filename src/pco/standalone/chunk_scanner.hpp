// SPDX-License-Identifier: Apache-2.0
// Guesses where the chunks of a standalone file start. The file does not record it: without a guess
// all chunks before must be decoded.
#pragma once

#include "base/arena.hpp"
#include "pco/standalone/frame.hpp"
#include "pco/standalone/head_scan.hpp"

namespace numpact::internal::standalone {

// The part of a file that is in memory.
struct FileWindow {
  std::span<const std::byte> bytes;
  std::uint64_t base = 0;  // offset of `bytes` in the file
  bool is_last = true;     // the file ends with `bytes`

  std::uint64_t end() const { return base + bytes.size(); }
};

// A probable chunk: its head and metadata are valid. Offsets are in the file.
struct LikelyChunk {
  std::uint64_t offset = 0;
  std::uint64_t n = 0;
  // Bounds of the end of its page, from the metadata.
  std::uint64_t min_end = 0;
  std::uint64_t max_end = 0;
};

// Searches for chunk heads of one number type that have a plausible count and are followed by
// metadata which parses and is consistent with the count. Remembers the scanned range, so repeating
// a search, also with more bytes in memory, scans no byte twice. All positions are file offsets.
class ChunkScanner {
 public:
  // Smallest count of a chunk that is guessed. Heads of smaller counts resemble other bytes too
  // often; a higher bound leaves more small chunks to sequential decoding.
  static constexpr std::uint64_t kMinChunkN = 256;

  ChunkScanner(NumberType type, FormatVersion format);

  enum class Outcome {
    kFound,
    kNone,
    kMore,  // more bytes are needed to decide
  };

  // Examines offset `at`, where a chunk starts if the file is valid. `scratch` is restored before
  // returning, here and in find_next().
  Outcome examine_at(const FileWindow& window, std::uint64_t at, Arena& scratch,
                     LikelyChunk& chunk);

  // Finds the first likely chunk that starts within the bounds of the end of `before`.
  Outcome find_next(const FileWindow& window, const LikelyChunk& before, Arena& scratch,
                    LikelyChunk& chunk);

 private:
  void raise_max_n(std::uint64_t n);
  Outcome examine(const FileWindow& window, std::size_t at, Arena& scratch, LikelyChunk& chunk);
  bool has_successor(const FileWindow& window, const LikelyChunk& chunk, Arena& scratch);
  bool has_budget() const;

  NumberType type_;
  FormatVersion format_;
  HeadPattern pattern_;
  std::uint64_t max_n_ = 0;  // largest count of the heads that are searched for
  // No likely chunk starts in [clean_begin_, clean_end_); if has_found_, one does at clean_end_.
  std::uint64_t clean_begin_ = 0;
  std::uint64_t clean_end_ = 0;
  bool has_found_ = false;
  LikelyChunk found_;
  // The metadata of the head at truncated_at_ continue behind the window. They are parsed again
  // only when the window reaches retry_end_.
  std::uint64_t truncated_at_ = 0;
  std::uint64_t retry_end_ = 0;
  // Cost of the rejected heads, in bytes whose decoding costs as much, and the end of the scan.
  std::uint64_t rejection_cost_ = 0;
  std::uint64_t reached_ = 0;
};

// The count of numbers in the chunk head of kChunkHeadBytes at `at`.
inline std::uint64_t head_n(const std::byte* at) {
  return 1 + (std::to_integer<std::uint64_t>(at[1]) | std::to_integer<std::uint64_t>(at[2]) << 8 |
              std::to_integer<std::uint64_t>(at[3]) << 16);
}
// Whether the bytes begin with the head of a chunk of n numbers.
inline bool begin_with_head(std::span<const std::byte> bytes, NumberType type, std::uint64_t n) {
  return bytes.size() >= kChunkHeadBytes && bytes[0] == static_cast<std::byte>(type) &&
         head_n(bytes.data()) == n;
}

}  // namespace numpact::internal::standalone
