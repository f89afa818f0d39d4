// SPDX-License-Identifier: Apache-2.0
// New files in folders that others read, and the names in such a folder.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/internal.hpp"
#include "numpact/stream.hpp"
#include "numpact/table.hpp"

namespace numpact::internal {

// A new file, as a sink. Removed by the destructor unless it was closed and kept.
class NewFile final : public ByteSink {
 public:
  NewFile() = default;
  ~NewFile() override;
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  // kIo: it exists, or cannot be made. `is_private`: only the owner has access until access is
  // taken over from another file. `stays_open`: else it is opened for each write.
  Status create(const std::string& path, bool is_private, bool stays_open = true);
  // A file that is complete, and stays.
  void adopt(const std::string& path) {
    path_ = path;
    is_kept_ = true;
  }
  Status write(std::span<const std::byte> bytes) override;
  // What is read back must be what was written.
  Status close();
  Status sync();
  // A closed file gets another name, which is free.
  Status rename(const std::string& path);
  // Gives it the access of another file.
  Status take_access_of(const std::string& path);
  void keep() { is_kept_ = true; }

  bool is_made() const { return !path_.empty(); }
  const std::string& path() const { return path_; }
  table::FileSum sum() const { return {size_, crc_}; }

 private:
  Status close_descriptor();

  std::string path_;
  int descriptor_ = -1;
  bool stays_open_ = true;
  bool is_kept_ = false;
  std::uint64_t size_ = 0;
  std::uint32_t crc_ = 0;
};

// The regular files of a folder, and the names of all else in it.
struct FolderNames {
  std::vector<std::string> files;
  std::vector<std::string> others;
};
Status list_names(const std::string& folder, FolderNames& names);

// A number that no other call has, in any process, as far as chance goes.
std::uint32_t new_tag();

}  // namespace numpact::internal
