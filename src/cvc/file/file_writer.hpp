// SPDX-License-Identifier: Apache-2.0
// A file that grows by rows: collects them to chunks, compresses these a few at a time, puts the
// header in front at the end.
#ifndef NUMPACT_CVC_FILE_FILE_WRITER_HPP
#define NUMPACT_CVC_FILE_FILE_WRITER_HPP

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

#include "base/task_pool.hpp"
#include "cvc/file/chunk_encoder.hpp"
#include "cvc/file/output.hpp"
#include "cvc/header/header_text.hpp"
#include "numpact/cvc/write_config.hpp"

namespace numpact::cvc {

class FileWriter {
 public:
  FileWriter(Output& output, const WriteConfig& config)
      : output_(output), config_(config), pool_(config.threads, config.executor) {}

  // Checks the config; before anything else.
  Status begin();
  Status append(std::span<const Rows> columns);
  Status append_encoded(const EncodedChunk& chunk);
  Status add_section(const RowRange& rows, std::string_view metadata);
  Status begin_section(std::string_view metadata);
  Status end_section();
  Status end_chunk();
  Status set_chunk(std::uint64_t chunk, const ChunkOptions& options);
  Status finish(WriteReport& report);
  // The value that the last error was about, in words.
  const std::string& error_place() const { return error_place_; }

 private:
  // Rows that wait, without gaps.
  struct Pending {
    std::uint64_t rows = 0;
    std::vector<std::vector<std::byte>> columns;
  };

  struct Options {
    std::optional<Compression> compression;
    std::optional<std::string> metadata;  // in the version's style
  };

  std::size_t record_head_bytes() const { return config_.version == Version::kV01 ? 4 : 8; }
  bool is_columnar() const { return config_.version == Version::kV20; }
  Status check_compression(Compression compression) const;
  Status take_schema();
  Status check_rows(std::span<const Rows> columns);
  Status take_types(std::span<const Rows> columns);
  Status check_encoded(const EncodedChunk& chunk) const;
  Status check_sections() const;
  Status tell_progress(std::uint64_t rows);

  // Chunks that are complete, in the output or not.
  std::uint64_t sealed() const { return content_.chunks.size() + full_.size(); }
  ChunkJob make_job(std::uint64_t index, std::span<const Rows> columns, std::uint64_t first,
                    std::uint64_t rows) const;
  std::vector<Rows> views(const Pending& pending) const;
  ChunkText chunk_text(std::uint64_t index, const ChunkJob& job) const;
  Status foresee(std::span<const Rows> columns, std::vector<ChunkJob>& jobs);
  Status take_direct(std::span<const Rows> columns, std::uint64_t& first);
  void collect(std::span<const Rows> columns, std::uint64_t& first);
  Status write_full();
  // The first job that failed, of those that start at this chunk and row.
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
  std::uint64_t base_ = 0;  // of the first record in the output, for now
  std::uint64_t next_ = 0;  // record, from the base
  std::uint64_t rows_ = 0;
  std::uint64_t written_rows_ = 0;  // of content_.chunks
  bool in_section_ = false;
  WriteReport report_;
  std::uint64_t numbers_ = 0;
  std::string error_place_;
};

}  // namespace numpact::cvc

#endif
