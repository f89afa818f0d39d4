// SPDX-License-Identifier: Apache-2.0
// Pieces of a file that is not in memory: its header, records of chunks, rows of columns.
#ifndef NUMPACT_CVC_FILE_LOADER_HPP
#define NUMPACT_CVC_FILE_LOADER_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cvc/file/records.hpp"
#include "numpact/config.hpp"
#include "numpact/cvc/read_config.hpp"
#include "numpact/range_source.hpp"

namespace numpact::cvc {

// Memory that is used again; what was in it is lost when more is asked for.
class Buffer {
 public:
  std::span<std::byte> get(std::size_t bytes);

 private:
  std::unique_ptr<std::byte[]> data_;
  std::size_t capacity_ = 0;
};

class Loader {
 public:
  // Must outlive this object.
  explicit Loader(RangeSource& source) : source_(source), size_(source.size()) {}

  std::uint64_t size() const { return size_; }
  // Fills `out`; kTruncated where the file ends before.
  Status read(std::uint64_t offset, std::span<std::byte> out) const;

  // Header and places of records. Takes memory for no more than twice what has arrived.
  Status read_info(const DecodeLimits& limits, Info& info) const;

  // The record of a chunk, in the buffer.
  Status read_record(const Info& info, std::size_t chunk, Buffer& buffer,
                     std::span<const std::byte>& record) const;
  // The bytes of rows of a chunk in each column, by as few reads as make sense, in the buffer.
  Status read_rows(const Info& info, std::size_t chunk, const RowRange& rows,
                   std::span<const std::size_t> columns, Buffer& buffer,
                   std::vector<Window>& windows) const;

 private:
  Status read_some(std::uint64_t offset, std::span<std::byte> out, std::size_t& got) const;
  Status read_header(const DecodeLimits& limits, Info& info) const;
  Status place_records(Info& info) const;

  RangeSource& source_;
  std::uint64_t size_;
};

// Bytes of a row's codes in a slice whose rows can be cut out of it. None: the slice is needed as a
// whole.
std::optional<std::uint64_t> lone_row_bytes(const Info& info, std::size_t chunk,
                                            std::size_t column);

// Bytes that nobody asked for are read along where they are fewer, rather than by another request.
inline constexpr std::uint64_t kNearBytes = std::uint64_t{1} << 16;

}  // namespace numpact::cvc

#endif
