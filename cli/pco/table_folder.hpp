// SPDX-License-Identifier: Apache-2.0
// Reads the folders that compress writes.
#pragma once

#include <exception>
#include <map>
#include <string>

#include "io/files.hpp"
#include "pco/manifest.hpp"

namespace numpact::cli {

// An open table. Manifest and files belong to one state of the folder, even if another folder takes
// its name while they are read. Folders are untrusted: only regular files inside the folder are
// opened.
class TableFolder {
 public:
  // Throws Failure if the manifest cannot be read.
  explicit TableFolder(const std::string& path);
  ~TableFolder();
  TableFolder(const TableFolder&) = delete;
  TableFolder& operator=(const TableFolder&) = delete;

  const Manifest& manifest() const { return manifest_; }
  // A file named by the manifest. Throws the error if it could not be opened.
  FileRef file(const std::string& name) const;
  OtherFiles other(const ManifestOther& column) const {
    OtherFiles files;
    for (const table::Part& part : column.parts) {
      files.push_back({column.name, file(part.file), part.rows, part, ""});
    }
    return files;
  }
  // No file is opened after it; the manifest stays.
  void close();
  // For messages.
  std::string path_of(const std::string& name) const { return path_ + "/" + name; }

 private:
  bool open_all(std::size_t max_files);
  bool is_current() const;

  std::string path_;
  int descriptor_ = -1;
  Manifest manifest_;
  std::map<std::string, FileRef> files_;
  std::map<std::string, std::exception_ptr> failures_;
};

}  // namespace numpact::cli
