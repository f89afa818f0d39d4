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
  // Reads 1 to out.size() bytes at `offset` into `out` and sets `got`; 0 only if the file ends at
  // or before `offset`.
  virtual Status read_at(std::uint64_t offset, std::span<std::byte> out, std::size_t& got) = 0;
};

// A file on disk, read without mapping: truncation by others is an error, not a crash. The
// constructor throws Error (kIo) with the system's reason if the file cannot be opened.
class NUMPACT_API FileRangeSource final : public RangeSource {
 public:
  explicit FileRangeSource(const std::string& path);
  ~FileRangeSource() override;
  FileRangeSource(const FileRangeSource&) = delete;
  FileRangeSource& operator=(const FileRangeSource&) = delete;
  std::uint64_t size() const noexcept override { return size_; }
  Status read_at(std::uint64_t offset, std::span<std::byte> out, std::size_t& got) override;

 private:
  int descriptor_;
  std::uint64_t size_ = 0;
};

}  // namespace numpact

#endif
