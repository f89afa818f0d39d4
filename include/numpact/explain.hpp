// SPDX-License-Identifier: Apache-2.0
// Why a column takes the bytes it takes: what the encoder weighed for each chunk, what it took,
// which part of the file is what, and what no coding of single values can get below.
#ifndef NUMPACT_EXPLAIN_HPP
#define NUMPACT_EXPLAIN_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "numpact/config.hpp"
#include "numpact/error.hpp"
#include "numpact/inspect.hpp"
#include "numpact/types.hpp"

namespace numpact {

// The order-0 entropy of some values: what each of them costs at least on average, where all are
// coded by themselves, none helping with the next, and how often each occurs is known for free. It
// says little where most values occur once.
struct EntropyBound {
  double bits = 0;             // for each value
  std::uint64_t count = 0;     // values
  std::uint64_t distinct = 0;  // different ones among them, bit by bit
};

// A way to encode a chunk that the encoder weighed.
struct CandidateInfo {
  Mode mode = Mode::kClassic;
  Delta delta = Delta::kNone;
  std::string mode_text;   // as ChunkInfo::mode_text()
  std::string delta_text;  // as ChunkInfo::delta_text()
  // For each number, metadata included, judged by a sample. The last word where it was asked twice;
  // none where it was not estimated.
  std::optional<double> estimated_bits;
  // Metadata and page in bytes, where the chunk was encoded so in full.
  std::optional<std::uint64_t> bytes;
  bool is_chosen = false;  // it is how the chunk is encoded
};

struct ChunkExplanation {
  EntropyBound numbers;  // of the chunk
  // Of the latents that the page stores, in the order of ChunkInfo::variables.
  std::vector<EntropyBound> latents;
  // In the order in which they were weighed; none where a file is explained. One of them is chosen.
  std::vector<CandidateInfo> candidates;
  // Nothing that was weighed was smaller than plain numbers: one bin over their range was taken.
  bool is_fallback = false;

  const CandidateInfo* chosen() const noexcept {
    for (const CandidateInfo& candidate : candidates) {
      if (candidate.is_chosen) return &candidate;
    }
    return nullptr;
  }
};

struct Explanation {
  FileInfo file;                         // what compress() writes, or the file that was given
  EntropyBound numbers;                  // of the whole column
  std::vector<ChunkExplanation> chunks;  // as file.chunks
};

// What bits are there for. Those of all parts add up to the bytes.
struct SizeParts {
  std::uint64_t framing = 0;       // header of the file, heads of the chunks, terminator
  std::uint64_t choices = 0;       // modes, deltas, dictionaries, and the metadata's padding
  std::uint64_t bins = 0;          // of the latent variables
  std::uint64_t delta_states = 0;  // latents that deltas start from
  std::uint64_t ans_states = 0;    // what the tANS decoders start from
  std::uint64_t codes = 0;         // which bin each latent is in
  std::uint64_t offsets = 0;       // where in the bin
  std::uint64_t padding = 0;       // of the pages, to whole bytes

  std::uint64_t total() const noexcept {
    return framing + choices + bins + delta_states + ans_states + codes + offsets + padding;
  }
};

// Of a standalone file, or of a chunk with its head. Chunks that FileInfo::chunks leaves out count
// as framing.
NUMPACT_API SizeParts parts_of(const FileInfo& file) noexcept;
NUMPACT_API SizeParts parts_of(const ChunkInfo& chunk) noexcept;

// Encodes the numbers as compress() does, into memory that is given back, by one thread, and tells
// what was weighed. Everything in `explanation` is a copy. Errors are those of compress();
// `explanation` is empty then. Any number of threads may explain at the same time. Progress is
// reported after each chunk that was encoded. Takes the time of compress() and inspect(), and some
// sorting; memory for the file and a copy of the numbers.
NUMPACT_API Status try_explain(const NumberView& numbers, Explanation& explanation,
                               const EncodeConfig& config = {}) noexcept;

inline Explanation explain(const NumberView& numbers, const EncodeConfig& config = {}) {
  Explanation explanation;
  throw_if_error(try_explain(numbers, explanation, config));
  return explanation;
}

// Of an existing standalone file, which does not tell what else was weighed. The numbers are
// decoded. Errors and limits are those of decompress(); `explanation` is empty then. max_memory is
// for scratch, among it the latents and a copy of the numbers of one chunk at a time.
NUMPACT_API Status try_explain_file(std::span<const std::byte> file, Explanation& explanation,
                                    const DecodeConfig& config = {}) noexcept;

inline Explanation explain_file(std::span<const std::byte> file, const DecodeConfig& config = {}) {
  Explanation explanation;
  throw_if_error(try_explain_file(file, explanation, config));
  return explanation;
}

}  // namespace numpact

#endif
