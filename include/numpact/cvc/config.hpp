// SPDX-License-Identifier: Apache-2.0
// Options and results of reading and writing CVC files.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "numpact/config.hpp"
#include "numpact/cvc/types.hpp"
#include "numpact/file_lock.hpp"

namespace numpact::cvc {

// The treatment of a chunk whose checksum does not match.
enum class OnCorruption : std::uint8_t {
  kRaise,  // stop with kChecksum
  kFill,   // set its rows to `fill`
  kDrop,   // omit its rows; later rows move up
};

struct ReadConfig {
  DecodeLimits limits;        // max_memory bounds the tables built from a header
  ProgressCallback progress;  // Progress::bytes counts payload bytes passed
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
  double fill = 0;  // for kFill; integer columns use its integer part
};

// A damaged chunk: its rows in the file, and the error.
struct CorruptRows {
  std::uint64_t chunk = 0;
  RowRange rows;
  Status status;
};

struct ReadReport {
  std::uint64_t rows = 0;            // written to each array
  std::vector<CorruptRows> corrupt;  // filled (kFill) or omitted (kDrop)
};

// Where the values of a column go. float32, float16 and bfloat16 can be read from every column
// except integers stored uncompressed or as pco, which are read in their own type; otherwise
// kTypeMismatch. Values are rounded to nearest even.
struct Target {
  MutableRows rows;
  std::size_t column = 0;
  // rows.dimension may be less than the column's: the first values of each row are read. Only they
  // are decoded, except for pco, whose pages are decoded whole.
  bool takes_first = false;
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
  // dimension. rot1 to rot4: the mean and the seed; a scale precedes the codes of each row. All as
  // in docs/format/cvc.md, little-endian, unaligned.
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
  std::uint64_t chunks = 0;  // of the file
  std::vector<CorruptRows> bad;
};

// lossless: location and coding of one byte plane.
struct StoredPlane {
  std::uint64_t offset = 0;                    // of its packed codes in StoredSlice::bytes
  std::uint64_t size = 0;                      // in bytes
  unsigned width = 8;                          // bits per code, most significant first
  unsigned entries = 0;                        // of the dictionary; codes >= entries are corrupt
  bool is_plain = false;                       // codes are the bytes themselves
  std::array<std::uint8_t, 256> dictionary{};  // zero after its entries

  // Whether the width allows codes without an entry, which are not checked before decoding.
  bool may_be_corrupt() const noexcept { return entries < (1u << width); }
};

// Validated as for decoding, except for the codes of lossless planes and the pages of pco.
struct StoredSlice {
  Compression compression = Compression::kFp16;
  Dtype dtype = Dtype::kFloat32;     // of the column
  std::span<const std::byte> bytes;  // layout: docs/format/cvc.md
  // Keeps mapped or fetched bytes alive, but not those that the caller gave to the reader.
  std::shared_ptr<const void> owner;
  std::uint64_t offset = 0;     // of the bytes in the file
  std::uint64_t first_row = 0;  // of the file
  std::uint64_t rows = 0;
  std::uint64_t dimension = 0;
  float min = 0;  // int8
  float scale = 0;
  std::array<StoredPlane, 4> planes;  // lossless; 0 is the least significant
};

enum class Version : std::uint8_t {
  kV01,  // 0.1: one array; no checksums; fp16 and int8 only
  kV10,  // 1.0: one array
  kV20,  // 2.0: columns
};

struct ColumnSpec {
  std::string name;
  std::uint64_t dimension = 1;
  Dtype dtype = Dtype::kFloat32;  // of the rows to append
  // Any except lossless; default: fp16 for floats, none for integers.
  std::optional<Compression> compression;
  // Dimension 1: rows are vectors of one value, shape (rows, 1), not scalars. The header records
  // this; readers other than numpact's take them for scalars.
  bool is_vector = false;
};

// How values become codes for int8_row, int8_dim and int4. Readers need not know.
enum class Rounding : std::uint8_t {
  kNearest,  // to the nearest step
  // Errors of a row cancel out in the directions in which the chunk's rows vary: searches lose
  // about half as much accuracy, while single values are off by about a fifth more. Costs d^2 / 2
  // multiplications per row of d dimensions, of which at most 1024 affect each other: from there
  // on 512 per value. Chunks of fewer than 32 rows use kNearest.
  kForSearch,
  // kForSearch for int4, kNearest for codes of 8 bits, where searches gain less than .002 of their
  // neighbours from kForSearch.
  kAutomatic,
};

struct WriteConfig {
  Version version = Version::kV10;
  Compression compression = Compression::kFp16;  // 0.1 and 1.0
  std::uint64_t chunk_rows = 100000;             // at least 1
  // 1.0 only: records are aligned to 4096 bytes, and the header stores their offsets.
  bool paged = false;
  std::vector<ColumnSpec> columns;  // 2.0 only: the schema
  // 0.1 and 1.0: values per row; default: that of the first rows appended.
  std::optional<std::uint64_t> dimension;
  // If the first append has exactly this many rows, the size of the header is known in advance, and
  // payloads are written to their final offsets. Otherwise they are moved at the end.
  std::optional<std::uint64_t> expected_rows;
  // int8, int8_row, int8_dim, int4, rot1 to rot4: accept NaN, infinities and ranges that exceed
  // float32. All values of such a chunk (int8_row, rot1 to rot4: of the row; int8_dim, int4: of the
  // dimension in the chunk) decode to NaN; WriteReport::lost counts the finite ones. Otherwise they
  // are kInvalidArgument.
  bool allow_nonfinite = false;
  Rounding rounding = Rounding::kAutomatic;
  // JSON (RFC 8259) for the header's `metadata`; empty: none. NaN, Infinity, numbers beyond
  // binary64 and lone surrogates are kInvalidArgument, in all metadata.
  std::string metadata;
  // Chunks are compressed concurrently; one per concurrent task is kept in memory.
  unsigned threads = 1;
  Executor* executor = nullptr;
  ProgressCallback progress;
  bool sync = true;  // files only: flush the file to disk before it gets its name
  // Files only: how long to wait, once all is written, for another writer of the file that is
  // replaced (FileLock).
  LockConfig lock;
};

// For one chunk. An empty optional keeps the value of WriteConfig.
struct ChunkOptions {
  std::optional<Compression> compression;  // 0.1 and 1.0
  std::optional<std::string> metadata;     // JSON for the chunk's `metadata`
};

// A compressed chunk as stored in another file. The new file gets a checksum of this payload: to
// keep damage from being recorded as valid, pass the stored checksum or compare it first.
struct EncodedChunk {
  std::uint64_t rows = 0;
  std::span<const Slice> slices;  // by column, as in Info::slices
  std::span<const std::byte> payload;
  // CRC-32 of the payload as stored: the 4 bytes before it in files with checksums
  // (Reader::checksum). If given and it does not match: kChecksum.
  std::optional<std::uint32_t> checksum = {};
};

struct WriteReport {
  std::uint64_t rows = 0;
  std::uint64_t chunks = 0;
  std::uint64_t bytes = 0;      // of the file
  std::uint64_t overflows = 0;  // finite values that became infinite in half precision or bfloat16
  // Finite values that decode to NaN because they share a range with a nonfinite one
  // (WriteConfig::allow_nonfinite).
  std::uint64_t lost = 0;
  // Values that are not 0, but became so in half precision or bfloat16; and quantized values that
  // became the least one of their range, since they or its steps are too small for float32.
  std::uint64_t underflows = 0;
};

}  // namespace numpact::cvc
