// SPDX-License-Identifier: Apache-2.0
#include "files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "failure.hpp"

namespace numpact::cli {

Input::Input(const std::string& path) : path_(path), name_(path == "-" ? "(stdin)" : path) {
  if (path != "-") descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail_errno(name_, "");
  struct stat found = {};
  if (::fstat(descriptor_, &found) != 0) fail_errno(name_, "");
  if (S_ISDIR(found.st_mode)) throw Failure(ExitCode::kFailure, name_, "is a folder");
  if (S_ISREG(found.st_mode) && path != "-") size_ = static_cast<std::uint64_t>(found.st_size);
}

Input::~Input() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

std::size_t Input::read_some(std::span<std::byte> out) {
  for (;;) {
    const ssize_t got = ::read(descriptor_, out.data(), out.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail_errno(name_, "cannot be read");
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

Status Input::read(std::span<std::byte> out, std::size_t& got) {
  got = std::min(out.size(), peeked_.size() - peeked_used_);
  if (got > 0) {
    std::memcpy(out.data(), peeked_.data() + peeked_used_, got);
    peeked_used_ += got;
    bytes_read_ += got;
    return {};
  }
  try {
    got = read_some(out);
    bytes_read_ += got;
    return {};
  } catch (const Failure&) {
    return {ErrorKind::kIo, "the file cannot be read"};
  }
}

std::size_t Input::read_full(std::span<std::byte> out) {
  std::size_t have = 0;
  while (have < out.size()) {
    std::size_t got = 0;
    check(read(out.subspan(have), got), name_);
    if (got == 0) break;
    have += got;
  }
  return have;
}

std::vector<std::byte> Input::read_rest() {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::vector<std::byte> all;
  for (;;) {
    const std::size_t have = all.size();
    all.resize(have + kPiece);
    const std::size_t got = read_full(std::span(all).subspan(have));
    all.resize(have + got);
    if (got < kPiece) return all;
  }
}

FileBytes::FileBytes(const std::string& path) {
  Input input(path);
  if (input.size().value_or(0) == 0) {
    read_ = input.read_rest();
    bytes_ = read_;
    return;
  }
  check(MappedFile::try_open(path, mapped_), path);
  bytes_ = mapped_.bytes();
}

bool is_folder(const std::string& path) {
  struct stat found = {};
  return ::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
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
