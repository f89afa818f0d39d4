// SPDX-License-Identifier: Apache-2.0
// Location of the records of chunks. A record is a length, a checksum and a payload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/internal.hpp"
#include "cvc/compression/codec.hpp"
#include "numpact/cvc/types.hpp"
#include "numpact/error.hpp"

namespace numpact::cvc::internal {

struct Record {
  std::span<const std::byte> payload;
  std::uint32_t crc = 0;     // the stored checksum; 0 in files without checksums
  std::uint64_t offset = 0;  // offset of the payload in the file, for errors
};

// Encoded rows of one column of a chunk, which can be decoded as if they were a whole slice.
struct Window {
  std::span<const std::byte> bytes;
  std::uint64_t offset = 0;  // offset of the bytes in the file
  RowRange rows;             // counted from the chunk's first row
};

class Loader;

// One of the files whose rows are read as those of one file.
struct JoinedFile {
  std::size_t first_chunk = 0;
  std::span<const std::byte> bytes;
};

// The records of a file. They are in one of five places: in the bytes of the whole file, in those
// of several files, in the bytes of a single record, in a window of a record, or behind a loader.
class Records {
 public:
  // All arguments are referred to and must outlive this object.
  Records(const Info& info, std::span<const std::byte> file) : info_(info), bytes_(file) {}
  // Files in the order of their chunks, the first of which has index 0.
  Records(const Info& info, std::span<const JoinedFile> files) : info_(info), files_(files) {}
  Records(const Info& info, std::size_t chunk, std::span<const std::byte> record)
      : info_(info), bytes_(record), only_(chunk) {}
  // Rows count from the first row of the window. There is no checksum.
  Records(const Info& info, const Window& window) : info_(info), window_(&window) {}
  // open() must not be called.
  Records(const Info& info, const Loader& loader) : info_(info), loader_(&loader) {}

  const Info& info() const { return info_; }
  // Null if the bytes are in memory.
  const Loader* loader() const { return loader_; }

  // Finds a record and checks its length, also against the header if that has one.
  Status open(std::size_t chunk, Record& record) const;
  // Combines the header's and the record's facts about a column's values.
  Encoded encoded(std::size_t chunk, std::size_t column, const Record& record) const;

 private:
  static constexpr std::size_t kAll = ~std::size_t{0};

  std::span<const std::byte> bytes_of(std::size_t chunk) const;

  const Info& info_;
  std::span<const std::byte> bytes_;
  std::span<const JoinedFile> files_;
  std::size_t only_ = kAll;
  const Window* window_ = nullptr;
  const Loader* loader_ = nullptr;
};

// Visits every record of a file, and sets the offsets and sizes that the header lacks.
Status find_records(std::span<const std::byte> file, Info& info);
// The same, with a function that returns the payload length of a chunk, or an error if the record
// is not inside the file. The offset of the chunk is set when it is called.
using LengthOf = std::function<Status(std::size_t chunk, std::uint64_t& length)>;
Status place_records(Info& info, const LengthOf& length_of);

}  // namespace numpact::cvc::internal
