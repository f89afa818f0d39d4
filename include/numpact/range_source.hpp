// SPDX-License-Identifier: Apache-2.0
// Files of which any range of bytes can be had: on disk, in an object store, behind a server.
#ifndef NUMPACT_RANGE_SOURCE_HPP
#define NUMPACT_RANGE_SOURCE_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "numpact/error.hpp"

namespace numpact {

// Where ranges of bytes come from. Threads call it at the same time. Implementations may block;
// they report failure as a Status (kIo).
class NUMPACT_API RangeSource {
 public:
  static constexpr std::uint64_t kUnknownSize = ~std::uint64_t{0};

  virtual ~RangeSource();
  // Of the file, in bytes; always the same. Or kUnknownSize.
  virtual std::uint64_t size() const noexcept = 0;
  // Reads at least one and at most out.size() bytes from `offset` on into `out`, sets `got`; 0 only
  // where the file ends at or before `offset`.
  virtual Status read_at(std::uint64_t offset, std::span<std::byte> out, std::size_t& got) = 0;
};

// A file on disk, read by its descriptor and not mapped: one that is cut short meanwhile is an
// error and no more. kIo with the system's reason in Error's message where it cannot be opened.
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
