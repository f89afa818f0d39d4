// SPDX-License-Identifier: Apache-2.0
// Reads parts of a file that is not in memory: its header, records of chunks, rows of columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/internal.hpp"
#include "cvc/file/records.hpp"
#include "numpact/config.hpp"
#include "numpact/cvc/config.hpp"
#include "numpact/file_access.hpp"

namespace numpact::cvc::internal {

// Reusable memory. get() returns uninitialised or old bytes; asking for more than the capacity
// discards the contents.
class Buffer {
 public:
  std::span<std::byte> get(std::size_t bytes);

 private:
  std::unique_ptr<std::byte[]> data_;
  std::size_t capacity_ = 0;
};

class Loader {
 public:
  // The source must outlive this object.
  explicit Loader(RangeSource& source) : source_(source), size_(source.size()) {}

  std::uint64_t size() const { return size_; }
  // Fills `out`; kTruncated if the file ends before.
  Status read(std::uint64_t offset, std::span<std::byte> out) const;

  // Reads the header and the offsets of records. Memory for the header stays below twice the bytes
  // that have arrived, so that a forged length cannot allocate more.
  Status read_info(const DecodeLimits& limits, Info& info) const;

  // Reads the record of a chunk into the buffer; `record` refers to it.
  Status read_record(const Info& info, std::size_t chunk, Buffer& buffer,
                     std::span<const std::byte>& record) const;
  // Reads the bytes of rows of a chunk in each column into the buffer. Ranges of the file that are
  // near each other (kMaxGapBytes) are read together. `windows` gets one entry for each column.
  Status read_rows(const Info& info, std::size_t chunk, const RowRange& rows,
                   std::span<const std::size_t> columns, Buffer& buffer,
                   std::vector<Window>& windows) const;

 private:
  Status read_once(std::uint64_t offset, std::span<std::byte> out, std::size_t& got) const;
  Status read_some(std::uint64_t offset, std::span<std::byte> out, std::size_t& got) const;
  Status read_header(const DecodeLimits& limits, Info& info) const;
  Status place_records(Info& info) const;

  RangeSource& source_;
  std::uint64_t size_;
};

// Bytes of a row's codes in a slice whose rows can be read separately. Empty if the slice can only
// be read whole.
std::optional<std::uint64_t> separable_row_bytes(const Info& info, std::size_t chunk,
                                                 std::size_t column);

// Gaps between requested bytes up to this size are read along, because another request to the
// source costs more than their transfer. A larger value reads more unused bytes; a smaller one
// makes more requests.
inline constexpr std::uint64_t kMaxGapBytes = std::uint64_t{1} << 16;

}  // namespace numpact::cvc::internal
