// SPDX-License-Identifier: Apache-2.0
// What a ChunkIndex knows. Files of very many tiny chunks must not make it larger than twice what
// the chunks take in the file, the smallest of which have 9 bytes.
#ifndef NUMPACT_API_CHUNK_TABLE_HPP
#define NUMPACT_API_CHUNK_TABLE_HPP

#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "numpact/random_access.hpp"
#include "pco/trailer/layout.hpp"

namespace numpact {

// The places of chunks in the order of the file, 16 bytes each and half a byte for where the
// numbers of every 16th begin.
class ChunkPlaces {
 public:
  std::size_t size() const { return records_.size(); }
  bool empty() const { return records_.empty(); }
  std::uint64_t count() const { return count_; }  // of all numbers

  // The next one, of 1 to 2^24 numbers. page_offset - offset must be less than 2^32.
  void add(std::uint64_t offset, std::uint64_t page_offset, std::uint64_t count) {
    if (records_.size() % kStep == 0) firsts_.push_back(count_);
    records_.push_back({offset, static_cast<std::uint32_t>(count),
                        static_cast<std::uint32_t>(page_offset - offset)});
    count_ += count;
  }

  std::uint64_t offset(std::size_t chunk) const { return records_[chunk].offset; }
  IndexedChunk operator[](std::size_t chunk) const {
    std::uint64_t first = firsts_[chunk / kStep];
    for (std::size_t i = chunk / kStep * kStep; i < chunk; ++i) first += records_[i].count;
    const Record& record = records_[chunk];
    return {record.offset, record.offset + record.page_at, first, record.count};
  }

  // The chunk that holds a number below count().
  std::size_t find(std::uint64_t number) const;
  std::vector<IndexedChunk> listed() const;

 private:
  struct Record {
    std::uint64_t offset;
    std::uint32_t count;
    std::uint32_t page_at;  // bytes from the offset to the page
  };
  static constexpr std::size_t kStep = 16;

  std::deque<Record> records_;  // grows without a copy
  std::vector<std::uint64_t> firsts_;
  std::uint64_t count_ = 0;
};

// Made when it is first asked for. Threads may ask at the same time.
template <class T>
class LazyList {
 public:
  // Empty where memory does not suffice. `make` gives a vector.
  template <class Make>
  std::span<const T> get(const Make& make) const noexcept {
    try {
      const std::lock_guard lock(mutex_);
      if (!list_) list_ = make();
      return *list_;
    } catch (...) {
      return {};
    }
  }

 private:
  mutable std::mutex mutex_;
  mutable std::optional<std::vector<T>> list_;
};

struct ChunkIndex::Table {
  std::optional<NumberType> type;
  ChunkPlaces chunks;
  LazyList<IndexedChunk> list;

  // From a trailer:
  bool is_from_trailer = false;
  std::vector<std::uint32_t> crcs;
  std::uint64_t end = 0;  // of the last chunk; the others end where the next begins
  std::optional<unsigned> restart_log;
  std::vector<std::byte> point_bytes;
  std::vector<trailer::ChunkPoints> points;  // of each chunk, into point_bytes

  std::uint64_t end_of(std::size_t chunk) const {
    return chunk + 1 < chunks.size() ? chunks.offset(chunk + 1) : end;
  }
  // How many there are of a chunk, and which is the last of them at or before a number: 0 for none,
  // else the point's number plus 1.
  std::size_t point_before(std::size_t chunk, std::uint64_t number) const {
    if (points.empty() || !restart_log) return 0;
    const auto passed = static_cast<std::size_t>(number >> *restart_log);
    return passed < points[chunk].count() ? passed : points[chunk].count();
  }
};

namespace detail {

// For those that make an index in other ways than its own functions.
struct ChunkIndexAccess {
  static ChunkIndex index_of(std::shared_ptr<const ChunkIndex::Table> table);
};

}  // namespace detail

// What a sound trailer says, in memory of its own.
Status index_of(const trailer::View& view, std::shared_ptr<const ChunkIndex::Table>& table);

}  // namespace numpact

#endif
