// SPDX-License-Identifier: Apache-2.0
#include "io/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "failure.hpp"
#include "io/files.hpp"
#include "numpact/executor.hpp"
#include "pco/manifest.hpp"
#include "pco/table_folder.hpp"

namespace numpact::cli {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

// Asks the system to start writing a file to disk, if it supports that.
void start_writing([[maybe_unused]] const std::string& path) {
#ifdef SYNC_FILE_RANGE_WRITE
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
  ::close(descriptor);
#endif
}

// Returns 0 or errno.
int sync_file(const std::string& path) noexcept {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  // Some file systems do not support fsync: the file is then as safe as they make it.
  const int error = ::fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno;
  ::close(descriptor);
  return error;
}

}  // namespace

OutputFile::OutputFile(const std::string& path, const Overwrite& overwrite, Content content)
    : path_(path), name_(path == "-" ? "(stdout)" : path), overwrite_(overwrite) {
  buffer_.reserve(kBufferBytes);
  struct stat found = {};
  if (is_stdout()) {
    descriptor_ = STDOUT_FILENO;
  } else if (::stat(path.c_str(), &found) != 0) {
    path_ = resolve_links(path);
    temporary_ = std::make_unique<TemporaryPath>(path_, TemporaryPath::Kind::kFile);
  } else if (S_ISDIR(found.st_mode)) {
    throw Failure(ExitCode::kFailure, name_, "is a folder");
  } else if (S_ISREG(found.st_mode)) {
    if (!overwrite.is_allowed) {
      throw Failure(ExitCode::kFailure, name_, "exists already (-f overwrites it)");
    }
    path_ = resolve_links(path);
    temporary_ = std::make_unique<TemporaryPath>(path_, TemporaryPath::Kind::kFile);
  } else {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
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
  if (descriptor_ >= 0 && descriptor_ != STDOUT_FILENO) ::close(descriptor_);
}

bool OutputFile::is_terminal() const { return ::isatty(descriptor_) == 1; }

void OutputFile::write_all(std::span<const std::byte> bytes) {
  while (!bytes.empty() && error_ == 0) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
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
  const ssize_t written =
      ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
  if (written != static_cast<ssize_t>(bytes.size())) fail_errno(name_, "cannot be written");
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
    const int copy = ::dup(descriptor_);
    if (copy >= 0 && ::close(copy) != 0) fail_errno(name_, "cannot be written");
    return;
  }
  if (overwrite_.is_allowed) check(take_access(descriptor_, path_), name_);
  const bool is_later = sync == TemporaryPath::Sync::kLater;
  const bool synced = is_later || ::fsync(descriptor_) == 0 || errno == EINVAL;
  if (!synced) fail_errno(name_, "cannot be written");
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) fail_errno(name_, "cannot be written");
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
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0) fail_errno(path, "");
  if (!S_ISREG(found.st_mode)) throw Failure(ExitCode::kFailure, path, "is not a regular file");
  FileLock lock;
  check(lock.lock(path, overwrite.lock_config(path)), path);
  if (!lock.has_file()) throw Failure(ExitCode::kFailure, path, "was removed meanwhile");
  return lock;
}

OutputFolder::OutputFolder(const std::string& path, const Overwrite& overwrite)
    : name_(path), overwrite_(overwrite) {
  begin();
}

OutputFolder::OutputFolder(FileLock lock, const std::string& path)
    : name_(path), overwrite_(true), lock_(std::move(lock)) {
  begin();
}

void OutputFolder::begin() {
  while (name_.size() > 1 && name_.back() == '/') name_.pop_back();
  path_ = resolve_links(name_);
  struct stat found = {};
  is_there_ = ::stat(path_.c_str(), &found) == 0;
  if (is_there_ && !overwrite_.is_allowed) {
    throw Failure(ExitCode::kFailure, name_, "exists already (-f overwrites it)");
  }
  if (is_there_) table_files(path_, name_);  // throws if files would be removed that must not be
  temporary_ = std::make_unique<TemporaryPath>(path_, TemporaryPath::Kind::kFolder);
}

// Waits for a program that appends to the old table. An empty folder has no lock.
void OutputFolder::lock_old() {
  const std::string manifest = path_ + "/" + kManifestName;
  if (lock_.has_file() || !is_regular_file(manifest)) return;
  check(lock_.lock(manifest, overwrite_.lock_config(name_)), name_);
}

// Concurrent syncs share the work of the file system: 3,000 files took 1 second with 32 threads, 8
// with one, and 24 if each file was synced when it was written.
void OutputFolder::sync_files() const {
  constexpr unsigned kThreads = 32;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(temporary_->path())) {
    files.push_back(entry.path().string());
    start_writing(files.back());
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
    fail_errno(files[i], "cannot be written");
  }
  sync_folder(temporary_->path());
}

// Files get the access rights of the files they replace, other files those of the old manifest. The
// folder comes last, so that nobody else gets into it before.
void OutputFolder::take_access(const std::set<std::string>& old_files) const {
  const auto take = [this](const std::string& path, const std::string& like) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0) fail_errno(name_, "cannot be written");
    const Status status = numpact::take_access(descriptor, like);
    ::close(descriptor);
    check(status, name_);
  };
  for (const auto& entry : std::filesystem::directory_iterator(temporary_->path())) {
    const std::string file = entry.path().filename().string();
    const std::string like = old_files.contains(file) ? file : kManifestName;
    take(entry.path().string(), path_ + "/" + like);
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
  if (!temporary_->replace_folder(path_, old_files)) {
    print_message(name_ + ": files came meanwhile that are not part of the table; they stay in " +
                  temporary_->leftover());
  }
  temporary_.reset();
  lock_.release();
}

}  // namespace numpact::cli
