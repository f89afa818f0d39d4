// SPDX-License-Identifier: Apache-2.0
// Reads the folders that compress writes.
#pragma once

#include <span>
#include <string>
#include <vector>

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

  const table::Reader& reader() const { return reader_; }
  const Manifest& manifest() const { return reader_.manifest(); }
  // All columns in the order of the table.
  std::span<const ManifestEntry> columns() const { return reader_.columns(); }
  // The position of the only column with a name. Fails if there is none, or several.
  std::size_t find(const std::string& name) const;
  // Those of a list of --columns; all if it is empty.
  std::vector<std::size_t> find_all(const std::string& names) const;
  // A file named by the manifest. Throws the error if it could not be opened.
  FileRef file(const std::string& name) const;
  OtherFiles other(const ManifestOther& column) const {
    OtherFiles files;
    for (const table::Part& part : column.parts) {
      files.push_back({column.name, file(part.file), part.rows, part, ""});
    }
    return files;
  }
  // For messages.
  std::string path_of(const std::string& name) const { return reader_.path() + "/" + name; }

 private:
  table::Reader reader_;
  std::vector<std::string> names_;  // of the columns
};

}  // namespace numpact::cli
