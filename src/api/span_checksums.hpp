// SPDX-License-Identifier: Apache-2.0
// Checksums of a stream's parts, to be held against a trailer that comes after them.
#ifndef NUMPACT_API_SPAN_CHECKSUMS_HPP
#define NUMPACT_API_SPAN_CHECKSUMS_HPP

#include <memory_resource>
#include <vector>

#include "pco/trailer/layout.hpp"

namespace numpact {

// Each part is some chunks in a row, which end where one of the trailer's does.
class SpanChecksums {
 public:
  explicit SpanChecksums(std::pmr::memory_resource* memory) : spans_(memory) {}

  // The next part, up to `end` of the file. Parts are put together two by two once there are many,
  // so that memory stays bounded.
  void add(std::uint64_t begin, std::uint64_t end, std::uint32_t crc);

  // kChecksum names the first chunk of the part that differs; kCorrupt where the trailer's chunks
  // do not end with the parts.
  Status compare(const trailer::View& view) const;

 private:
  struct Span {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint32_t crc = 0;
  };
  static constexpr std::size_t kMostSpans = std::size_t{1} << 16;

  void halve();

  std::pmr::vector<Span> spans_;
};

}  // namespace numpact

#endif
