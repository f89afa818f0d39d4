// SPDX-License-Identifier: Apache-2.0
// Random access to bytes on disk, in an object store or behind a server.
#ifndef NUMPACT_RANGE_SOURCE_HPP
#define NUMPACT_RANGE_SOURCE_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "numpact/error.hpp"

namespace numpact {

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
};

// A file on disk, read without mapping: truncation by others is an error, not a crash.
class NUMPACT_API FileRangeSource final : public RangeSource {
 public:
  // kIo, with the system's error, if it is not a regular file or cannot be opened.
  static Result<FileRangeSource> open(const std::string& path) noexcept;
  ~FileRangeSource() override;
  FileRangeSource(FileRangeSource&& other) noexcept;
  FileRangeSource& operator=(FileRangeSource&&) = delete;
  std::uint64_t size() const noexcept override { return size_; }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) override;

 private:
  FileRangeSource(int descriptor, std::uint64_t size) : descriptor_(descriptor), size_(size) {}

  int descriptor_;  // -1 after a move
  std::uint64_t size_;
};

}  // namespace numpact

#endif
