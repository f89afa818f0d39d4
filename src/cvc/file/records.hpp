// SPDX-License-Identifier: Apache-2.0
// The records of chunks: length, checksum, payload.
#ifndef NUMPACT_CVC_FILE_RECORDS_HPP
#define NUMPACT_CVC_FILE_RECORDS_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include "cvc/codec/codec.hpp"
#include "numpact/cvc/types.hpp"
#include "numpact/error.hpp"

namespace numpact::cvc {

struct Record {
  std::span<const std::byte> payload;
  std::uint32_t crc = 0;     // as stored
  std::uint64_t offset = 0;  // of the payload in the file, for errors
};

// Where the records of a file are: all of them in its bytes, or one of them by itself.
class Records {
 public:
  // Both must outlive this object.
  Records(const Info& info, std::span<const std::byte> file) : info_(info), bytes_(file) {}
  Records(const Info& info, std::size_t chunk, std::span<const std::byte> record)
      : info_(info), bytes_(record), only_(chunk) {}

  const Info& info() const { return info_; }

  // Its length is that of the header, if that says one.
  Status open(std::size_t chunk, Record& record) const;
  // What the header and the record say of a column's values.
  Encoded encoded(std::size_t chunk, std::size_t column, const Record& record) const;

 private:
  static constexpr std::size_t kAll = ~std::size_t{0};

  const Info& info_;
  std::span<const std::byte> bytes_;
  std::size_t only_ = kAll;
};

// Looks at every record of a file; sets the places and sizes that the header does not tell.
Status find_records(std::span<const std::byte> file, Info& info);

}  // namespace numpact::cvc

#endif
