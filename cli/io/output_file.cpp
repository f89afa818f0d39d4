// SPDX-License-Identifier: Apache-2.0
#include "io/output_file.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "failure.hpp"
#include "io/files.hpp"
#include "platform/files.hpp"
#include "platform/locks.hpp"
#include "platform/paths.hpp"
#include "platform/terminal.hpp"

namespace numpact::cli {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

// Bounds how long a turn that is free stays unused.
constexpr std::chrono::milliseconds kTurnPause{10};

}  // namespace

OutputFile::OutputFile(const std::string& path, const Overwrite& overwrite, Content content)
    : path_(path), name_(path == "-" ? "(stdout)" : path), overwrite_(overwrite) {
  buffer_.reserve(kBufferBytes);
  platform::FileInfo found;
  if (is_stdout()) {
    descriptor_ = platform::kStandardOutput;
  } else if (!platform::look_at(path, found)) {
    path_ = resolve_links(path);
    temporary_ = std::make_unique<TemporaryPath>(path_, TemporaryPath::Kind::kFile);
  } else if (found.is_folder()) {
    fail(name_, "is a folder");
  } else if (found.is_regular()) {
    if (!overwrite.is_allowed) fail(name_, "exists already (-f overwrites it)");
    path_ = resolve_links(path);
    temporary_ = std::make_unique<TemporaryPath>(path_, TemporaryPath::Kind::kFile);
  } else {
    descriptor_ = platform::open_file(path, platform::Access::kWrite);
    if (descriptor_ < 0) fail_errno(name_, "cannot be written");
  }
  if (temporary_ != nullptr) descriptor_ = temporary_->descriptor();
  if (content == Content::kBinary && is_terminal()) {
    fail_usage(name_, "binary output is not written to a terminal (use -o FILE or a pipe)");
  }
}

OutputFile::OutputFile(FileLock lock, const std::string& path)
    : path_(lock.path()), name_(path), overwrite_(true), lock_(std::move(lock)) {
  buffer_.reserve(kBufferBytes);
  temporary_ = std::make_unique<TemporaryPath>(path_, TemporaryPath::Kind::kFile);
  descriptor_ = temporary_->descriptor();
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0 && descriptor_ != platform::kStandardOutput) {
    platform::close_file(descriptor_);
  }
}

bool OutputFile::is_terminal() const { return platform::is_terminal(descriptor_); }

void OutputFile::write_all(std::span<const std::byte> bytes) {
  while (!bytes.empty() && error_ == 0) {
    const std::int64_t written = platform::write_some(descriptor_, bytes);
    if (written >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    } else {
      error_ = errno;
    }
  }
}

void OutputFile::flush() {
  write_all(buffer_);
  buffer_.clear();
}

Status OutputFile::write(std::span<const std::byte> bytes) {
  bytes_written_ += bytes.size();
  if (buffer_.size() + bytes.size() > kBufferBytes) flush();
  if (bytes.size() >= kBufferBytes) {
    write_all(bytes);
  } else {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
  return error_ == 0 ? Status() : Status(ErrorKind::kIo, "the output cannot be written");
}

void OutputFile::put(std::span<const std::byte> bytes) {
  if (!write(bytes).ok()) throw_if_failed();
}

void OutputFile::throw_if_failed() const {
  if (error_ == 0) return;
  if (error_ == EPIPE) throw OutputClosed();
  errno = error_;
  fail_errno(name_, "cannot be written");
}

void OutputFile::patch(std::uint64_t offset, std::span<const std::byte> bytes) {
  flush();
  throw_if_failed();
  const std::int64_t written = platform::write_some_at(descriptor_, offset, bytes);
  if (written != static_cast<std::int64_t>(bytes.size())) fail_errno(name_, "cannot be written");
}

const std::string& OutputFile::written_path() {
  flush();
  throw_if_failed();
  return temporary_->path();
}

void OutputFile::commit() {
  flush();
  throw_if_failed();
  if (temporary_ == nullptr) {
    // Some file systems report a full disk only on close. Closing a duplicate keeps the descriptor
    // open.
    const int copy = platform::duplicate(descriptor_);
    if (copy >= 0 && !platform::close_file(copy)) fail_errno(name_, "cannot be written");
    return;
  }
  if (overwrite_.is_allowed) check(take_access(descriptor_, path_), name_);
  // Some file systems do not support it: the file is then as safe as they make it.
  if (!platform::sync_file(descriptor_) && errno != EINVAL) {
    fail_errno(name_, "cannot be written");
  }
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (!platform::close_file(descriptor)) fail_errno(name_, "cannot be written");
  if (overwrite_.is_allowed) {
    temporary_->replace_file(temporary_->path(), path_, name_, overwrite_.lock_config(name_),
                             lock_);
  } else {
    temporary_->move(temporary_->path(), path_);
  }
  temporary_.reset();
}

std::string resolve_links(const std::string& path) {
  std::string target;
  check(follow_links(path).into(target), path);
  return target;
}

FileLock lock_existing(const std::string& path, const Overwrite& overwrite) {
  platform::FileInfo found;
  if (!platform::look_at(path, found)) fail_errno(path, "");
  if (!found.is_regular()) fail(path, "is not a regular file");
  FileLock lock;
  check(lock.lock(path, overwrite.lock_config(path)), path);
  if (!lock.has_file()) fail(path, "was removed meanwhile");
  return lock;
}

platform::FolderTurn wait_for_turn(const std::string& folder, const Overwrite& overwrite) {
  using Clock = std::chrono::steady_clock;
  const std::string path = resolve_links(platform::without_end_separators(folder));
  const LockConfig config = overwrite.lock_config(folder);
  const Clock::time_point begin = Clock::now();
  platform::FolderTurn turn;
  for (int error = turn.take(path); error != 0; error = turn.take(path)) {
    if (error != EWOULDBLOCK) {
      errno = error;
      fail_errno(folder, "cannot be written");
    }
    const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
    if (config.timeout && waited >= *config.timeout) {
      check(Status(ErrorKind::kTimedOut, "the folder is being written by another process"), folder);
    }
    if (config.while_waiting) config.while_waiting(waited);
    std::this_thread::sleep_for(kTurnPause);
  }
  return turn;
}

}  // namespace numpact::cli
