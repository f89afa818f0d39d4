// SPDX-License-Identifier: Apache-2.0
// Explains the size of a column: which encodings were considered for each chunk, which one was
// chosen, what each part of the file costs, and the order-0 entropy as a bound for coding values
// one by one.
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

// Order-0 entropy: a lower bound on the mean cost of a value if values are coded independently and
// their frequencies are known for free. Says little if most values occur once.
struct EntropyBound {
  double bits = 0;             // per value
  std::uint64_t count = 0;     // values
  std::uint64_t distinct = 0;  // distinct values, compared bit by bit
};

// An encoding that the encoder considered for a chunk.
struct CandidateInfo {
  Mode mode = Mode::kClassic;
  Delta delta = Delta::kNone;
  std::string mode_text;   // as ChunkInfo::mode_text()
  std::string delta_text;  // as ChunkInfo::delta_text()
  // Estimated bits per number, including metadata: the last estimate, or none. From a sample, or
  // for Lookback from a search of the chunk, which is made where cheap tests find repetition.
  std::optional<double> estimated_bits;
  // Size of metadata and page, if the chunk was fully encoded this way.
  std::optional<std::uint64_t> bytes;
  bool is_chosen = false;  // used for the chunk
};

struct ChunkExplanation {
  EntropyBound numbers;  // of the chunk
  // Of the stored latents, in the order of ChunkInfo::variables.
  std::vector<EntropyBound> latents;
  // In the order considered, exactly one chosen; empty when explaining a file.
  std::vector<CandidateInfo> candidates;
  // No candidate was smaller than plain numbers: a single bin over their range was used.
  bool is_fallback = false;

  const CandidateInfo* chosen() const noexcept {
    for (const CandidateInfo& candidate : candidates) {
      if (candidate.is_chosen) return &candidate;
    }
    return nullptr;
  }
};

struct Explanation {
  FileInfo file;                         // what compress() would write, or the given file
  EntropyBound numbers;                  // of the whole column
  std::vector<ChunkExplanation> chunks;  // parallel to file.chunks
};

// Bits by purpose; their sum is the size of the file or chunk.
struct SizeParts {
  std::uint64_t framing = 0;       // file header, chunk heads, terminator
  std::uint64_t choices = 0;       // modes, deltas, dictionaries, metadata padding
  std::uint64_t bins = 0;          // of the latent variables
  std::uint64_t delta_states = 0;  // initial latents of deltas
  std::uint64_t ans_states = 0;    // initial states of the tANS decoders
  std::uint64_t codes = 0;         // the bin of each latent
  std::uint64_t offsets = 0;       // the position within the bin
  std::uint64_t padding = 0;       // of pages, to whole bytes

  std::uint64_t total() const noexcept {
    return framing + choices + bins + delta_states + ans_states + codes + offsets + padding;
  }
};

// Of a standalone file, or of a chunk with its head. Chunks missing in FileInfo::chunks count as
// framing.
NUMPACT_API SizeParts parts_of(const FileInfo& file) noexcept;
NUMPACT_API SizeParts parts_of(const ChunkInfo& chunk) noexcept;

// Encodes the numbers as compress() does, on one thread, discards the file and reports the
// candidates. Errors: as compress(). Thread-safe. Progress is reported after each encoded chunk.
// Costs the time of compress() and inspect() plus some sorting, and memory for the file and a copy
// of the numbers.
NUMPACT_API Result<Explanation> explain(const NumberView& numbers,
                                        const EncodeConfig& config = {}) noexcept;

// Explains an existing standalone file, without candidates. Decodes the numbers. Errors and limits:
// as decompress(). max_memory bounds scratch memory, including the latents and a copy of the
// numbers of one chunk at a time.
NUMPACT_API Result<Explanation> explain_file(std::span<const std::byte> file,
                                             const DecodeConfig& config = {}) noexcept;

}  // namespace numpact

#endif
