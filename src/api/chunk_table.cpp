// SPDX-License-Identifier: Apache-2.0
#include "api/chunk_table.hpp"

#include <algorithm>
#include <utility>

#include "base/internal.hpp"
#include "base/try.hpp"

namespace numpact {

std::size_t ChunkPlaces::find(std::uint64_t number) const {
  const auto behind = std::upper_bound(firsts_.begin(), firsts_.end(), number);
  if (behind == firsts_.begin()) return 0;
  const auto step = static_cast<std::size_t>(behind - firsts_.begin()) - 1;
  std::size_t chunk = step * kStep;
  std::uint64_t end = firsts_[step] + records_[chunk].count;
  while (end <= number && chunk + 1 < records_.size()) end += records_[++chunk].count;
  return chunk;
}

std::vector<IndexedChunk> ChunkPlaces::listed() const {
  std::vector<IndexedChunk> list;
  list.reserve(size());
  std::uint64_t first = 0;
  for (const Record& record : records_) {
    list.push_back({record.offset, record.offset + record.page_at, first, record.count});
    first += record.count;
  }
  return list;
}

namespace {

Status take_points(const trailer::View& view, ChunkIndex::Table& table) {
  table.restart_log = view.front.restart_log;
  if (!table.restart_log) return {};
  table.point_bytes.assign(view.points.begin(), view.points.end());
  trailer::View own = view;
  own.points = table.point_bytes;
  trailer::PointsWalker walker(own);
  table.points.resize(table.chunks.size());
  for (std::size_t i = 0; i < table.chunks.size(); ++i) {
    NUMPACT_TRY(walker.next(view.record(i).n, table.points[i]));
  }
  return {};
}

}  // namespace

ChunkIndex detail::ChunkIndexAccess::index_of(std::shared_ptr<const ChunkIndex::Table> table) {
  ChunkIndex index;
  index.table_ = std::move(table);
  return index;
}

std::shared_ptr<const ChunkIndex::Table> slice_of(std::shared_ptr<const ChunkIndex::Table> whole,
                                                  std::size_t first, std::size_t end) {
  const auto made = std::make_shared<ChunkIndex::Table>();
  const std::uint64_t base = whole->chunks.offset(first);
  made->type = whole->type;
  made->is_from_trailer = true;
  for (std::size_t i = first; i < end; ++i) {
    const IndexedChunk chunk = whole->chunks[i];
    made->chunks.add(chunk.offset - base, chunk.page_offset - base, chunk.count);
    made->crcs.push_back(whole->crcs[i]);
    if (!whole->points.empty()) made->points.push_back(whole->points[i]);
  }
  made->end = whole->end_of(end - 1) - base;
  made->restart_log = whole->restart_log;
  made->whole = std::move(whole);
  return made;
}

Status index_of(const trailer::View& view, std::shared_ptr<const ChunkIndex::Table>& table) {
  const std::uint64_t each = sizeof(std::uint32_t) + sizeof(trailer::ChunkPoints);
  NUMPACT_TRY(ensure_memory(ChunkPlaces().next_bytes(view.front.chunk_n) +
                            view.front.chunk_n * each + view.points.size()));
  const auto made = std::make_shared<ChunkIndex::Table>();
  const auto chunk_n = static_cast<std::size_t>(view.front.chunk_n);
  made->type = view.front.type;
  made->is_from_trailer = true;
  made->end = view.file_bytes - 1;
  made->crcs.reserve(chunk_n);
  for (std::size_t i = 0; i < chunk_n; ++i) {
    const trailer::ChunkRecord record = view.record(i);
    made->chunks.add(record.offset, record.offset + record.page_at, record.n);
    made->crcs.push_back(record.crc);
  }
  NUMPACT_TRY(take_points(view, *made));
  table = made;
  return {};
}

}  // namespace numpact
