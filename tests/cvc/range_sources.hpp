// SPDX-License-Identifier: Apache-2.0
// A source of ranges in memory that records all reads and can be made to fail.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "numpact/file_access.hpp"
#include "support/bytes.hpp"

namespace numpact::testing {

class RecordingSource final : public RangeSource {
 public:
  struct Read {
    std::uint64_t offset;
    std::size_t bytes;
    friend bool operator==(const Read&, const Read&) = default;
  };

  // The bytes must outlive this object.
  explicit RecordingSource(ByteSpan bytes) : bytes_(bytes), claimed(bytes.size()) {}

  std::uint64_t size() const noexcept override { return claimed; }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) override {
    const std::lock_guard lock(mutex_);
    reads.push_back({offset, out.size()});
    if (fails_from && offset + out.size() > *fails_from) {
      if (throws) throw 1;
      return Status(ErrorKind::kIo, "the wire was cut");
    }
    const std::uint64_t start = std::min<std::uint64_t>(offset, bytes_.size());
    const std::size_t got =
        std::min({out.size(), bytes_.size() - static_cast<std::size_t>(start), max_read_bytes});
    std::copy_n(bytes_.data() + start, got, out.data());
    return got;
  }

  // The recorded ranges, sorted by offset.
  std::vector<Read> sorted_reads() const {
    std::vector<Read> result = reads;
    std::sort(result.begin(), result.end(),
              [](const Read& a, const Read& b) { return a.offset < b.offset; });
    return result;
  }
  std::uint64_t bytes_read() const {
    std::uint64_t total = 0;
    for (const Read& read : reads) total += read.bytes;
    return total;
  }

 private:
  std::mutex mutex_;
  ByteSpan bytes_;

 public:
  std::vector<Read> reads;
  std::uint64_t claimed;                    // the size that the source claims
  std::size_t max_read_bytes = SIZE_MAX;    // maximum bytes that a read returns
  std::optional<std::uint64_t> fails_from;  // reads past this offset fail
  bool throws = false;                      // failures are exceptions instead of a Status
};

}  // namespace numpact::testing
