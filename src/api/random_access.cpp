// SPDX-License-Identifier: Apache-2.0
#include "numpact/random_access.hpp"
#include "base/internal.hpp"
#include "base/size.hpp"

#include <algorithm>
#include <utility>

#include "api/chunk_table.hpp"
#include "api/context.hpp"
#include "api/decode_checks.hpp"
#include "api/file_end.hpp"
#include "api/parallel_part.hpp"
#include "api/range_read.hpp"
#include "api/trailer_use.hpp"
#include "base/guard.hpp"
#include "base/try.hpp"
#include "numpact/trailer.hpp"
#include "pco/limits.hpp"
#include "pco/standalone/file_walker.hpp"

namespace numpact {

using standalone::FileWalker;

namespace {

Status index_mismatch() {
  return Status(ErrorKind::kInvalidArgument, "the index does not fit the file");
}

Status inconsistent_index() {
  return Status(ErrorKind::kInvalidArgument, "the chunks of the index contradict each other");
}

Status walk(std::span<const std::byte> file, std::optional<NumberType>& type, ChunkPlaces& chunks,
            const DecodeConfig& config, DecodeContext* context) {
  ScratchArena arena(context, config.limits.max_memory);
  NUMPACT_TRY(arena.status());
  ParallelPart parallel(file, config, context, *arena);
  FileWalker walker(file, *arena);
  NUMPACT_TRY(walker.read_header());
  type = walker.header().uniform_type;
  parallel.start(walker, std::nullopt);
  std::uint64_t count = 0;
  while (true) {
    const Status ahead = parallel.advance(walker, nullptr, count);
    NUMPACT_TRY(ensure_memory(chunks.next_bytes(1 + parallel.chunks().size())));
    for (const standalone::ChunkLocation& chunk : parallel.chunks()) {
      chunks.add(chunk.offset, chunk.page_offset, chunk.n);
    }
    NUMPACT_TRY(ahead);
    bool is_end = false;
    NUMPACT_TRY(walker.enter_chunk(is_end));
    if (is_end) break;
    const standalone::ChunkHead& head = walker.head();
    NUMPACT_TRY(
        check_limits(config.limits, count + head.n, head.type).at_chunk(walker.chunk_index()));
    std::array<PageVariableSizes, kVariables> sizes{};
    NUMPACT_TRY(walker.skip(sizes));
    NUMPACT_TRY(walker.leave_chunk());
    chunks.add(walker.chunk_offset(), walker.page_offset(), head.n);
    count += head.n;
    parallel.passed_in_order(head.n);
    NUMPACT_TRY(report_progress(config.progress, {count, walker.offset()}));
  }
  note_end(config, file, walker.offset());
  if (!chunks.empty()) type = static_cast<NumberType>(file[to_size(chunks.offset(0))]);
  return {};
}

#ifndef NUMPACT_NO_EXCEPTIONS
bool is_memory_error(const Status& status) {
  return status.kind() == ErrorKind::kLimitExceeded || status.kind() == ErrorKind::kOutOfMemory;
}
#endif

}  // namespace

Result<ChunkIndex> ChunkIndex::build(std::span<const std::byte> file, const DecodeConfig& config,
                                     DecodeContext* context) noexcept {
  return guarded_value<ChunkIndex>([&](ChunkIndex& index) -> Status {
    std::optional<trailer::View> view;
    NUMPACT_TRY(find_trailer(file, config.trailer, view));
    if (view) {
      if (view->front.type) {
        NUMPACT_TRY(check_limits(config.limits, view->front.number_n, *view->front.type));
      }
      NUMPACT_TRY(verify_if_asked(file, config, context));
      NUMPACT_TRY(index_of(*view, index.table_));
      note_end(config, file, view->file_bytes);
      return {};
    }
    auto table = std::make_shared<Table>();
    NUMPACT_TRY(walk(file, table->type, table->chunks, config, context));
    index.table_ = std::move(table);
    return {};
  });
}

Result<ChunkIndex> ChunkIndex::from_chunks(std::optional<NumberType> type,
                                           std::vector<IndexedChunk> chunks) noexcept {
  ChunkIndex index;
  const Status status = guarded([&]() -> Status {
    if (type && !is_number_type(static_cast<std::uint8_t>(*type))) return inconsistent_index();
    if (!type && !chunks.empty()) return inconsistent_index();
    std::uint64_t first = 0;
    std::uint64_t offset = 0;
    for (const IndexedChunk& chunk : chunks) {
      if (chunk.first != first || chunk.count == 0 || chunk.count > kMaxChunkN) {
        return inconsistent_index();
      }
      if (chunk.offset < offset || chunk.page_offset <= chunk.offset ||
          chunk.page_offset - chunk.offset > UINT32_MAX) {
        return inconsistent_index();
      }
      first += chunk.count;
      offset = chunk.page_offset;
    }
    auto table = std::make_shared<Table>();
    table->type = type;
    for (const IndexedChunk& chunk : chunks) {
      table->chunks.add(chunk.offset, chunk.page_offset, chunk.count);
    }
    index.table_ = std::move(table);
    return {};
  });
  if (!status.ok()) return status;
  return index;
}

std::optional<NumberType> ChunkIndex::type() const noexcept {
  return table_ != nullptr ? table_->type : std::nullopt;
}

std::uint64_t ChunkIndex::count() const noexcept {
  return table_ != nullptr ? table_->chunks.count() : 0;
}

std::size_t ChunkIndex::chunk_count() const noexcept {
  return table_ != nullptr ? table_->chunks.size() : 0;
}

IndexedChunk ChunkIndex::chunk(std::size_t index) const noexcept {
  return index < chunk_count() ? table_->chunks[index] : IndexedChunk();
}

std::span<const IndexedChunk> ChunkIndex::chunks() const noexcept {
  if (table_ == nullptr) return {};
  return table_->list.get([&] { return table_->chunks.listed(); });
}

std::size_t ChunkIndex::chunk_of(std::uint64_t number) const noexcept {
  return chunk_count() == 0 ? 0 : table_->chunks.find(number);
}

Result<FileReader> FileReader::create(std::span<const std::byte> file, ChunkIndex index) noexcept {
  FileHeader header;
  const Status status = read_header(file).into(header);
  if (!status.ok()) return status;
  return create(file, std::move(index), header);
}

Result<FileReader> FileReader::create(std::span<const std::byte> file, ChunkIndex index,
                                      const FileHeader& header) noexcept {
  const std::size_t chunk_n = index.chunk_count();
  if (header.uniform_type && index.type() && header.uniform_type != index.type())
    return index_mismatch();
  if (chunk_n > 0) {
    if (index.chunk(0).offset != header.size_bytes) return index_mismatch();
    if (index.chunk(chunk_n - 1).page_offset > file.size()) return index_mismatch();
  }
  return FileReader(file, header, std::move(index));
}

Result<FileReader> FileReader::create(std::span<const std::byte> file, const DecodeConfig& config,
                                      DecodeContext* context) noexcept {
  ChunkIndex index;
  NUMPACT_TRY(ChunkIndex::build(file, config, context).into(index));
  return create(file, std::move(index));
}

Status FileReader::check_range(std::uint64_t first, std::uint64_t count,
                               NumberType number_type) const noexcept {
  NUMPACT_TRY(check_number_type(number_type));
  if (type() && *type() != number_type) {
    return Status(ErrorKind::kTypeMismatch, "the file holds numbers of another type");
  }
  const std::uint64_t all = this->count();
  if (first > all || count > all - first) {
    return Status(ErrorKind::kInvalidArgument, "the range goes past the end of the file");
  }
  if (count > numbers_in(SIZE_MAX, number_type)) {
    return Status(ErrorKind::kOutOfMemory, "the output is larger than memory can be");
  }
  return {};
}

Status FileReader::read(std::uint64_t first, const MutableNumberView& out,
                        const DecodeConfig& config, DecodeContext* context) const noexcept {
  return guarded([&]() -> Status {
    NUMPACT_TRY(check_view(out));
    NUMPACT_TRY(check_range(first, out.count, out.type));
    NUMPACT_TRY(check_limits(config.limits, out.count, out.type));
    if (out.count == 0) return {};
    ScratchArena arena(context, config.limits.max_memory);
    NUMPACT_TRY(arena.status());
    RangeRead read(file_, header_, *index_.table_, index_.chunk_of(first), first, out, config);
#ifndef NUMPACT_NO_EXCEPTIONS  // else all work is done on the calling thread
    if (WorkerPool::are_requested(config) && read.split_for_tasks() > 1) {
      std::optional<WorkerPool> own;
      WorkerPool& worker_pool = worker_pool_of(context, own);
      const standalone::TaskGroup group = worker_pool.group(config);
      if (group.executor != nullptr) {
        worker_pool.share_memory(config.limits.max_memory, (*arena).capacity());
        const Status status = read.in_parallel(group);
        worker_pool.give_memory_back(config.limits.max_memory);
        // Memory that is insufficient for several tasks may suffice for one.
        if (!is_memory_error(status)) return status;
      }
    }
#endif
    return read.in_order(*arena);
  });
}

}  // namespace numpact
