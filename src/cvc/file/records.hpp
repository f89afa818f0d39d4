// SPDX-License-Identifier: Apache-2.0
// The records of chunks: length, checksum, payload.
#ifndef NUMPACT_CVC_FILE_RECORDS_HPP
#define NUMPACT_CVC_FILE_RECORDS_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "cvc/compression/codec.hpp"
#include "numpact/cvc/types.hpp"
#include "numpact/error.hpp"

namespace numpact::cvc {

struct Record {
  std::span<const std::byte> payload;
  std::uint32_t crc = 0;     // as stored
  std::uint64_t offset = 0;  // of the payload in the file, for errors
};

// Rows of a chunk's column as if they were all of it.
struct Window {
  std::span<const std::byte> bytes;
  std::uint64_t offset = 0;  // of the bytes in the file
  RowRange rows;             // of the chunk
};

class Loader;

// Where the records of a file are: all of them in its bytes; one of them by itself, or a part of
// it; or to be had from a loader.
class Records {
 public:
  // What is referred to must outlive this object.
  Records(const Info& info, std::span<const std::byte> file) : info_(info), bytes_(file) {}
  Records(const Info& info, std::size_t chunk, std::span<const std::byte> record)
      : info_(info), bytes_(record), only_(chunk) {}
  // Rows are counted from the first of the window. There is no checksum.
  Records(const Info& info, const Window& window) : info_(info), window_(&window) {}
  // Nothing can be opened here.
  Records(const Info& info, const Loader& loader) : info_(info), loader_(&loader) {}

  const Info& info() const { return info_; }
  // Null: the bytes are in memory.
  const Loader* loader() const { return loader_; }

  // Its length is that of the header, if that says one.
  Status open(std::size_t chunk, Record& record) const;
  // What the header and the record say of a column's values.
  Encoded encoded(std::size_t chunk, std::size_t column, const Record& record) const;

 private:
  static constexpr std::size_t kAll = ~std::size_t{0};

  const Info& info_;
  std::span<const std::byte> bytes_;
  std::size_t only_ = kAll;
  const Window* window_ = nullptr;
  const Loader* loader_ = nullptr;
};

// Looks at every record of a file; sets the places and sizes that the header does not tell.
Status find_records(std::span<const std::byte> file, Info& info);
// The same with payload lengths, and whether they are inside, told by the function. Chunks have
// their places when it is called.
using LengthOf = std::function<Status(std::size_t chunk, std::uint64_t& length)>;
Status place_records(Info& info, const LengthOf& length_of);

}  // namespace numpact::cvc

#endif
