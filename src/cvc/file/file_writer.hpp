// SPDX-License-Identifier: Apache-2.0
// Writing of a file by appending rows: they are buffered into chunks, a few chunks at a time are
// compressed, and the header is written in front of them at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/internal.hpp"
#include "base/task_pool.hpp"
#include "cvc/file/chunk_encoder.hpp"
#include "cvc/file/output.hpp"
#include "cvc/header/header_text.hpp"
#include "numpact/cvc/config.hpp"

namespace numpact::cvc::internal {

class FileWriter {
 public:
  FileWriter(Output& output, const WriteConfig& config)
      : output_(output), config_(config), pool_(config.threads, config.executor) {}

  // Checks the config; must be called first.
  Status begin();
  Status append(std::span<const Rows> columns);
  Status append_encoded(const EncodedChunk& chunk);
  Status add_section(const RowRange& rows, std::string_view metadata);
  Status begin_section(std::string_view metadata);
  Status end_section();
  Status end_chunk();
  Status set_chunk(std::uint64_t chunk, const ChunkOptions& options);
  Status finish(WriteReport& report);
  std::uint64_t rows() const { return rows_; }
  // Number of chunks that are complete, whether or not they are in the output.
  std::uint64_t complete_chunks() const { return content_.chunks.size() + full_.size(); }
  // Describes the value that the last error was about; empty if there is none.
  const std::string& error_place() const { return error_place_; }
  void count_rows_from(std::uint64_t row) { first_counted_row_ = row; }

 private:
  // Copies of rows of a chunk that is not compressed yet, without gaps.
  struct Pending {
    std::uint64_t rows = 0;
    std::vector<std::vector<std::byte>> columns;
  };

  struct Options {
    std::optional<Compression> compression;
    std::optional<std::string> metadata;  // formatted in the version's style
  };

  std::size_t record_head_bytes() const { return config_.version == Version::kV01 ? 4 : 8; }
  bool is_columnar() const { return config_.version == Version::kV20; }
  Status check_compression(Compression compression) const;
  Status set_schema();
  Status check_rows(std::span<const Rows> columns);
  Status set_types(std::span<const Rows> columns);
  Status check_encoded(const EncodedChunk& chunk) const;
  Status check_sections() const;
  Status report_progress(std::uint64_t rows);

  ChunkJob make_job(std::uint64_t index, std::span<const Rows> columns, std::uint64_t first,
                    std::uint64_t rows) const;
  std::vector<Rows> views(const Pending& pending) const;
  ChunkText chunk_text(std::uint64_t index, const ChunkJob& job) const;
  Status plan_all(std::span<const Rows> columns, std::vector<ChunkJob>& jobs);
  Status write_from_caller(std::span<const Rows> columns, std::uint64_t& first);
  void buffer_rows(std::span<const Rows> columns, std::uint64_t& first);
  Status write_buffered();
  // The error of the first job that failed; the first of the jobs is this chunk and has this row.
  Status first_error(std::span<const ChunkJob> jobs, std::size_t chunk, std::uint64_t row);
  Status write_jobs(std::span<ChunkJob> jobs);

  Output& output_;
  WriteConfig config_;
  TaskPool pool_;
  EncodeRules rules_;
  HeaderContent content_;
  bool has_types_ = false;
  std::map<std::uint64_t, Options> options_;
  Pending pending_;
  std::deque<Pending> full_;
  std::vector<std::unique_ptr<std::byte[]>> buffers_;
  std::uint64_t base_ = 0;  // current offset of the first record in the output
  std::uint64_t next_ = 0;  // offset of the next record from base_
  std::uint64_t rows_ = 0;
  std::uint64_t written_rows_ = 0;  // rows of content_.chunks
  bool in_section_ = false;
  WriteReport report_;
  std::uint64_t numbers_ = 0;
  std::string error_place_;
  std::uint64_t first_counted_row_ = 0;  // by error_place_
};

}  // namespace numpact::cvc::internal
