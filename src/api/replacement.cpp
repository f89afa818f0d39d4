// SPDX-License-Identifier: Apache-2.0
#include "api/replacement.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "api/io_error.hpp"
#include "api/write_all.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"

namespace numpact {
namespace {

constexpr std::uint64_t kMoveStepBytes = std::uint64_t{1} << 20;

// The same pattern as in the CLI, so that leftovers of killed processes can be recognized.
std::string hidden_name(const std::string& path, std::uint64_t number) {
  constexpr std::size_t kMaxNameBytes = 180;
  constexpr char kDigits[] = "0123456789abcdef";
  const std::size_t start = path.rfind('/') + 1;  // 0 if there is none
  std::string name = path.substr(0, start) + "." + path.substr(start, kMaxNameBytes) + "." +
                     std::to_string(::getpid()) + "-";
  for (int shift = 28; shift >= 0; shift -= 4) name.push_back(kDigits[number >> shift & 15U]);
  return name + ".tmp";
}

// A new file gets default permissions, unlike with mkstemp. A file that replaces another is private
// until it gets the access of that one.
int create_beside(const std::string& path, std::string& name) {
  struct stat found {};
  const mode_t mode = ::stat(path.c_str(), &found) == 0 ? 0600 : 0666;
  for (int attempt = 0; attempt < 100; ++attempt) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    name = hidden_name(path, static_cast<std::uint64_t>(now));
    const int descriptor = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

// Makes the rename durable. Failure to sync a folder is not an error of the file.
void sync_folder(const char* folder) {
  const int descriptor = ::open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  (void)::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

Replacement::~Replacement() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (process_.is_this()) ::unlink(name_.c_str());
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
  struct stat found {};
  if (::stat(path_.c_str(), &found) == 0 && !S_ISREG(found.st_mode)) {
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
  return descriptor_ >= 0 ? Status() : write_error(errno, "a file beside it cannot be made");
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
      const ssize_t count =
          ::pread(descriptor_, buffer.get() + got, static_cast<std::size_t>(size - got),
                  static_cast<off_t>(from + at + got));
      if (count == 0 || (count < 0 && errno != EINTR)) {
        return io_error("reading the new file failed");
      }
      if (count > 0) got += static_cast<std::uint64_t>(count);
    }
    NUMPACT_TRY(write_at(to + at, {buffer.get(), static_cast<std::size_t>(size)}));
    moved += size;
  }
  return {};
}

Status Replacement::resize(std::uint64_t bytes) {
  NUMPACT_TRY(check_process());
  if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) == 0) {
    written_ = bytes;
    return {};
  }
  return write_error(errno, "the new file's length cannot be set");
}

Status Replacement::replace(bool sync) {
  NUMPACT_TRY(check_process());
  NUMPACT_TRY(take_access(descriptor_, path_));
  if (sync && ::fsync(descriptor_) != 0) return write_error(errno, "the new file cannot be synced");
  const std::string folder =
      folder_of(path_);  // computed now: nothing may fail after the file is replaced
  // Some file systems report a full disk only at close.
  Status status;
  if (::close(std::exchange(descriptor_, -1)) != 0) {
    status = write_error(errno, "the file cannot be replaced");
  } else if (lock_.has_file()) {
    status = lock_.replace(name_);
  } else {
    status = replace_file(name_, path_, lock_config_);
  }
  if (!status.ok()) {
    ::unlink(name_.c_str());
    return status;
  }
  if (sync) sync_folder(folder.c_str());
  return {};
}

}  // namespace numpact
