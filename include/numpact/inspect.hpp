// SPDX-License-Identifier: Apache-2.0
// What is inside a Pco file: header, chunks, modes, deltas, bins, sizes. The numbers themselves are
// not made, but the tANS codes are walked, since nothing else tells where a page ends.
#ifndef NUMPACT_INSPECT_HPP
#define NUMPACT_INSPECT_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "numpact/config.hpp"
#include "numpact/error.hpp"
#include "numpact/pco.hpp"
#include "numpact/types.hpp"

namespace numpact {

enum class Mode : std::uint8_t {
  kClassic = 0,
  kIntMult = 1,
  kFloatMult = 2,
  kFloatQuant = 3,
  kDict = 4,
};

enum class Delta : std::uint8_t { kNone = 0, kConsecutive = 1, kLookback = 2, kConv1 = 3 };

enum class LatentVariable : std::uint8_t { kDelta, kPrimary, kSecondary };

NUMPACT_API const char* to_string(Mode mode) noexcept;
NUMPACT_API const char* to_string(Delta delta) noexcept;
NUMPACT_API const char* to_string(LatentVariable variable) noexcept;
// "none", "sound", "damaged", "unrecognised".
NUMPACT_API const char* to_string(TrailerState state) noexcept;

struct BinInfo {
  std::uint32_t weight = 0;  // share of the tANS table, out of 2^ans_size_log
  std::uint64_t lower = 0;   // the smallest latent of the bin
  unsigned offset_bits = 0;  // bits that a latent of this bin stores beside its code
};

struct LatentVariableInfo {
  LatentVariable variable = LatentVariable::kPrimary;
  unsigned latent_bits = 0;  // 8, 16, 32 or 64
  unsigned ans_size_log = 0;
  bool delta_encoded = false;
  std::vector<BinInfo> bins;
  std::uint64_t meta_bits = 0;  // of the bins and their header in the chunk's metadata
  // Of the page (standalone files only, else 0):
  std::uint64_t stored = 0;       // latents stored in batches
  std::uint64_t state_bits = 0;   // delta state and tANS states
  std::uint64_t code_bits = 0;    // tANS codes
  std::uint64_t offset_bits = 0;  // offsets
};

struct ChunkInfo {
  NumberType type = NumberType::kU8;
  std::uint64_t count = 0;       // numbers (standalone files only, else 0)
  std::uint64_t offset = 0;      // of the chunk in the file, in bytes
  std::uint64_t meta_bytes = 0;  // of the chunk's metadata
  std::uint64_t page_bytes = 0;  // of its page

  Mode mode = Mode::kClassic;
  std::uint64_t int_mult_base = 0;  // kIntMult
  double float_mult_base = 0;       // kFloatMult
  unsigned float_quant_k = 0;       // kFloatQuant
  std::vector<std::uint64_t> dict;  // kDict: entries as ordered latents
  Delta delta = Delta::kNone;
  unsigned delta_order = 0;                   // kConsecutive, kConv1
  unsigned window_n_log = 0;                  // kLookback
  unsigned state_n_log = 0;                   // kLookback
  unsigned conv1_quantization = 0;            // kConv1
  std::int64_t conv1_bias = 0;                // kConv1
  std::vector<std::int32_t> conv1_weights;    // kConv1
  std::vector<LatentVariableInfo> variables;  // in file order

  // E.g. "float-mult=0.01", spelled as the command line spells it.
  NUMPACT_API std::string mode_text() const;
  // E.g. "consecutive=2".
  NUMPACT_API std::string delta_text() const;
};

struct FileInfo {
  FileHeader header;
  // The first chunks: all of them, unless their descriptions would take more memory than 1 MiB and
  // half of the file, as those of very many tiny chunks do.
  std::vector<ChunkInfo> chunks;
  std::uint64_t chunk_count = 0;     // of all, also those that `chunks` leaves out
  std::uint64_t count = 0;           // numbers in all chunks
  std::uint64_t raw_bytes = 0;       // that these take in memory
  std::uint64_t file_bytes = 0;      // from the magic to the terminator
  std::uint64_t trailing_bytes = 0;  // after the terminator, not part of the file
  // Of these, by its own checksums: whether it is true of the file is for try_verify to find.
  TrailerState trailer = TrailerState::kNone;
  std::optional<unsigned> restart_log;  // how far apart its restart points are, as a power of two
};

// Errors as decoding would give them, but for those that only the numbers show (a dictionary index
// or lookback out of range). Sound chunks before the error stay in `info`. Limits hold as if
// the numbers were decoded; max_memory is for scratch, which `info` does not count as.
NUMPACT_API Status try_inspect(std::span<const std::byte> file, FileInfo& info,
                               const DecodeConfig& config = {}) noexcept;

inline FileInfo inspect(std::span<const std::byte> file, const DecodeConfig& config = {}) {
  FileInfo info;
  throw_if_error(try_inspect(file, info, config));
  return info;
}

}  // namespace numpact

#endif
