// SPDX-License-Identifier: Apache-2.0
// Files by descriptor, always of bytes, never of text. A function that fails returns -1, or false,
// with an error number of <cerrno> in errno, on every system.
//
// Descriptors are those of the C library. Programs that are started do not inherit them. On Windows
// files are opened so that others may read, write, rename and remove them meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace numpact::internal::platform {

enum class FileKind { kRegular, kFolder, kLink, kOther };

struct FileInfo {
  FileKind kind = FileKind::kOther;
  std::uint64_t bytes = 0;
  // They identify a file as long as it exists.
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  // When the contents were changed last, in a unit of the system.
  std::int64_t changed = 0;

  bool is_regular() const { return kind == FileKind::kRegular; }
  bool is_folder() const { return kind == FileKind::kFolder; }
  bool is_same_file(const FileInfo& other) const {
    return device == other.device && inode == other.inode;
  }
};

// A link at the end of the path is followed.
bool look_at(const std::string& path, FileInfo& info);
bool look_at(int descriptor, FileInfo& info);

enum class Access { kRead, kWrite, kReadWrite };
// kAtOnce: a pipe or device is not waited for.
enum class Opening { kUsual, kAtOnce };

int open_file(const std::string& path, Access access, Opening opening = Opening::kUsual);
// A new file; EEXIST if there is one. A private one is accessible to its owner only. On Windows new
// files have the access that their folder gives.
int create_file(const std::string& path, Access access, bool is_private);
bool make_folder(const std::string& path, bool is_private);
bool close_file(int descriptor);
// Another descriptor of the same open file.
int duplicate(int descriptor);

// Numbers of bytes, which may be fewer than asked for; reading returns 0 only at the end. Calls
// interrupted by signals are repeated.
std::int64_t read_some(int descriptor, std::span<std::byte> out);
std::int64_t write_some(int descriptor, std::span<const std::byte> bytes);
// At any offset; the position stays. Calls may be concurrent.
std::int64_t read_some_at(int descriptor, std::uint64_t offset, std::span<std::byte> out);
std::int64_t write_some_at(int descriptor, std::uint64_t offset, std::span<const std::byte> bytes);
// The position of the next byte.
std::int64_t position_of(int descriptor);

bool resize_file(int descriptor, std::uint64_t bytes);
// Waits until the contents are on disk.
bool sync_file(int descriptor);
bool sync_file(const std::string& path);
// Asks the system to start writing a file to disk, if it supports that.
void start_writing(const std::string& path);

// Whether an error number means that no space is left, or none that the user may take.
bool says_disk_is_full(int error);

bool remove_file(const std::string& path);
// An empty one.
bool remove_folder(const std::string& path);

}  // namespace numpact::internal::platform
