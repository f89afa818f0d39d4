// SPDX-License-Identifier: Apache-2.0
// Options and results of writing CVC files.
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
  // about half as much accuracy, while single values are off by about a third more. Costs d^2 / 2
  // multiplications per row of d dimensions, of which at most 1024 affect each other. Chunks of
  // fewer than 32 rows use kNearest.
  kForSearch,
};

struct WriteConfig {
  Version version = Version::kV10;
  Compression compression = Compression::kFp16;  // 0.1 and 1.0
  std::uint64_t chunk_rows = 100000;             // at least 1
  // 1.0 only: records are aligned to 4096 bytes, and the header stores their offsets.
  bool paged = false;
  // 2.0 only: the schema.
  std::vector<ColumnSpec> columns;
  // 0.1 and 1.0: values per row; default: that of the first rows appended.
  std::optional<std::uint64_t> dimension;
  // If the first append has exactly this many rows, the size of the header is known in advance, and
  // payloads are written to their final offsets. Otherwise they are moved at the end.
  std::optional<std::uint64_t> expected_rows;
  // int8, int8_row, int8_dim, int4: accept NaN, infinities and ranges that exceed float32. All
  // values of such a chunk (int8_row: of the row; int8_dim, int4: of the dimension in the chunk)
  // decode to NaN; WriteReport::lost counts the finite ones. Otherwise they are kInvalidArgument.
  bool allow_nonfinite = false;
  Rounding rounding = Rounding::kForSearch;
  // JSON (RFC 8259) for the header's `metadata`; empty: none. NaN, Infinity, numbers beyond
  // binary64 and lone surrogates are kInvalidArgument, in all metadata.
  std::string metadata;
  // Chunks are compressed concurrently; one per concurrent task is kept in memory.
  unsigned threads = 1;
  Executor* executor = nullptr;
  ProgressCallback progress;
  // Files only: flush the file to disk before it gets its name.
  bool sync = true;
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
  std::uint64_t bytes = 0;  // of the file
  // Finite values that became infinite in half precision or bfloat16.
  std::uint64_t overflows = 0;
  // Finite values that decode to NaN because they share a range with a nonfinite one
  // (WriteConfig::allow_nonfinite).
  std::uint64_t lost = 0;
};

}  // namespace numpact::cvc

#endif
