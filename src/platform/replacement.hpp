// SPDX-License-Identifier: Apache-2.0
// Replaces files and folders by renaming. Errors as in files.hpp.
#pragma once

#include <string>

namespace numpact::internal::platform {

// Replaces the file `to`, if there is one, atomically. Programs that have the old file open or
// mapped keep it.
//
// Windows does so from version 10 (1709) on, on NTFS. On other file systems an old file that is
// open moves to a hidden name first, so that for a moment no file has the name.
bool rename_over(const std::string& from, const std::string& to);
// Never replaces a file: EEXIST.
bool rename_to_free_name(const std::string& from, const std::string& to);

// Whether a folder can be renamed while a program has a file of it open. Windows refuses it.
bool open_folders_move() noexcept;
// Replaces the folder `to` with the folder `from`. `old` becomes the path of the previous contents:
// `from` if the system can exchange both atomically, else `spare`, on Windows with an ending. There
// for a moment no folder has the name, and the functions of this layer that open files wait.
bool exchange_folders(const std::string& from, const std::string& to, const std::string& spare,
                      std::string& old);
// Removes the folder that exchange_folders() gave, of which the files have been removed. Waits a
// moment for programs that have them open, if the system keeps their names until then. On failure
// `old` is the path under which the folder stays.
bool remove_old_folder(std::string& old);

// Makes renames in a folder durable, if the file system supports it.
void sync_folder(const std::string& folder);

enum class AccessTaking { kDone, kNotSeen, kNotKept };
// Gives an open file or folder the access rights of `path`, as numpact::take_access() describes.
// kDone if there is no such file; else errno is set.
AccessTaking take_access(int descriptor, const std::string& path);
// Opens a file or folder, not a link, for take_access(). Its descriptor, or -1.
int open_to_take_access(const std::string& path);

}  // namespace numpact::internal::platform
