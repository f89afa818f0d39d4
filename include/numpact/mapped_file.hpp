// SPDX-License-Identifier: Apache-2.0
// Memory-mapped files.
#ifndef NUMPACT_MAPPED_FILE_HPP
#define NUMPACT_MAPPED_FILE_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "numpact/config.hpp"
#include "numpact/error.hpp"

namespace numpact {

// A read-only mapping that lives as long as the object. Its bytes may be read concurrently.
//
// The file must not be truncated meanwhile: reading past its new end raises SIGBUS. Read files that
// may change through a ByteSource. Replacing a file by a rename, as numpact does, does not affect
// the mapping.
class NUMPACT_API MappedFile {
 public:
  // kIo, with the system's error: the file cannot be opened, is a folder or pipe, or cannot be
  // mapped.
  static Result<MappedFile> open(const std::string& path) noexcept;
  // Empty.
  MappedFile() noexcept = default;
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  // The whole file; the address does not change when the object is moved.
  std::span<const std::byte> bytes() const noexcept { return bytes_; }

  // Releases the physical memory of the first `size` bytes after sequential reading. They can still
  // be read, also concurrently, and are then reloaded from the file.
  void release_first(std::uint64_t size) const noexcept;
  // A progress callback for configs that releases what a call has passed. This object must not be
  // moved meanwhile.
  ProgressCallback releasing() const;

 private:
  // Releases the whole pages in the range.
  void release(std::uint64_t begin, std::uint64_t end) const noexcept;

  std::span<const std::byte> bytes_;
};

}  // namespace numpact

#endif
