// SPDX-License-Identifier: Apache-2.0
// The sources and sinks of bytes included in the library.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "numpact/range_source.hpp"
#include "numpact/stream.hpp"

namespace numpact {
namespace {

int open_to_read(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw Error(Status(ErrorKind::kIo, "cannot be opened"), path + ": " + std::strerror(errno));
  }
  return descriptor;
}

// `read` behaves like ::read; repeats it after a signal.
template <class Read>
Status read_some(const Read& read, std::size_t& got) {
  got = 0;
  while (true) {
    const ssize_t count = read();
    if (count >= 0) {
      got = static_cast<std::size_t>(count);
      return {};
    }
    if (errno != EINTR) return Status(ErrorKind::kIo, "reading the file failed");
  }
}

}  // namespace

ByteSource::~ByteSource() = default;
ByteSink::~ByteSink() = default;
RangeSource::~RangeSource() = default;

Status MemorySource::read(std::span<std::byte> out, std::size_t& got) {
  got = std::min({out.size(), bytes_.size(), max_read_});
  std::copy_n(bytes_.begin(), got, out.begin());
  bytes_ = bytes_.subspan(got);
  return {};
}

Status VectorSink::write(std::span<const std::byte> bytes) {
  try {
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  } catch (const std::bad_alloc&) {
    return Status(ErrorKind::kOutOfMemory, "out of memory");
  }
  return {};
}

FileSource::FileSource(const std::string& path) : descriptor_(open_to_read(path)) {}

FileSource::~FileSource() { ::close(descriptor_); }

Status FileSource::read(std::span<std::byte> out, std::size_t& got) {
  return read_some([&] { return ::read(descriptor_, out.data(), out.size()); }, got);
}

FileRangeSource::FileRangeSource(const std::string& path) : descriptor_(open_to_read(path)) {
  struct stat found {};
  const int error = ::fstat(descriptor_, &found) != 0 ? errno : S_ISREG(found.st_mode) ? 0 : ESPIPE;
  if (error != 0) {
    ::close(descriptor_);
    throw Error(Status(ErrorKind::kIo, "cannot be opened"), path + ": " + std::strerror(error));
  }
  size_ = static_cast<std::uint64_t>(found.st_size);
}

FileRangeSource::~FileRangeSource() { ::close(descriptor_); }

Status FileRangeSource::read_at(std::uint64_t offset, std::span<std::byte> out, std::size_t& got) {
  if (offset >= size_) {
    got = 0;
    return {};
  }
  return read_some(
      [&] { return ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset)); },
      got);
}

}  // namespace numpact
