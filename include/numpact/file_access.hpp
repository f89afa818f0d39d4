// SPDX-License-Identifier: Apache-2.0
// Reads files on disk by mapping, or ranges of any source. Paths are UTF-8, on Windows too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "numpact/config.hpp"
#include "numpact/error.hpp"

namespace numpact {

// A read-only mapping, as long as the object lives; may be read concurrently. The file must not be
// truncated: reading past its new end raises SIGBUS. It may be replaced by a rename.
class NUMPACT_API MappedFile {
 public:
  // kIo, with the system's error: the file cannot be opened or mapped, or is a folder or pipe.
  static Result<MappedFile> open(const std::string& path) noexcept;
  MappedFile() noexcept = default;  // empty
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
  void release(std::uint64_t begin, std::uint64_t end) const noexcept;

  std::span<const std::byte> bytes_;
};

// A file of which any byte range can be read. Called concurrently. May block; reports failure as a
// Status (kIo).
class NUMPACT_API RangeSource {
 public:
  static constexpr std::uint64_t kUnknownSize = ~std::uint64_t{0};

  virtual ~RangeSource();
  // Size of the file in bytes, constant; or kUnknownSize.
  virtual std::uint64_t size() const noexcept = 0;
  // Reads 1 to out.size() bytes at `offset` into `out` and returns their count; 0 only if the file
  // ends at or before `offset`.
  virtual Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) = 0;
  // The whole file, if it is in memory as long as the object lives: then nothing is copied.
  virtual std::optional<std::span<const std::byte>> bytes() const noexcept;
};

// A file on disk, read without mapping: truncation by others is an error, not a crash.
class NUMPACT_API FileRangeSource final : public RangeSource {
 public:
  // kIo, with the system's error, if it is not a regular file or cannot be opened.
  static Result<FileRangeSource> open(const std::string& path) noexcept;
  ~FileRangeSource() override;
  FileRangeSource(FileRangeSource&& other) noexcept;
  std::uint64_t size() const noexcept override { return size_; }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) override;

 private:
  FileRangeSource(int descriptor, std::uint64_t size) : descriptor_(descriptor), size_(size) {}

  int descriptor_;  // -1 after a move
  std::uint64_t size_;
};

}  // namespace numpact
