// SPDX-License-Identifier: Apache-2.0
// Folders of compress, as files on disk.
#ifndef NUMPACT_CLI_TABLE_FOLDER_HPP
#define NUMPACT_CLI_TABLE_FOLDER_HPP

#include <exception>
#include <map>
#include <set>
#include <string>

#include "files.hpp"
#include "manifest.hpp"

namespace numpact::cli {

// A table that is open: manifest and files are those of one moment, also where another folder gets
// the name while they are read. Folders may come from strangers: only regular files are opened, and
// none outside of the folder.
class TableFolder {
 public:
  // Throws Failure where the manifest cannot be read.
  explicit TableFolder(const std::string& path);
  ~TableFolder();
  TableFolder(const TableFolder&) = delete;
  TableFolder& operator=(const TableFolder&) = delete;

  const Manifest& manifest() const { return manifest_; }
  // A file that the manifest names; what is wrong with it is thrown here.
  FileRef file(const std::string& name) const;
  // For messages.
  std::string path_of(const std::string& name) const { return path_ + "/" + name; }

 private:
  bool open_all(std::size_t most);
  bool is_current() const;

  std::string path_;
  int descriptor_ = -1;
  Manifest manifest_;
  std::map<std::string, FileRef> files_;
  std::map<std::string, std::exception_ptr> failures_;
};

// The names of all files in a folder that is a table or empty. Fails with the first other file
// where it holds any; `name` is the folder's for messages.
std::set<std::string> table_files(const std::string& path, const std::string& name);

}  // namespace numpact::cli

#endif
