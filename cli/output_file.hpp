// SPDX-License-Identifier: Apache-2.0
// Files and folders to write to. Nothing has its final name before it is whole and on disk.
#ifndef NUMPACT_CLI_OUTPUT_FILE_HPP
#define NUMPACT_CLI_OUTPUT_FILE_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cleanup.hpp"
#include "numpact/file_lock.hpp"
#include "numpact/stream.hpp"
#include "overwrite.hpp"

namespace numpact::cli {

enum class Content { kText, kBinary };

// Written beside its final name and renamed by commit(); without commit() nothing stays. Standard
// output ("-") and what is no regular file (a device, a pipe) are written straight.
class OutputFile final : public ByteSink {
 public:
  // Fails if the file exists and may not be overwritten, and if binary content would go to a
  // terminal.
  OutputFile(const std::string& path, const Overwrite& overwrite, Content content);
  // In the place of a file that is read meanwhile, and whose lock is held.
  OutputFile(FileLock lock, const std::string& path);
  ~OutputFile() override;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& name() const { return name_; }
  bool is_stdout() const { return path_ == "-"; }
  bool is_terminal() const;
  // patch() works: bytes already written can be changed.
  bool can_patch() const { return temporary_ != nullptr; }

  // For the library: errors come as a Status, and throw_if_failed() has the words for them.
  Status write(std::span<const std::byte> bytes) override;
  // For this program: throws.
  void put(std::span<const std::byte> bytes);
  void put(std::string_view text) { put(std::as_bytes(std::span(text))); }
  void patch(std::uint64_t offset, std::span<const std::byte> bytes);
  void throw_if_failed() const;
  // Where what was put so far can be read; only where it can be patched.
  const std::string& written_path();

  std::uint64_t bytes_written() const { return bytes_written_; }
  // `sync`: kLater where the commit of a folder around it puts it on disk.
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
};

// Takes the lock of a file that is to be read and replaced; it must be there.
FileLock lock_existing(const std::string& path, const Overwrite& overwrite);

// Where a path leads, through links; the last of them may name what is not there.
std::string followed(const std::string& path);

// A folder that gets its name once all its files are written.
class OutputFolder {
 public:
  // What may be overwritten is a table that compress made, or an empty folder: one that holds any
  // other file is refused, and its files are never removed.
  OutputFolder(const std::string& path, const Overwrite& overwrite);

  const std::string& name() const { return name_; }
  // Where to write a file of the folder.
  std::string path_of(const std::string& file) const { return temporary_->path() + "/" + file; }
  // Puts all files on disk and gives the folder its name.
  void commit();

 private:
  void sync_files() const;
  void take_access(const std::set<std::string>& old_files) const;

  std::string name_;
  std::string path_;
  bool overwrite_;
  bool is_there_ = false;  // a folder, which is replaced
  std::unique_ptr<TemporaryPath> temporary_;
};

}  // namespace numpact::cli

#endif
