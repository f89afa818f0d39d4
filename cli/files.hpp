// SPDX-License-Identifier: Apache-2.0
// Files to read from, standard input among them.
#ifndef NUMPACT_CLI_FILES_HPP
#define NUMPACT_CLI_FILES_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "numpact/mapped_file.hpp"
#include "numpact/stream.hpp"

namespace numpact::cli {

// An open file, or standard input for the path "-".
class Input final : public ByteSource {
 public:
  explicit Input(const std::string& path);
  ~Input() override;
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  // For messages.
  const std::string& name() const { return name_; }
  // Set for a regular file, which may be opened again by its path.
  const std::optional<std::uint64_t>& size() const { return size_; }
  const std::string& path() const { return path_; }

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

  std::string path_;
  std::string name_;
  int descriptor_ = 0;  // standard input
  std::optional<std::uint64_t> size_;
  std::vector<std::byte> peeked_;
  std::size_t peeked_used_ = 0;
  std::uint64_t bytes_read_ = 0;
};

// All bytes of a file: mapped if it is a regular file, else read.
class FileBytes {
 public:
  explicit FileBytes(const std::string& path);
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }
  // As MappedFile's.
  ProgressCallback releasing() const { return mapped_.releasing(); }
  void release_first(std::uint64_t size) const { mapped_.release_first(size); }

 private:
  std::vector<std::byte> read_;
  MappedFile mapped_;
  std::span<const std::byte> bytes_;
};

bool is_folder(const std::string& path);

// Fails if both names lead to one file: the source is never written over.
void refuse_same_file(const std::string& input, const std::string& output);

}  // namespace numpact::cli

#endif
