// SPDX-License-Identifier: Apache-2.0
// Options and results of reading CVC files.
#ifndef NUMPACT_CVC_READ_CONFIG_HPP
#define NUMPACT_CVC_READ_CONFIG_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "numpact/config.hpp"
#include "numpact/cvc/types.hpp"
#include "numpact/error.hpp"

namespace numpact::cvc {

// What to do with a chunk whose checksum does not match.
enum class OnCorruption : std::uint8_t {
  kRaise,  // stop with kChecksum
  kFill,   // set its rows to `fill`
  kDrop,   // omit its rows; later rows move up
};

struct ReadConfig {
  // max_numbers and max_output_bytes bound the values read; max_memory bounds the tables built from
  // a header.
  DecodeLimits limits;
  // Progress::bytes counts payload bytes passed.
  ProgressCallback progress;
  // As in DecodeConfig. Chunks are split into blocks that are decoded concurrently.
  unsigned threads = 1;
  Executor* executor = nullptr;
  // A chunk read whole, with all columns, is always checked against its checksum. A chunk read in
  // part (rows or columns) is checked only with `verify`, which reads all of its bytes.
  bool verify = false;
  // Linux only: asks the system to populate the memory of large outputs in advance, one part per
  // task. Faster for memory that was just allocated and never written.
  bool prefault = false;
  OnCorruption on_corruption = OnCorruption::kRaise;
  // For kFill; integer columns use its integer part.
  double fill = 0;
};

// Rows of a chunk that kFill filled or kDrop omitted.
struct CorruptRows {
  std::uint64_t chunk = 0;
  RowRange rows;  // of the file
};

struct ReadReport {
  std::uint64_t rows = 0;  // written to each array
  std::vector<CorruptRows> corrupt;
};

// Where the values of a column go. float32, float16 and bfloat16 can be read from every column
// except integers stored uncompressed or as pco, which are read in their own type; otherwise
// kTypeMismatch. Values are rounded to nearest even.
struct Target {
  MutableRows rows;
  std::size_t column = 0;
};

// The stored codes of a column in a chunk: half-precision values, codes that stand for min + code *
// scale, or values of the column's type. lossless and pco have none.
struct Codes {
  std::span<const std::byte> bytes;  // rows without gaps, little-endian
  Compression compression = Compression::kFp16;
  Dtype dtype = Dtype::kFloat16;  // of a code; int4 packs two per kUInt8, the low half first
  float min = 0;                  // int8
  float scale = 0;
  // int8_row: float32 minima of all rows, then their scales. int8_dim, int4: the same per
  // dimension. Little-endian, unaligned.
  std::span<const std::byte> ranges;
  std::uint64_t rows = 0;
  std::uint64_t dimension = 0;
  std::uint64_t row_bytes = 0;
};

// Consecutive rows of one chunk and the meaning of their codes.
struct CodeRun {
  std::uint64_t rows = 0;
  Compression compression = Compression::kFp16;
  // One entry (int8), one per row (int8_row), one per dimension (int8_dim, int4), or empty.
  std::vector<float> mins;
  std::vector<float> scales;
};

struct VerifyReport {
  struct Bad {
    std::uint64_t chunk = 0;
    RowRange rows;
    Status status;
  };
  std::uint64_t chunks = 0;  // of the file
  std::vector<Bad> bad;
};

}  // namespace numpact::cvc

#endif
