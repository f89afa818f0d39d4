// SPDX-License-Identifier: Apache-2.0
#include "table/writer/new_file.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <utility>

#include "api/io_error.hpp"
#include "api/write_all.hpp"
#include "base/crc.hpp"
#include "base/try.hpp"
#include "numpact/file_access.hpp"
#include "platform/files.hpp"
#include "platform/folders.hpp"
#include "platform/processes.hpp"
#include "platform/replacement.hpp"

namespace numpact::internal {
namespace {

Status not_as_written() {
  return Status(ErrorKind::kIo, "the file does not read as what was written");
}

}  // namespace

NewFile::~NewFile() {
  if (descriptor_ >= 0) platform::close_file(descriptor_);
  if (is_made() && !is_kept_) platform::remove_file(path_);
}

Status NewFile::create(const std::string& path, bool is_private, bool stays_open) {
  descriptor_ = platform::create_file(path, platform::Access::kWrite, is_private);
  if (descriptor_ < 0) return write_error(errno, "the file cannot be made");
  path_ = path;
  stays_open_ = stays_open;
  return stays_open ? Status() : close_descriptor();
}

Status NewFile::close_descriptor() {
  if (descriptor_ < 0 || platform::close_file(std::exchange(descriptor_, -1))) return {};
  return write_error(errno, "the file cannot be written");
}

Status NewFile::write(std::span<const std::byte> bytes) {
  if (descriptor_ < 0) descriptor_ = platform::open_file(path_, platform::Access::kWrite);
  if (descriptor_ < 0) return write_error(errno, "the file cannot be opened");
  NUMPACT_TRY(write_all(descriptor_, size_, bytes, "the file cannot be written"));
  crc_ = crc32(bytes, crc_);
  size_ += bytes.size();
  return stays_open_ ? Status() : close_descriptor();
}

Status NewFile::close() {
  NUMPACT_TRY(close_descriptor());
  MappedFile file;
  NUMPACT_TRY(MappedFile::open(path_).into(file));
  if (file.bytes().size() != size_ || crc32(file.bytes()) != crc_) return not_as_written();
  platform::start_writing(path_);
  return {};
}

Status NewFile::sync() {
  if (platform::sync_file(path_)) return {};
  return write_error(errno, "the file cannot be written");
}

Status NewFile::rename(const std::string& path) {
  if (!platform::rename_to_free_name(path_, path)) {
    return write_error(errno, "the file cannot be renamed");
  }
  path_ = path;
  return {};
}

Status NewFile::take_access_of(const std::string& path) {
  const int descriptor = platform::open_to_take_access(path_);
  if (descriptor < 0) return write_error(errno, "the file cannot be opened");
  const Status status = take_access(descriptor, path);
  platform::close_file(descriptor);
  return status;
}

Status list_names(const std::string& folder, FolderNames& names) {
  std::vector<platform::FolderEntry> entries;
  if (!platform::list_folder(folder, entries)) {
    return Status(ErrorKind::kIo, "the folder cannot be read").because_of(errno);
  }
  for (platform::FolderEntry& entry : entries) {
    const bool is_file = entry.kind == platform::FileKind::kRegular;
    (is_file ? names.files : names.others).push_back(std::move(entry.name));
  }
  return {};
}

std::uint32_t new_tag() {
  static std::atomic<std::uint32_t> counter{0};
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  std::uint64_t mixed = static_cast<std::uint64_t>(now);
  mixed ^= static_cast<std::uint64_t>(platform::current_process()) << 40;
  mixed += counter.fetch_add(1) * std::uint64_t{0x9e3779b97f4a7c15};
  // As splitmix64 ends.
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
  return static_cast<std::uint32_t>(mixed >> 32);
}

}  // namespace numpact::internal
