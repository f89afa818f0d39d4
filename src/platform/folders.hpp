// SPDX-License-Identifier: Apache-2.0
// The files of a folder. Errors as in files.hpp.
#pragma once

#include <string>
#include <vector>

#include "platform/files.hpp"

namespace numpact::internal::platform {

struct FolderEntry {
  std::string name;
  FileKind kind = FileKind::kOther;  // of the entry itself: links are not followed
};

bool list_folder(const std::string& path, std::vector<FolderEntry>& entries);

// A file, or a folder with all that is in it; errors are ignored.
void remove_all(const std::string& path);

// An open folder, by descriptor: what the functions below see stays the same if another folder
// takes its name. Names have no folders in them.
int open_folder(const std::string& path);
// Does not follow a link.
bool look_in(int folder, const std::string& name, FileInfo& info);
// The target of a link.
bool read_link_in(int folder, const std::string& name, std::string& target);
// Opens a file, not a link, for reading; does not wait for a pipe or device.
int open_in(int folder, const std::string& name);

}  // namespace numpact::internal::platform
