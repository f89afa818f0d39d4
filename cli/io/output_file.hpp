// SPDX-License-Identifier: Apache-2.0
// Output files. None gets its final name before it is complete and on disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/cleanup.hpp"
#include "io/overwrite.hpp"
#include "numpact/file_lock.hpp"
#include "numpact/stream.hpp"
#include "platform/locks.hpp"

namespace numpact::cli {

enum class Content { kText, kBinary };

// Written under a temporary name next to the final one, and renamed by commit(). Without commit()
// nothing remains. Standard output ("-") and special files (a device, a pipe) are written directly.
class OutputFile final : public ByteSink {
 public:
  // Fails if the file exists and may not be overwritten, or if binary content would go to a
  // terminal.
  OutputFile(const std::string& path, const Overwrite& overwrite, Content content);
  // Replaces a file that is still being read, and whose lock is held.
  OutputFile(FileLock lock, const std::string& path);
  ~OutputFile() override;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& name() const { return name_; }
  bool is_stdout() const { return path_ == "-"; }
  bool is_terminal() const;
  // Whether patch() can change bytes that were written before.
  bool can_patch() const { return temporary_ != nullptr; }

  // For the library: errors are returned as a Status; throw_if_failed() throws the full message.
  Status write(std::span<const std::byte> bytes) override;
  // For this program: throws Failure.
  void put(std::span<const std::byte> bytes);
  void put(std::string_view text) { put(std::as_bytes(std::span(text))); }
  void patch(std::uint64_t offset, std::span<const std::byte> bytes);
  void throw_if_failed() const;
  // The path where the bytes written so far can be read; only if can_patch().
  const std::string& written_path();

  std::uint64_t bytes_written() const { return bytes_written_; }
  void commit();

 private:
  void flush();
  void write_all(std::span<const std::byte> bytes);

  std::string path_;
  std::string name_;
  Overwrite overwrite_;
  FileLock lock_;
  std::unique_ptr<TemporaryPath> temporary_;
  int descriptor_ = -1;
  int error_ = 0;  // errno of the first failure
  std::vector<std::byte> buffer_;
  std::uint64_t bytes_written_ = 0;
};

// Acquires the lock of an existing file that will be read and replaced.
FileLock lock_existing(const std::string& path, const Overwrite& overwrite);

// Waits until no other program replaces the folder, which need not exist.
internal::platform::FolderTurn wait_for_turn(const std::string& folder, const Overwrite& overwrite);

// Resolves symbolic links; the last one may name a file that does not exist.
std::string resolve_links(const std::string& path);

}  // namespace numpact::cli
