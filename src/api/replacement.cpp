// SPDX-License-Identifier: Apache-2.0
#include "api/replacement.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "api/io_error.hpp"
#include "api/write_all.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "platform/files.hpp"
#include "platform/paths.hpp"
#include "platform/replacement.hpp"
#include "platform/temporary.hpp"

namespace numpact {
namespace {

constexpr std::uint64_t kMoveStepBytes = std::uint64_t{1} << 20;

// A new file gets default permissions, unlike with mkstemp. A file that replaces another is private
// until it gets the access of that one.
int create_beside(const std::string& path, std::string& name) {
  platform::FileInfo found;
  const bool is_private = platform::look_at(path, found);
  const std::string_view whole = path;
  const std::size_t start = platform::name_start(whole);
  for (int attempt = 0; attempt < 100; ++attempt) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    name = platform::hidden_name(whole.substr(0, start), whole.substr(start),
                                 static_cast<std::uint32_t>(now));
    const int descriptor = platform::create_file(name, platform::Access::kReadWrite, is_private);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

std::string folder_of(const std::string& path) {
  const std::size_t start = platform::name_start(path);
  return start == 0 ? "." : path.substr(0, start);
}

}  // namespace

Replacement::~Replacement() {
  if (descriptor_ < 0) return;
  platform::close_file(descriptor_);
  if (process_.is_this()) platform::remove_file(name_);
}

Status Replacement::check_process() const {
  if (process_.is_this()) return {};
  return Status(ErrorKind::kInvalidArgument,
                "the new file belongs to the process that was forked: make another one here");
}

Status Replacement::open(const std::string& path, const LockConfig& lock) {
  if (path.empty()) return io_error("the file has no name");
  lock_config_ = lock;
  NUMPACT_TRY(follow_links(path).into(path_));
  platform::FileInfo found;
  if (platform::look_at(path_, found) && !found.is_regular()) {
    return io_error("what has the name is not a regular file");
  }
  return create();
}

Status Replacement::open_locked(const std::string& path, const LockConfig& lock) {
  lock_config_ = lock;
  NUMPACT_TRY(lock_.lock(path, lock));
  if (!lock_.has_file()) return io_error("there is no such file");
  path_ = lock_.path();
  return create();
}

Status Replacement::create() {
  descriptor_ = create_beside(path_, name_);
  return descriptor_ >= 0 ? Status() : write_error(errno, "a file next to it cannot be made");
}

Status Replacement::write(std::span<const std::byte> bytes) {
  NUMPACT_TRY(write_at(written_, bytes));
  written_ += bytes.size();
  return {};
}

Status Replacement::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  NUMPACT_TRY(check_process());
  return write_all(descriptor_, offset, bytes, "writing the new file failed");
}

Status Replacement::move(std::uint64_t from, std::uint64_t to, std::uint64_t bytes) {
  const auto buffer = std::make_unique_for_overwrite<std::byte[]>(
      static_cast<std::size_t>(std::min(kMoveStepBytes, bytes)));
  std::uint64_t moved = 0;
  while (moved < bytes) {
    const std::uint64_t size = std::min(kMoveStepBytes, bytes - moved);
    // Copies backward when moving up and forward when moving down, so that overlapping bytes are
    // read before they are overwritten.
    const std::uint64_t at = to > from ? bytes - moved - size : moved;
    std::uint64_t got = 0;
    while (got < size) {
      const std::int64_t count = platform::read_some_at(
          descriptor_, from + at + got, {buffer.get() + got, static_cast<std::size_t>(size - got)});
      if (count <= 0) return io_error("reading the new file failed");
      got += static_cast<std::uint64_t>(count);
    }
    NUMPACT_TRY(write_at(to + at, {buffer.get(), static_cast<std::size_t>(size)}));
    moved += size;
  }
  return {};
}

Status Replacement::resize(std::uint64_t bytes) {
  NUMPACT_TRY(check_process());
  if (platform::resize_file(descriptor_, bytes)) {
    written_ = bytes;
    return {};
  }
  return write_error(errno, "the new file's length cannot be set");
}

Status Replacement::replace(bool sync) {
  NUMPACT_TRY(check_process());
  NUMPACT_TRY(take_access(descriptor_, path_));
  if (sync && !platform::sync_file(descriptor_)) {
    return write_error(errno, "the new file cannot be synced");
  }
  const std::string folder =
      folder_of(path_);  // computed now: nothing may fail after the file is replaced
  // Some file systems report a full disk only at close.
  Status status;
  if (!platform::close_file(std::exchange(descriptor_, -1))) {
    status = write_error(errno, "the file cannot be replaced");
  } else if (lock_.has_file()) {
    status = lock_.replace(name_);
  } else {
    status = replace_file(name_, path_, lock_config_);
  }
  if (!status.ok()) {
    platform::remove_file(name_);
    return status;
  }
  // Makes the rename durable. Failure to sync a folder is not an error of the file.
  if (sync) platform::sync_folder(folder);
  return {};
}

}  // namespace numpact
