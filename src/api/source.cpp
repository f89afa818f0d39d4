// SPDX-License-Identifier: Apache-2.0
// Sources and sinks of bytes that come with the library.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "numpact/stream.hpp"

namespace numpact {

ByteSource::~ByteSource() = default;
ByteSink::~ByteSink() = default;

Status MemorySource::read(std::span<std::byte> out, std::size_t& got) {
  got = std::min({out.size(), bytes_.size(), piece_});
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

FileSource::FileSource(const std::string& path)
    : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) {
    throw Error(Status(ErrorKind::kIo, "cannot be opened"), path + ": " + std::strerror(errno));
  }
}

FileSource::~FileSource() { ::close(descriptor_); }

Status FileSource::read(std::span<std::byte> out, std::size_t& got) {
  got = 0;
  while (true) {
    const ssize_t count = ::read(descriptor_, out.data(), out.size());
    if (count >= 0) {
      got = static_cast<std::size_t>(count);
      return {};
    }
    if (errno != EINTR) return Status(ErrorKind::kIo, "reading the file failed");
  }
}

}  // namespace numpact
