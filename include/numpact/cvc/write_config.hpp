// SPDX-License-Identifier: Apache-2.0
// What may be asked of writing CVC files, and what comes of it.
#ifndef NUMPACT_CVC_WRITE_CONFIG_HPP
#define NUMPACT_CVC_WRITE_CONFIG_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "numpact/config.hpp"
#include "numpact/cvc/types.hpp"
#include "numpact/lock_config.hpp"

namespace numpact::cvc {

enum class Version : std::uint8_t {
  kV01,  // 0.1: one array; no checksums; fp16 and int8 only
  kV10,  // 1.0: one array
  kV20,  // 2.0: columns
};

struct ColumnSpec {
  std::string name;
  std::uint64_t dimension = 1;
  Dtype dtype = Dtype::kFloat32;  // of the rows that will be appended
  // Any but lossless; if it is not said, fp16 for floats and none for integers.
  std::optional<Compression> compression;
  // Dimension 1: rows are vectors of one value, shape (rows, 1), and not scalars. The header says
  // so; readers other than numpact's take them for scalars.
  bool is_vector = false;
};

// How values of int8_row, int8_dim and int4 become codes. Readers need not know.
enum class Rounding : std::uint8_t {
  kNearest,  // each to the nearest step
  // So that the errors of a row make up for each other in the directions in which the chunk's rows
  // lie: searches lose about half as much, while single values are off by about a third more. For
  // d dimensions, of which up to 1024 weigh upon each other, it costs d^2 / 2 multiplications a
  // row. Chunks of fewer than 32 rows are rounded to the nearest.
  kForSearch,
};

struct WriteConfig {
  Version version = Version::kV10;
  Compression compression = Compression::kFp16;  // 0.1 and 1.0
  std::uint64_t chunk_rows = 100000;             // at least 1
  // 1.0 only: records start on pages of 4096 bytes, and the header says where.
  bool paged = false;
  // 2.0 only: the schema.
  std::vector<ColumnSpec> columns;
  // 0.1 and 1.0: values in a row. If it is not said, those of the first rows appended.
  std::optional<std::uint64_t> dimension;
  // If the first append brings exactly so many rows, the header is known before anything is
  // written. Otherwise it is written last, and payloads are moved by its size.
  std::optional<std::uint64_t> expected_rows;
  // int8, int8_row, int8_dim, int4: take NaN, infinities and ranges beyond float32 too. All values
  // of such a chunk (int8_row: of the row; int8_dim, int4: of the dimension in the chunk) decode to
  // NaN; WriteReport::lost counts the finite ones. Otherwise they are kInvalidArgument.
  bool allow_nonfinite = false;
  Rounding rounding = Rounding::kForSearch;
  // JSON (RFC 8259) for the header's `metadata`; empty: none. NaN, Infinity, numbers past binary64
  // and halves of surrogate pairs are kInvalidArgument, in all metadata.
  std::string metadata;
  // Chunks are compressed at the same time; so many are kept in memory.
  unsigned threads = 1;
  Executor* executor = nullptr;
  ProgressCallback progress;
  // Files only: ask the system to put the file on the disk before it gets its name.
  bool sync = true;
  // Files only: how long to wait, when all is written, for somebody who is writing the file that
  // is replaced (FileLock).
  LockConfig lock;
};

// For one chunk. An empty optional leaves what the WriteConfig says.
struct ChunkOptions {
  std::optional<Compression> compression;  // 0.1 and 1.0
  std::optional<std::string> metadata;     // JSON for the chunk's `metadata`
};

// A chunk that is compressed already, as another file has it. The new file gets a checksum of the
// payload as it is given: who copies from a file gives the stored one too, or compares it before,
// or damage would pass for sound from then on.
struct EncodedChunk {
  std::uint64_t rows = 0;
  std::span<const Slice> slices;  // by column, as in Info::slices
  std::span<const std::byte> payload;
  // CRC-32 of the payload, the 4 bytes before it in files that have checksums (Reader::
  // try_checksum). Where it is given and does not match: kChecksum.
  std::optional<std::uint32_t> checksum = {};
};

struct WriteReport {
  std::uint64_t rows = 0;
  std::uint64_t chunks = 0;
  std::uint64_t bytes = 0;  // of the file
  // Finite values that became infinite in half precision or bfloat16.
  std::uint64_t overflows = 0;
  // Finite values that decode to NaN: those that share a range with one that is not finite
  // (WriteConfig::allow_nonfinite).
  std::uint64_t lost = 0;
};

}  // namespace numpact::cvc

#endif
