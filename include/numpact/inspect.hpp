// SPDX-License-Identifier: Apache-2.0
// The structure of a Pco file, and why a column has its size: the encodings considered for each
// chunk, the one chosen, and the cost of each part.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "numpact/pco.hpp"

namespace numpact {

enum class LatentVariable : std::uint8_t { kDelta, kPrimary, kSecondary };

NUMPACT_API const char* to_string(LatentVariable variable) noexcept;
// "none", "sound", "damaged", "unrecognised".
NUMPACT_API const char* to_string(TrailerState state) noexcept;

struct BinInfo {
  std::uint32_t weight = 0;  // weight in the tANS table, out of 2^ans_size_log
  std::uint64_t lower = 0;   // the smallest latent of the bin
  unsigned offset_bits = 0;  // bits per latent of this bin, in addition to its code
};

struct LatentVariableInfo {
  LatentVariable variable = LatentVariable::kPrimary;
  unsigned latent_bits = 0;  // 8, 16, 32 or 64
  unsigned ans_size_log = 0;
  bool delta_encoded = false;
  std::vector<BinInfo> bins;
  std::uint64_t meta_bits = 0;  // of the bins and their header in the metadata
  // Sizes in the page (standalone files only, else 0):
  std::uint64_t stored = 0;       // latents stored in batches
  std::uint64_t state_bits = 0;   // delta state and tANS states
  std::uint64_t code_bits = 0;    // tANS codes
  std::uint64_t offset_bits = 0;  // offsets
};

// The mode of a chunk with its parameters. The index of an alternative is the Mode.
struct ClassicInfo {};
struct IntMultInfo {
  std::uint64_t base = 1;
};
struct FloatMultInfo {
  double base = 1;
};
struct FloatQuantInfo {
  unsigned k = 1;
};
struct DictInfo {
  std::vector<std::uint64_t> entries;  // ordered latents
};
using ModeInfo = std::variant<ClassicInfo, IntMultInfo, FloatMultInfo, FloatQuantInfo, DictInfo>;

// The delta encoding of a chunk with its parameters. The index of an alternative is the Delta.
struct NoDeltaInfo {};
struct ConsecutiveInfo {
  unsigned order = 1;
};
struct LookbackInfo {
  unsigned window_n_log = 1;
  unsigned state_n_log = 0;
};
struct Conv1Info {
  unsigned quantization = 0;
  std::int64_t bias = 0;
  std::vector<std::int32_t> weights;  // one per order, for the oldest latent first
};
using DeltaInfo = std::variant<NoDeltaInfo, ConsecutiveInfo, LookbackInfo, Conv1Info>;

struct ChunkInfo {
  NumberType type = NumberType::kU8;
  std::uint64_t count = 0;       // numbers (standalone files only, else 0)
  std::uint64_t offset = 0;      // of the chunk in the file, in bytes
  std::uint64_t meta_bytes = 0;  // size of the metadata
  std::uint64_t page_bytes = 0;  // size of the page
  ModeInfo mode_info;
  DeltaInfo delta_info;
  std::vector<LatentVariableInfo> variables;  // in file order

  Mode mode() const noexcept { return static_cast<Mode>(mode_info.index()); }
  Delta delta() const noexcept { return static_cast<Delta>(delta_info.index()); }
  // E.g. "float-mult=0.01" and "consecutive=2", as in a ModeSpec and a DeltaSpec.
  NUMPACT_API std::string mode_text() const;
  NUMPACT_API std::string delta_text() const;
};

struct FileInfo {
  FileHeader header;
  // All, or the first whose descriptions take 1 MiB plus half of the file's size.
  std::vector<ChunkInfo> chunks;
  std::uint64_t chunk_count = 0;     // total, including those missing in `chunks`
  std::uint64_t count = 0;           // numbers in all chunks
  std::uint64_t raw_bytes = 0;       // size of these in memory
  std::uint64_t file_bytes = 0;      // from the magic to the terminator
  std::uint64_t trailing_bytes = 0;  // after the terminator, not part of the file
  // State of the trailing bytes, by their own checksums alone; verify() does more.
  TrailerState trailer = TrailerState::kNone;
  std::optional<unsigned> restart_log;  // log2 of the distance of its restart points
};

// Reads tANS codes, but decodes no numbers. Errors: as for decoding, except those only decoded
// numbers reveal (a dictionary index or lookback out of range). Limits apply as if the numbers were
// decoded; max_memory excludes the FileInfo.
NUMPACT_API Result<FileInfo> inspect(std::span<const std::byte> file,
                                     const DecodeConfig& config = {}) noexcept;
// Replaces `info`, which keeps the intact chunks before an error.
NUMPACT_API Status inspect_into(std::span<const std::byte> file, FileInfo& info,
                                const DecodeConfig& config = {}) noexcept;

// Order-0 entropy: the least mean cost of a value if values are coded independently and their
// frequencies are known for free. Says little if most values occur once.
struct EntropyBound {
  double bits = 0;             // per value
  std::uint64_t count = 0;     // values
  std::uint64_t distinct = 0;  // distinct values, compared bit by bit
};

// What became of an encoding that the encoder considered.
enum class CandidateOutcome : std::uint8_t {
  kTaken,
  kLarger,         // encoded, and larger than what was taken
  kFar,            // estimated above what was taken by more than the errors of both
  kNear,           // within the errors, but not encoded: it takes more time than it saves
  kNotRepetitive,  // cheap tests show too little repetition for Lookback
  kDecodesSlowly,  // saves less than an encoding must that decodes slowly
};
NUMPACT_API const char* to_string(CandidateOutcome outcome) noexcept;  // "not repetitive"

// An encoding that the encoder considered for a chunk.
struct CandidateInfo {
  Mode mode = Mode::kClassic;
  Delta delta = Delta::kNone;
  std::string mode_text;   // as ChunkInfo::mode_text()
  std::string delta_text;  // as ChunkInfo::delta_text()
  // The last estimate of the bits per number, including metadata, from a sample or for Lookback
  // from a search of the chunk; or none.
  std::optional<double> estimated_bits;
  // What the encoder allows for as the estimate's error. An estimate of few numbers has a large
  // one.
  double error_bits = 0;
  // Size of metadata and page, if the chunk was fully encoded this way.
  std::optional<std::uint64_t> bytes;
  bool is_chosen = false;  // used for the chunk
  CandidateOutcome outcome = CandidateOutcome::kFar;
};

// The division of a run of numbers into chunks.
struct RunExplanation {
  std::uint64_t first_chunk = 0;  // index of its first chunk
  std::uint64_t chunk_count = 0;
  // One chunk for all of it, and segments where the data changes: bits per number and error, as of
  // a candidate. No estimate: they were excluded, or a sample showed that they save too little.
  std::optional<double> single_bits;
  double single_error_bits = 0;
  std::optional<double> segment_bits;
  double segment_error_bits = 0;
  std::uint64_t segment_count = 0;  // that were planned; 0: none
  CandidateOutcome segments = CandidateOutcome::kFar;
};

struct ChunkExplanation {
  EntropyBound numbers;  // of the chunk
  // One for each variable of latents, in the order of ChunkInfo::variables.
  std::vector<EntropyBound> latents;
  // In the order considered, exactly one chosen; empty when explaining a file.
  std::vector<CandidateInfo> candidates;
  // No candidate was smaller than plain numbers: a single bin over their range was used.
  bool is_fallback = false;

  NUMPACT_API const CandidateInfo* chosen() const noexcept;  // null: none
};

struct Explanation {
  FileInfo file;                         // what compress() would write, or the given file
  EntropyBound numbers;                  // of the whole column
  std::vector<ChunkExplanation> chunks;  // parallel to file.chunks
  std::vector<RunExplanation> runs;      // in order; empty when explaining a file
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

  NUMPACT_API std::uint64_t total() const noexcept;
};

// Size of a file, or of a chunk with its header. Unlisted chunks count as framing.
NUMPACT_API SizeParts parts_of(const FileInfo& file) noexcept;
NUMPACT_API SizeParts parts_of(const ChunkInfo& chunk) noexcept;

// Encodes as compress() does, on one thread, discards the file and reports the candidates. Errors
// and progress: as compress(). Costs the time of compress() and inspect() plus some sorting, and
// memory for the file and a copy of the numbers.
NUMPACT_API Result<Explanation> explain(const NumberView& numbers,
                                        const EncodeConfig& config = {}) noexcept;

// Explains an existing standalone file, without candidates. Errors and limits: as decompress().
// max_memory includes the latents and a copy of the numbers of one chunk at a time.
NUMPACT_API Result<Explanation> explain_file(std::span<const std::byte> file,
                                             const DecodeConfig& config = {}) noexcept;

}  // namespace numpact
