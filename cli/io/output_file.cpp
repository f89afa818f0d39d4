// SPDX-License-Identifier: Apache-2.0
#include "io/output_file.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "failure.hpp"
#include "io/files.hpp"
#include "numpact/executor.hpp"
#include "numpact/trailer.hpp"
#include "pco/manifest.hpp"
#include "pco/table_folder.hpp"
#include "platform/files.hpp"
#include "platform/folders.hpp"
#include "platform/locks.hpp"
#include "platform/paths.hpp"
#include "platform/replacement.hpp"
#include "platform/terminal.hpp"

namespace numpact::cli {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

// Bounds how long a turn that is free stays unused.
constexpr std::chrono::milliseconds kTurnPause{10};

// Returns 0 or errno.
int sync_file(const std::string& path) noexcept {
  // Some file systems do not support it: the file is then as safe as they make it.
  return platform::sync_file(path) || errno == EINVAL ? 0 : errno;
}

bool has_others(const std::string& folder, const std::set<std::string>& names) {
  std::vector<platform::FolderEntry> entries;
  if (!platform::list_folder(folder, entries)) return false;
  return std::any_of(entries.begin(), entries.end(), [&](const platform::FolderEntry& entry) {
    return !names.contains(entry.name);
  });
}

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
    throw Failure(ExitCode::kFailure, name_, "is a folder");
  } else if (found.is_regular()) {
    if (!overwrite.is_allowed) {
      throw Failure(ExitCode::kFailure, name_, "exists already (-f overwrites it)");
    }
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

OutputFile::OutputFile(const OutputFolder& folder, const std::string& file)
    : path_(folder.path_of(file)), name_(folder.name_of(file)), overwrite_(false) {
  buffer_.reserve(kBufferBytes);
  temporary_ = std::make_unique<TemporaryPath>(path_, TemporaryPath::Kind::kFile, name_);
  descriptor_ = temporary_->descriptor();
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
  if (keeps_checksum_) checksum_ = checksum_of(bytes, checksum_);
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

void OutputFile::commit(TemporaryPath::Sync sync) {
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
  const bool is_later = sync == TemporaryPath::Sync::kLater;
  const bool synced = is_later || platform::sync_file(descriptor_) || errno == EINVAL;
  if (!synced) fail_errno(name_, "cannot be written");
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (!platform::close_file(descriptor)) fail_errno(name_, "cannot be written");
  if (overwrite_.is_allowed) {
    temporary_->replace_file(temporary_->path(), path_, name_, overwrite_.lock_config(name_),
                             lock_);
  } else {
    temporary_->move(temporary_->path(), path_, sync);
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
  if (!found.is_regular()) throw Failure(ExitCode::kFailure, path, "is not a regular file");
  FileLock lock;
  check(lock.lock(path, overwrite.lock_config(path)), path);
  if (!lock.has_file()) throw Failure(ExitCode::kFailure, path, "was removed meanwhile");
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

OutputFolder::OutputFolder(const std::string& path, const Overwrite& overwrite)
    : name_(path), overwrite_(overwrite) {
  begin();
}

OutputFolder::OutputFolder(platform::FolderTurn turn, FileLock lock, const std::string& path)
    : name_(path), overwrite_(true), turn_(std::move(turn)), lock_(std::move(lock)) {
  begin();
}

void OutputFolder::begin() {
  name_ = platform::without_end_separators(name_);
  path_ = resolve_links(name_);
  platform::FileInfo found;
  is_there_ = platform::look_at(path_, found);
  if (is_there_ && !overwrite_.is_allowed) {
    throw Failure(ExitCode::kFailure, name_, "exists already (-f overwrites it)");
  }
  if (is_there_) table_files(path_, name_);  // throws if files would be removed that must not be
  temporary_ = std::make_unique<TemporaryPath>(path_, TemporaryPath::Kind::kFolder);
}

// Waits for a program that appends to the old table. An empty folder has no lock.
void OutputFolder::lock_old() {
  const std::string manifest = path_ + "/" + kManifestName;
  if (lock_.has_file()) return;
  turn_ = wait_for_turn(name_, overwrite_);
  if (!is_regular_file(manifest)) return;
  check(lock_.lock(manifest, overwrite_.lock_config(name_)), name_);
}

std::vector<platform::FolderEntry> OutputFolder::written_entries() const {
  std::vector<platform::FolderEntry> entries;
  if (!platform::list_folder(temporary_->path(), entries)) fail_errno(name_, "cannot be written");
  return entries;
}

// Concurrent syncs share the work of the file system: 3,000 files took 1 second with 32 threads, 8
// with one, and 24 if each file was synced when it was written.
void OutputFolder::sync_files() const {
  constexpr unsigned kThreads = 32;
  std::vector<std::string> names;
  std::vector<std::string> files;
  for (const platform::FolderEntry& entry : written_entries()) {
    names.push_back(name_of(entry.name));
    files.push_back(path_of(entry.name));
    platform::start_writing(files.back());
  }
  struct Shared {
    const std::vector<std::string>& files;
    std::vector<int> errors;
  } shared{files, std::vector<int>(files.size())};
  const auto task = [](void* argument, std::size_t i) noexcept {
    Shared& all = *static_cast<Shared*>(argument);
    all.errors[i] = sync_file(all.files[i]);
  };
  ThreadExecutor(kThreads).run(files.size(), task, &shared);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (shared.errors[i] == 0) continue;
    errno = shared.errors[i];
    fail_errno(names[i], "cannot be written");
  }
  platform::sync_folder(temporary_->path());
}

// Files get the access rights of the files they replace, other files those of the old manifest. The
// folder comes last, so that nobody else gets into it before.
void OutputFolder::take_access(const std::set<std::string>& old_files) const {
  const auto take = [this](const std::string& path, const std::string& like) {
    const int descriptor = platform::open_to_take_access(path);
    if (descriptor < 0) fail_errno(name_, "cannot be written");
    const Status status = numpact::take_access(descriptor, like);
    platform::close_file(descriptor);
    check(status, name_);
  };
  for (const platform::FolderEntry& entry : written_entries()) {
    const std::string like = old_files.contains(entry.name) ? entry.name : kManifestName;
    take(path_of(entry.name), path_ + "/" + like);
  }
  take(temporary_->path(), path_);
}

void OutputFolder::commit() {
  if (!is_there_) {
    sync_files();
    temporary_->move(temporary_->path(), path_);
    temporary_.reset();
    return;
  }
  lock_old();
  const std::set<std::string> old_files = table_files(path_, name_);  // the current files
  take_access(old_files);
  sync_files();
  // The lock has the old manifest open. Those that replace the folder wait for the turn first.
  if (!platform::open_folders_move()) lock_.release();
  if (!temporary_->replace_folder(path_, old_files)) {
    const std::string& leftover = temporary_->leftover();
    print_message(name_ +
                  (has_others(leftover, old_files)
                       ? ": files came meanwhile that are not part of the table; they stay "
                         "in "
                       : ": other programs have the old files open; they stay in ") +
                  leftover);
  }
  temporary_.reset();
  lock_.release();
  turn_.release();
}

}  // namespace numpact::cli
