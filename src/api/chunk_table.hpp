// SPDX-License-Identifier: Apache-2.0
// The contents of a ChunkIndex. For files of very many tiny chunks (of at least 9 bytes) it must
// not exceed twice the chunks' size.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "base/exceptions.hpp"
#include "base/internal.hpp"
#include "base/mutex.hpp"
#include "numpact/random_access.hpp"
#include "pco/trailer/layout.hpp"

namespace numpact {

// The positions of chunks in file order: 16 bytes each, plus half a byte for the cumulative count
// of every 16th chunk.
class ChunkPlaces {
 public:
  std::size_t size() const { return records_.size(); }
  bool empty() const { return records_.empty(); }
  std::uint64_t count() const { return count_; }  // of all numbers

  // Appends a chunk of 1 to 2^24 numbers. page_offset - offset must be below 2^32.
  void add(std::uint64_t offset, std::uint64_t page_offset, std::uint64_t count) {
    if (records_.size() % kStep == 0) firsts_.push_back(count_);
    records_.push_back({offset, static_cast<std::uint32_t>(count),
                        static_cast<std::uint32_t>(page_offset - offset)});
    count_ += count;
  }

  // Maximum bytes allocated by add() of `n` more chunks: lists grow by doubling, and the index of
  // the deque does.
  std::uint64_t next_bytes(std::uint64_t n) const {
    return 2 * n * sizeof(Record) + (records_.size() + n) + kListBytes;
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
  static constexpr std::size_t kListBytes = 4096;  // of short lists

  std::deque<Record> records_;  // grows without copying
  std::vector<std::uint64_t> firsts_;
  std::uint64_t count_ = 0;
};

// A list created at the first request. Thread-safe.
template <class T>
class LazyList {
 public:
  // Empty if memory does not suffice. `make` returns a vector.
  template <class Make>
  std::span<const T> get(const Make& make) const noexcept {
    NUMPACT_TRY_BLOCK {
      const Lock lock(mutex_);
      if (!list_) list_ = make();
      return *list_;
    }
    NUMPACT_CATCH_ALL { return {}; }
  }

 private:
  mutable Mutex mutex_;
  mutable std::optional<std::vector<T>> list_;
};

struct ChunkIndex::Table {
  std::optional<NumberType> type;
  ChunkPlaces chunks;
  LazyList<IndexedChunk> list;

  // From a trailer:
  bool is_from_trailer = false;
  std::vector<std::uint32_t> crcs;
  std::uint64_t end = 0;  // of the last chunk; others end where the next begins
  std::optional<unsigned> restart_log;
  std::vector<std::byte> point_bytes;
  std::vector<trailer::ChunkPoints> points;  // per chunk, views into point_bytes of `whole`
  std::shared_ptr<const Table> whole;        // of which this is a slice; null: its own

  std::uint64_t end_of(std::size_t chunk) const {
    return chunk + 1 < chunks.size() ? chunks.offset(chunk + 1) : end;
  }
  // The last restart point of a chunk at or before a number, as its index plus 1; 0: none.
  std::size_t point_before(std::size_t chunk, std::uint64_t number) const {
    if (points.empty() || !restart_log) return 0;
    const auto passed = static_cast<std::size_t>(number >> *restart_log);
    return passed < points[chunk].count() ? passed : points[chunk].count();
  }
};

namespace detail {

// Creates indices for functions outside ChunkIndex.
struct ChunkIndexAccess {
  static ChunkIndex index_of(std::shared_ptr<const ChunkIndex::Table> table);
  static std::shared_ptr<const ChunkIndex::Table> shared_table_of(const ChunkIndex& index) {
    return index.table_;
  }
  // Returns the table of a nonempty index.
  static const ChunkIndex::Table& table_of(const ChunkIndex& index) { return *index.table_; }
};

}  // namespace detail

// The chunks `first` to end - 1 of a table from a trailer, as if the first one began at byte 0.
std::shared_ptr<const ChunkIndex::Table> slice_of(std::shared_ptr<const ChunkIndex::Table> whole,
                                                  std::size_t first, std::size_t end);

// Copies the contents of an intact trailer.
Status index_of(const trailer::View& view, std::shared_ptr<const ChunkIndex::Table>& table);

}  // namespace numpact
