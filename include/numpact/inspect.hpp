// SPDX-License-Identifier: Apache-2.0
// The structure of a Pco file: header, chunks, modes, deltas, bins, sizes. Numbers are not decoded,
// but tANS codes are read, since page ends cannot be found otherwise.
#ifndef NUMPACT_INSPECT_HPP
#define NUMPACT_INSPECT_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "numpact/config.hpp"
#include "numpact/encoding.hpp"
#include "numpact/error.hpp"
#include "numpact/pco.hpp"
#include "numpact/types.hpp"

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
  // The first chunks; all of them unless their descriptions exceed 1 MiB plus half of the file's
  // size, as with very many tiny chunks.
  std::vector<ChunkInfo> chunks;
  std::uint64_t chunk_count = 0;     // total, including those missing in `chunks`
  std::uint64_t count = 0;           // numbers in all chunks
  std::uint64_t raw_bytes = 0;       // size of these in memory
  std::uint64_t file_bytes = 0;      // from the magic to the terminator
  std::uint64_t trailing_bytes = 0;  // after the terminator, not part of the file
  // State of the trailing bytes, by their own checksums alone; verify() checks them against the
  // file.
  TrailerState trailer = TrailerState::kNone;
  std::optional<unsigned> restart_log;  // log2 of the distance of its restart points
};

// Errors: as for decoding, except those only decoded numbers reveal (a dictionary index or lookback
// out of range). Limits apply as if the numbers were decoded; max_memory bounds scratch memory,
// excluding the FileInfo.
NUMPACT_API Result<FileInfo> inspect(std::span<const std::byte> file,
                                     const DecodeConfig& config = {}) noexcept;
// Replaces `info`, which keeps the intact chunks before an error.
NUMPACT_API Status inspect_into(std::span<const std::byte> file, FileInfo& info,
                                const DecodeConfig& config = {}) noexcept;

}  // namespace numpact

#endif
