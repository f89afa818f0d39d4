// SPDX-License-Identifier: Apache-2.0
// The files of a folder on disk, which belong to one version of the table.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/internal.hpp"
#include "base/mutex.hpp"
#include "numpact/table_reader.hpp"
#include "platform/files.hpp"

namespace numpact::internal {

// Maps a file at a path. kIo, with the system's error; `why` as in Files::open().
Status map_file_at(const std::string& path, std::unique_ptr<RangeSource>& file, std::string& why);

class Folder final : public table::Files {
 public:
  // `index`: the file that names the others, and that writers replace. kIo: the folder cannot be
  // opened.
  static Status open(const std::string& path, std::shared_ptr<Folder>& folder, std::string& why,
                     const char* index = table::kManifestName);
  ~Folder() override;
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  Status hold(std::span<const std::string> names) override;
  Result<std::unique_ptr<RangeSource>> open(const std::string& name, std::string& why) override;

  // Opens a file as it is now.
  Status open_now(const std::string& name, table::FolderFile& file, std::string& why) const;

  // Whether the path still leads to this folder, with the index that was opened.
  bool is_current() const;
  // Whether a file could not be found by hold().
  bool is_missing_files() const { return is_missing_; }

 private:
  // A file as it was when it was looked for.
  struct Held {
    Status status;
    std::string why;
    platform::FileInfo info;
    std::optional<std::span<const std::byte>> bytes;  // mapped
  };

  Folder(const std::string& path, int descriptor, const char* index)
      : path_(path), descriptor_(descriptor), index_(index) {}
  Held look(const std::string& name, bool may_map) const;
  Status map(const std::string& name, Held& held) const;

  std::string path_;
  int descriptor_;
  const char* index_;
  bool is_missing_ = false;
  Mutex mutex_;
  std::optional<platform::FileInfo> opened_index_;
  std::map<std::string, Held> files_;
};

}  // namespace numpact::internal
