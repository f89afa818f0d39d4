// SPDX-License-Identifier: Apache-2.0
// A folder of columns that is extended: locked, so that concurrent writers lose nothing.
#pragma once

#include <string>
#include <utility>

#include "io/output_file.hpp"
#include "numpact/file_lock.hpp"
#include "pco/table_folder.hpp"
#include "platform/locks.hpp"

namespace numpact::cli {

class LockedTable {
 public:
  // Waits for the folder's turn, takes the lock, which is that of the manifest, and then reads the
  // folder.
  LockedTable(const std::string& path, const Overwrite& overwrite);

  const Manifest& manifest() const { return folder_.manifest(); }
  FileRef file(const std::string& name) const { return folder_.file(name); }
  OtherFiles other(const ManifestOther& column) const { return folder_.other(column); }
  std::string path_of(const std::string& name) const { return folder_.path_of(name); }
  const TableFolder& folder() const { return folder_; }
  // For the folder or the manifest that replaces this one.
  internal::platform::FolderTurn take_turn() { return std::move(turn_); }
  FileLock take_lock() { return std::move(lock_); }
  // No file is read after it; the manifest stays.
  void close() { folder_.close(); }

 private:
  internal::platform::FolderTurn turn_;
  FileLock lock_;
  TableFolder folder_;
};

}  // namespace numpact::cli
