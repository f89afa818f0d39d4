// SPDX-License-Identifier: Apache-2.0
#include "io/files.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "failure.hpp"

namespace numpact::cli {

OpenFile::OpenFile(const std::string& path)
    : path_(path), name_(path == "-" ? "(stdin)" : path), descriptor_(STDIN_FILENO) {
  if (path != "-") descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor_ < 0) fail_errno(name_, "");
  look();
}

OpenFile::OpenFile(int descriptor, const std::string& path)
    : path_(path), name_(path), descriptor_(descriptor) {
  look();
}

OpenFile::~OpenFile() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

void OpenFile::look() {
  struct stat found = {};
  const bool is_known = ::fstat(descriptor_, &found) == 0;
  if (!is_known || S_ISDIR(found.st_mode)) {
    const int error = errno;
    if (descriptor_ > STDIN_FILENO) ::close(descriptor_);  // since the destructor does not run
    errno = error;
    if (!is_known) fail_errno(name_, "");
    throw Failure(ExitCode::kFailure, name_, "is a folder");
  }
  if (!S_ISREG(found.st_mode)) return;
  end_ = static_cast<std::uint64_t>(found.st_size);
  if (path_ != "-") size_ = end_;
  // Virtual files such as those in /proc report size 0 but have contents.
  const off_t at = ::lseek(descriptor_, 0, SEEK_CUR);
  if (end_ == 0 || at < 0) return;
  limit_ = end_ - std::min(static_cast<std::uint64_t>(at), end_);
}

std::optional<char> OpenFile::byte_after_end() const {
  char next = 0;
  if (!limit_ || ::pread(descriptor_, &next, 1, static_cast<off_t>(end_)) != 1) return {};
  return next;
}

FileRef open_file(const std::string& path) { return std::make_shared<OpenFile>(path); }

std::size_t Input::read_some(std::span<std::byte> out) {
  if (file_->limit()) {
    const std::uint64_t left = *file_->limit() - std::min(taken_, *file_->limit());
    out = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left)));
  }
  if (out.empty()) return 0;
  // Reads at an explicit offset, so that several readers can share the descriptor.
  const int descriptor = file_->descriptor();
  const bool has_places = file_->size().has_value();
  for (;;) {
    const ssize_t got =
        has_places ? ::pread(descriptor, out.data(), out.size(), static_cast<off_t>(taken_))
                   : ::read(descriptor, out.data(), out.size());
    if (got >= 0) {
      taken_ += static_cast<std::uint64_t>(got);
      return static_cast<std::size_t>(got);
    }
    if (errno != EINTR) fail_errno(name(), "cannot be read");
  }
}

std::span<const std::byte> Input::peek(std::size_t count) {
  peeked_.erase(peeked_.begin(), peeked_.begin() + static_cast<std::ptrdiff_t>(peeked_used_));
  peeked_used_ = 0;
  std::size_t have = peeked_.size();
  if (have < count) {
    peeked_.resize(count);
    while (have < count) {
      const std::size_t got = read_some(std::span(peeked_).subspan(have));
      if (got == 0) break;
      have += got;
    }
    peeked_.resize(have);
  }
  return std::span(peeked_).first(std::min(count, have));
}

Result<std::size_t> Input::read(std::span<std::byte> out) {
  std::size_t got = std::min(out.size(), peeked_.size() - peeked_used_);
  if (got > 0) {
    std::memcpy(out.data(), peeked_.data() + peeked_used_, got);
    peeked_used_ += got;
    bytes_read_ += got;
    return got;
  }
  try {
    got = read_some(out);
    bytes_read_ += got;
    return got;
  } catch (const Failure&) {
    return Status(ErrorKind::kIo, "the file cannot be read");
  }
}

std::size_t Input::read_full(std::span<std::byte> out) {
  std::size_t have = 0;
  while (have < out.size()) {
    std::size_t got = 0;
    check(read(out.subspan(have)).into(got), name());
    if (got == 0) break;
    have += got;
  }
  return have;
}

std::vector<std::byte> Input::read_rest() {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  std::vector<std::byte> all;
  for (;;) {
    const std::size_t have = all.size();
    all.resize(have + kBlock);
    const std::size_t got = read_full(std::span(all).subspan(have));
    all.resize(have + got);
    if (got < kBlock) return all;
  }
}

FileBytes::FileBytes(const FileRef& file) {
  const std::uint64_t size = file->size().value_or(0);
  if (size == 0) {
    read_ = Input(file).read_rest();
    bytes_ = read_;
    return;
  }
  if (size > SIZE_MAX) throw Failure(ExitCode::kFailure, file->name(), "is too large to be mapped");
  void* const map = ::mmap(nullptr, static_cast<std::size_t>(size), PROT_READ, MAP_PRIVATE,
                           file->descriptor(), 0);
  if (map == MAP_FAILED) fail_errno(file->name(), "cannot be mapped");
  is_mapped_ = true;
  bytes_ = {static_cast<const std::byte*>(map), static_cast<std::size_t>(size)};
}

FileBytes::~FileBytes() {
  if (is_mapped_) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void FileBytes::release_first(std::uint64_t size) const {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t whole = std::min<std::uint64_t>(size, bytes_.size()) / page * page;
  if (!is_mapped_ || whole == 0) return;
  ::madvise(const_cast<std::byte*>(bytes_.data()), static_cast<std::size_t>(whole), MADV_DONTNEED);
}

ProgressCallback FileBytes::releasing() const {
  return [this](const Progress& progress) {
    release_first(progress.bytes);
    return true;
  };
}

bool is_folder(const std::string& path) {
  struct stat found = {};
  return ::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

bool is_regular_file(const std::string& path) {
  struct stat found = {};
  return ::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode);
}

void refuse_same_file(const std::string& input, const std::string& output) {
  struct stat first = {};
  struct stat second = {};
  if (input == "-" || output == "-") return;
  if (::stat(input.c_str(), &first) != 0 || ::stat(output.c_str(), &second) != 0) return;
  if (S_ISREG(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino) {
    throw Failure(ExitCode::kFailure, output, "is the input itself");
  }
}

}  // namespace numpact::cli
