// SPDX-License-Identifier: Apache-2.0
// Files of Arrow IPC whose bytes are checked before they are used: docs/format/table-folder.md.
#pragma once

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/status.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "numpact/table.hpp"

namespace numpact::cli {

// Gives bytes of blocks whose checksum matches: a block is checked as a whole when bytes of it are
// read for the first time. Thread-safe, except for Read() and Seek().
class CheckedFile final : public arrow::io::RandomAccessFile {
 public:
  // `part`: the checksums, which the manifest has checked: the ends increase.
  CheckedFile(std::shared_ptr<arrow::io::RandomAccessFile> file, table::Part part)
      : file_(std::move(file)), part_(std::move(part)), is_checked_(part_.ends.size()) {}
  ~CheckedFile() override = default;

  // Checks the size, the first and the last block, so that what they say of the whole column is
  // never believed.
  arrow::Status open();

  arrow::Result<std::int64_t> ReadAt(std::int64_t position, std::int64_t bytes, void* out) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(std::int64_t position,
                                                       std::int64_t bytes) override;
  arrow::Result<std::int64_t> Read(std::int64_t bytes, void* out) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(std::int64_t bytes) override;
  arrow::Status Seek(std::int64_t position) override { return at_ = position, arrow::Status::OK(); }
  arrow::Result<std::int64_t> Tell() const override { return at_; }
  arrow::Result<std::int64_t> GetSize() override { return static_cast<std::int64_t>(part_.bytes); }
  arrow::Status Close() override { return file_->Close(); }
  bool closed() const override { return file_->closed(); }

 private:
  // Checks the blocks of a range that a file, which is untrusted, asks for.
  arrow::Status check(std::int64_t position, std::int64_t bytes);
  arrow::Status check_block(std::size_t index);

  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  table::Part part_;
  std::int64_t at_ = 0;
  std::mutex mutex_;
  std::vector<bool> is_checked_;
  std::span<const std::byte> last_;  // the block that was checked last
};

}  // namespace numpact::cli
