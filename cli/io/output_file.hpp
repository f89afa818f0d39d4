// SPDX-License-Identifier: Apache-2.0
// Output files and folders. None gets its final name before it is complete and on disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/cleanup.hpp"
#include "io/overwrite.hpp"
#include "numpact/file_lock.hpp"
#include "numpact/stream.hpp"
#include "platform/folders.hpp"
#include "platform/locks.hpp"

namespace numpact::cli {

enum class Content { kText, kBinary };

class OutputFolder;

// Written under a temporary name next to the final one, and renamed by commit(). Without commit()
// nothing remains. Standard output ("-") and special files (a device, a pipe) are written directly.
class OutputFile final : public ByteSink {
 public:
  // Fails if the file exists and may not be overwritten, or if binary content would go to a
  // terminal.
  OutputFile(const std::string& path, const Overwrite& overwrite, Content content);
  // A new file of a folder. Errors name it as it will be named in the end.
  OutputFile(const OutputFolder& folder, const std::string& file);
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
  // From now on, checksum() is the CRC-32 of all bytes written; patch() does not count.
  void keep_checksum() { keeps_checksum_ = true; }
  std::uint32_t checksum() const { return checksum_; }
  // `sync`: kLater if the commit of the enclosing folder syncs the file.
  void commit(TemporaryPath::Sync sync = TemporaryPath::Sync::kNow);

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
  bool keeps_checksum_ = false;
  std::uint32_t checksum_ = 0;
};

// Acquires the lock of an existing file that will be read and replaced.
FileLock lock_existing(const std::string& path, const Overwrite& overwrite);

// Waits until no other program replaces the folder, which need not exist.
internal::platform::FolderTurn wait_for_turn(const std::string& folder, const Overwrite& overwrite);

// Resolves symbolic links; the last one may name a file that does not exist.
std::string resolve_links(const std::string& path);

// A folder that gets its name once all its files are written.
class OutputFolder {
 public:
  // May overwrite a table that compress made, or an empty folder. A folder with any other file is
  // refused, and such files are never removed.
  OutputFolder(const std::string& path, const Overwrite& overwrite);
  // Replaces a table that is still being read. `lock`: that of its manifest.
  OutputFolder(internal::platform::FolderTurn turn, FileLock lock, const std::string& path);

  const std::string& name() const { return name_; }
  // The temporary path of a file of the folder, and its final one for messages.
  std::string path_of(const std::string& file) const { return temporary_->path() + "/" + file; }
  std::string name_of(const std::string& file) const { return name_ + "/" + file; }
  // Syncs all files to disk and renames the folder.
  void commit();

 private:
  void begin();
  void lock_old();
  std::vector<platform::FolderEntry> written_entries() const;
  void sync_files() const;
  void take_access(const std::set<std::string>& old_files) const;

  std::string name_;
  std::string path_;
  Overwrite overwrite_;
  internal::platform::FolderTurn turn_;
  FileLock lock_;
  bool is_there_ = false;  // a folder exists, and will be replaced
  std::unique_ptr<TemporaryPath> temporary_;
};

}  // namespace numpact::cli
