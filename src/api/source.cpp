// SPDX-License-Identifier: Apache-2.0
// The sources and sinks of bytes included in the library.
#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "base/internal.hpp"
#include "numpact/file_access.hpp"
#include "numpact/stream.hpp"
#include "platform/files.hpp"

namespace numpact {
namespace {

Status cannot_be_opened(int error) {
  return Status(ErrorKind::kIo, "cannot be opened").because_of(error);
}

int open_to_read(const std::string& path) {
  return platform::open_file(path, platform::Access::kRead);
}

void close(int descriptor) {
  if (descriptor >= 0) platform::close_file(descriptor);
}

Result<std::size_t> read_result(std::int64_t count) {
  if (count >= 0) return static_cast<std::size_t>(count);
  return Status(ErrorKind::kIo, "reading the file failed").because_of(errno);
}

}  // namespace

Result<std::size_t> MemorySource::read(std::span<std::byte> out) {
  const std::size_t got = std::min({out.size(), bytes_.size(), max_read_});
  std::copy_n(bytes_.begin(), got, out.begin());
  bytes_ = bytes_.subspan(got);
  return got;
}

Status VectorSink::write(std::span<const std::byte> bytes) {
  try {
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  } catch (const std::bad_alloc&) {
    return Status(ErrorKind::kOutOfMemory, "out of memory");
  }
  return {};
}

Result<FileSource> FileSource::open(const std::string& path) noexcept {
  const int descriptor = open_to_read(path);
  if (descriptor < 0) return cannot_be_opened(errno);
  return FileSource(descriptor);
}

FileSource::FileSource(FileSource&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileSource::~FileSource() { close(descriptor_); }

Result<std::size_t> FileSource::read(std::span<std::byte> out) {
  return read_result(platform::read_some(descriptor_, out));
}

Result<FileRangeSource> FileRangeSource::open(const std::string& path) noexcept {
  const int descriptor = open_to_read(path);
  if (descriptor < 0) return cannot_be_opened(errno);
  platform::FileInfo found;
  const int error = !platform::look_at(descriptor, found) ? errno : found.is_regular() ? 0 : ESPIPE;
  if (error != 0) {
    close(descriptor);
    return cannot_be_opened(error);
  }
  return FileRangeSource(descriptor, found.bytes);
}

FileRangeSource::FileRangeSource(FileRangeSource&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

FileRangeSource::~FileRangeSource() { close(descriptor_); }

Result<std::size_t> FileRangeSource::read_at(std::uint64_t offset, std::span<std::byte> out) {
  if (offset >= size_) return std::size_t{0};
  return read_result(platform::read_some_at(descriptor_, offset, out));
}

}  // namespace numpact
