// SPDX-License-Identifier: Apache-2.0
// Files on disk as bytes in memory.
#ifndef NUMPACT_MAPPED_FILE_HPP
#define NUMPACT_MAPPED_FILE_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "numpact/config.hpp"
#include "numpact/error.hpp"

namespace numpact {

// A file mapped read-only for as long as the object lives. Several threads may read its bytes.
//
// The file must keep its length meanwhile: where another program cuts it off, reading the bytes
// beyond ends the process (SIGBUS). Files that change so are better read through a ByteSource. A
// file that is replaced by renaming another over it, as numpact does, stays as it was.
class NUMPACT_API MappedFile {
 public:
  // Of nothing: bytes() is empty.
  MappedFile() noexcept = default;
  // Throws Error of kIo with the path and the system's reason: the file cannot be opened, is a
  // folder or a pipe, or cannot be mapped.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  // The same without exceptions; the Status has the reason only. `file` is empty after an error.
  static Status try_open(const std::string& path, MappedFile& file) noexcept;

  // The whole file; at an address that stays when the object is moved.
  std::span<const std::byte> bytes() const noexcept { return bytes_; }

  // Gives back the memory that the first `size` bytes take, for one who reads in order. Reading
  // them again is allowed, by other threads meanwhile too: they come from the file anew.
  void release_first(std::uint64_t size) const noexcept;
  // For configs: what a call has left behind is given back. This object must stay where it is
  // meanwhile.
  ProgressCallback releasing() const {
    return [this, released = std::uint64_t{0}](const Progress& progress) mutable {
      // Not after each of very many tiny chunks: the system looks at every page that it is told of.
      constexpr std::uint64_t kStepBytes = std::uint64_t{1} << 20;
      if (progress.bytes < released) released = 0;  // another call, from the front
      if (progress.bytes - released < kStepBytes) return true;
      release(released, progress.bytes);
      released = progress.bytes;
      return true;
    };
  }

 private:
  // What is between two places, whole pages of it.
  void release(std::uint64_t begin, std::uint64_t end) const noexcept;

  std::span<const std::byte> bytes_;
};

}  // namespace numpact

#endif
