// SPDX-License-Identifier: Apache-2.0
// Writes CVC files, chunk by chunk as rows arrive.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "numpact/cvc/config.hpp"

namespace numpact::cvc {

// Writes one file. One thread at a time. After an error the file cannot be finished. A file on disk
// gets its name atomically when finished; until then an existing file of that name is unchanged.
class NUMPACT_API Writer {
 public:
  // `out` is replaced when the file is finished and must live until then.
  static Result<Writer> create(std::vector<std::byte>& out, const WriteConfig& config) noexcept;
  static Result<Writer> create(const std::string& path, const WriteConfig& config) noexcept;

  // Appends rows to a file of one array: float32, float64, float16 or integers, always of the same
  // type. kInvalidArgument: lossless or pco, and a value that float32 cannot hold exactly.
  Status append(const Rows& rows) noexcept;
  // Appends rows to a columnar file: equally many per column, in the order and types of the schema.
  Status append(std::span<const Rows> columns) noexcept;
  // Ends the current chunk and adds one with this payload, copied unchanged. Its compressions may
  // differ from the WriteConfig's but must exist in the version. A file of one array requires
  // WriteConfig::dimension. Sizes are checked, values are not decoded. kCorrupt: the payload does
  // not match the slices.
  Status append_encoded(const EncodedChunk& chunk) noexcept;
  // Adds a section of known rows, appended or yet to come, in order of first rows. Ends the current
  // section.
  Status add_section(const RowRange& rows, std::string_view metadata) noexcept;
  // Starts a section with the next row appended. The metadata may be any JSON value.
  Status begin_section(std::string_view metadata) noexcept;
  // Ends the current section before the next row appended.
  Status end_section() noexcept;
  // Ends the current chunk, whatever its size.
  Status end_chunk() noexcept;
  // Sets options of the chunk with this index, before it is full.
  Status set_chunk(std::uint64_t chunk, const ChunkOptions& options) noexcept;
  // Rows so far, and chunks that are complete: the next row goes to the chunk of this index.
  std::uint64_t rows() const noexcept;
  std::uint64_t chunks() const noexcept;
  // Writes pending rows and the header. Nothing can be appended afterwards.
  Result<WriteReport> finish() noexcept;

  // The value that caused the last error, e.g. "column 'text': row 3, dimension 2 (nan)", with rows
  // counted from the start of the file; empty if none did. Valid until the next call.
  const std::string& error_place() const noexcept;
  // From now on error_place() counts rows from this one.
  void count_rows_from(std::uint64_t row) noexcept;

 private:
  struct Impl;
  explicit Writer(std::unique_ptr<Impl> impl);
  numpact::detail::Owned<Impl> impl_;
};

}  // namespace numpact::cvc
