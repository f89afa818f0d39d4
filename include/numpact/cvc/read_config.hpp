// SPDX-License-Identifier: Apache-2.0
// What may be asked of reading CVC files, and what comes of it.
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

// What to do about chunks whose checksum does not match.
enum class OnCorruption : std::uint8_t {
  kRaise,  // stop with kChecksum
  kFill,   // their rows become `fill`
  kDrop,   // their rows are left out; those after them move up
};

struct ReadConfig {
  // max_numbers and max_output_bytes are about what is read; max_memory about the tables that a
  // header needs.
  DecodeLimits limits;
  // Progress::bytes are those of payloads passed.
  ProgressCallback progress;
  // As in DecodeConfig. Chunks are cut into pieces that are decoded at the same time.
  unsigned threads = 1;
  Executor* executor = nullptr;
  // A chunk that is read whole, all columns of it, is checked against its checksum. One of which a
  // part is read, some rows or columns, is so only with `verify`, at the cost of touching all of
  // its bytes.
  bool verify = false;
  OnCorruption on_corruption = OnCorruption::kRaise;
  // For kFill; integer columns take its whole part.
  double fill = 0;
};

// The rows of a chunk that kFill filled or kDrop left out.
struct CorruptRows {
  std::uint64_t chunk = 0;
  RowRange rows;  // of the file
};

struct ReadReport {
  std::uint64_t rows = 0;  // written to each array
  std::vector<CorruptRows> corrupt;
};

// Where the values of a column go. float32, float16 and bfloat16 can be had of all but integers
// that are stored as they are, which come in their own type; anything else is kTypeMismatch.
// Roundings are to nearest even.
struct Target {
  MutableRows rows;
  std::size_t column = 0;
};

// The stored codes of a column in a chunk: halves, codes that stand for min + code * scale, or
// values of the column's own type. lossless and pco have none.
struct Codes {
  std::span<const std::byte> bytes;  // rows without gaps, little-endian
  Compression compression = Compression::kFp16;
  Dtype dtype = Dtype::kFloat16;  // of a code; int4 has two in each kUInt8, the low half first
  float min = 0;                  // int8
  float scale = 0;
  // int8_row: float32 minima of all rows, then their scales. int8_dim, int4: of all dimensions.
  // Little-endian, at any address.
  std::span<const std::byte> ranges;
  std::uint64_t rows = 0;
  std::uint64_t dimension = 0;
  std::uint64_t row_bytes = 0;
};

// Rows that lie in one chunk, and what their codes mean.
struct CodeRun {
  std::uint64_t rows = 0;
  Compression compression = Compression::kFp16;
  // One for all (int8), for each of the rows (int8_row), for each dimension (int8_dim, int4); none
  // for the others.
  std::vector<float> mins;
  std::vector<float> scales;
};

struct VerifyReport {
  struct Bad {
    std::uint64_t chunk = 0;
    RowRange rows;
    Status status;
  };
  std::uint64_t chunks = 0;  // all of them
  std::vector<Bad> bad;
};

}  // namespace numpact::cvc

#endif
