// SPDX-License-Identifier: Apache-2.0
// Checksums of the parts of a stream, compared later with the trailer that follows them.
#pragma once

#include <memory_resource>
#include <vector>

#include "base/internal.hpp"
#include "pco/trailer/layout.hpp"

namespace numpact {

// Each part consists of consecutive chunks and ends where a chunk of the trailer ends.
class SpanChecksums {
 public:
  explicit SpanChecksums(std::pmr::memory_resource* memory) : spans_(memory) {}

  struct Span {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t numbers = 0;
    std::uint32_t crc = 0;
  };

  // Adds the next part. If there are many, adjacent parts are merged in pairs to bound memory.
  void add(const Span& span);

  // kChecksum, with the first chunk of the part that differs; kCorrupt if a part does not end with
  // a chunk of the trailer, or has another count of numbers than its chunks there.
  Status compare(const trailer::View& view) const;

 private:
  static constexpr std::size_t kMaxSpans = std::size_t{1} << 16;

  void merge_pairs();

  std::pmr::vector<Span> spans_;
};

}  // namespace numpact
