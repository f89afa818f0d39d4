// SPDX-License-Identifier: Apache-2.0
// Files to read from, standard input among them.
#ifndef NUMPACT_CLI_FILES_HPP
#define NUMPACT_CLI_FILES_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "numpact/config.hpp"
#include "numpact/stream.hpp"

namespace numpact::cli {

// A file that is open, or standard input for the path "-". All who read it read what was found
// then, whatever gets its name meanwhile; of a regular file no more than it held then.
class OpenFile {
 public:
  // Throws Failure.
  explicit OpenFile(const std::string& path);
  // Takes the descriptor.
  OpenFile(int descriptor, const std::string& path);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  const std::string& path() const { return path_; }
  // For messages.
  const std::string& name() const { return name_; }
  int descriptor() const { return descriptor_; }
  // Set for a regular file that is not standard input: it can be read at any place, and mapped.
  const std::optional<std::uint64_t>& size() const { return size_; }
  // Bytes to read from where the descriptor stands; none where only the end will tell.
  const std::optional<std::uint64_t>& limit() const { return limit_; }
  // The byte that has come behind the limit since.
  std::optional<char> byte_behind() const;

 private:
  void look();

  std::string path_;
  std::string name_;
  int descriptor_;
  std::optional<std::uint64_t> size_;
  std::optional<std::uint64_t> limit_;
  std::uint64_t end_ = 0;  // of the file, where there is a limit
};

using FileRef = std::shared_ptr<const OpenFile>;

FileRef open_file(const std::string& path);

// Reads a file from its beginning.
class Input final : public ByteSource {
 public:
  explicit Input(const std::string& path) : Input(open_file(path)) {}
  explicit Input(FileRef file) : file_(std::move(file)) {}

  const FileRef& file() const { return file_; }
  const std::string& name() const { return file_->name(); }
  const std::optional<std::uint64_t>& size() const { return file_->size(); }
  const std::string& path() const { return file_->path(); }

  // The next bytes, which stay to be read: `count` of them, fewer only at the end.
  std::span<const std::byte> peek(std::size_t count);

  Status read(std::span<std::byte> out, std::size_t& got) override;
  // As many as fit; fewer only at the end. Throws Failure.
  std::size_t read_full(std::span<std::byte> out);
  std::vector<std::byte> read_rest();
  // Bytes that read() and what is built on it gave so far.
  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  std::size_t read_some(std::span<std::byte> out);  // throws

  FileRef file_;
  std::uint64_t taken_ = 0;  // from the file
  std::vector<std::byte> peeked_;
  std::size_t peeked_used_ = 0;
  std::uint64_t bytes_read_ = 0;
};

// All bytes of a file: mapped if it is a regular file, else read.
class FileBytes {
 public:
  explicit FileBytes(const std::string& path) : FileBytes(open_file(path)) {}
  explicit FileBytes(const FileRef& file);
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }
  // Gives the memory of the first bytes back, which stay readable; all who pass over them in order
  // do so as they go, or by the callback.
  void release_first(std::uint64_t size) const;
  ProgressCallback releasing() const;

 private:
  std::vector<std::byte> read_;
  bool is_mapped_ = false;
  std::span<const std::byte> bytes_;
};

bool is_folder(const std::string& path);
// Without opening it: a pipe would wait for its other end.
bool is_regular_file(const std::string& path);

// Fails if both names lead to one file: the source is never written over.
void refuse_same_file(const std::string& input, const std::string& output);

}  // namespace numpact::cli

#endif
