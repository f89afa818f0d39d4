// SPDX-License-Identifier: Apache-2.0
// Input files, including standard input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "numpact/config.hpp"
#include "numpact/file_access.hpp"
#include "numpact/stream.hpp"

namespace numpact::cli {

// An open file, or standard input for the path "-". All readers see the file that was opened, even
// if another file takes its name. Of a regular file they see no more bytes than it had when it was
// opened.
class OpenFile {
 public:
  // Throws Failure.
  explicit OpenFile(const std::string& path);
  // Takes ownership of the descriptor.
  OpenFile(int descriptor, const std::string& path);
  // Whose bytes are in memory.
  OpenFile(std::unique_ptr<RangeSource> mapped, const std::string& path);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  const std::string& path() const { return path_; }
  // For messages.
  const std::string& name() const { return name_; }
  int descriptor() const { return descriptor_; }  // not of bytes in memory
  std::optional<std::span<const std::byte>> bytes() const {
    return mapped_ != nullptr ? mapped_->bytes() : std::nullopt;
  }
  // Set for a regular file that is not standard input: it allows random access and can be mapped.
  const std::optional<std::uint64_t>& size() const { return size_; }
  // Number of bytes from the current position of the descriptor to the end; none if unknown.
  const std::optional<std::uint64_t>& limit() const { return limit_; }
  // The byte that was appended after the limit since the file was opened, if any.
  std::optional<char> byte_after_end() const;

 private:
  void look();

  std::string path_;
  std::string name_;
  int descriptor_ = -1;
  std::unique_ptr<RangeSource> mapped_;
  std::optional<std::uint64_t> size_;
  std::optional<std::uint64_t> limit_;
  std::uint64_t end_ = 0;  // end of the file, if there is a limit
};

using FileRef = std::shared_ptr<const OpenFile>;

FileRef open_file(const std::string& path);

// Reads a file sequentially from its beginning.
class Input final : public ByteSource {
 public:
  explicit Input(const std::string& path) : Input(open_file(path)) {}
  explicit Input(FileRef file) : file_(std::move(file)) {}

  const FileRef& file() const { return file_; }
  const std::string& name() const { return file_->name(); }
  const std::optional<std::uint64_t>& size() const { return file_->size(); }
  const std::string& path() const { return file_->path(); }

  // Returns the next `count` bytes without consuming them; fewer only at the end.
  std::span<const std::byte> peek(std::size_t count);

  Result<std::size_t> read(std::span<std::byte> out) override;
  // Fills `out`; fewer bytes only at the end. Throws Failure.
  std::size_t read_full(std::span<std::byte> out);
  std::vector<std::byte> read_rest();
  // Number of bytes that read() and its callers have returned so far.
  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  std::size_t read_some(std::span<std::byte> out);  // throws

  FileRef file_;
  std::uint64_t taken_ = 0;  // bytes read from the file
  std::vector<std::byte> peeked_;
  std::size_t peeked_used_ = 0;
  std::uint64_t bytes_read_ = 0;
};

// All bytes of a file. A regular file is mapped, others are read.
class FileBytes {
 public:
  explicit FileBytes(const std::string& path) : FileBytes(open_file(path)) {}
  explicit FileBytes(const FileRef& file);
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }
  // Releases the memory of the first `size` bytes, which stay readable. Sequential readers call
  // this as they go, or use the callback.
  void release_first(std::uint64_t size) const;
  ProgressCallback releasing() const;

 private:
  std::vector<std::byte> read_;
  FileRef owner_;  // of bytes in memory
  bool is_mapped_ = false;
  std::span<const std::byte> bytes_;
};

bool is_folder(const std::string& path);
// Does not open the file, since opening a pipe would block.
bool is_regular_file(const std::string& path);

// Fails if both names refer to one file, so that the source is never overwritten. `advice`: what to
// do instead.
void refuse_same_file(const std::string& input, const std::string& output,
                      std::string_view advice = {});

}  // namespace numpact::cli
