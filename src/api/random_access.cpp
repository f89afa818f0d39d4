// SPDX-License-Identifier: Apache-2.0
#include "numpact/random_access.hpp"
#include "base/size.hpp"

#include <algorithm>
#include <utility>

#include "api/context.hpp"
#include "api/decode_checks.hpp"
#include "api/parallel_part.hpp"
#include "api/range_read.hpp"
#include "api/trailer_use.hpp"
#include "base/guard.hpp"
#include "base/try.hpp"
#include "pco/limits.hpp"
#include "pco/standalone/file_walker.hpp"

namespace numpact {

using standalone::FileWalker;

namespace {

Status misfit() { return Status(ErrorKind::kInvalidArgument, "the index does not fit the file"); }

Status contradicts() {
  return Status(ErrorKind::kInvalidArgument, "the chunks of the index contradict each other");
}

void append(std::vector<IndexedChunk>& chunks, std::uint64_t offset, std::uint64_t page_offset,
            std::uint64_t count) {
  const std::uint64_t first = chunks.empty() ? 0 : chunks.back().first + chunks.back().count;
  chunks.push_back({offset, page_offset, first, count});
}

Status walk(std::span<const std::byte> file, std::optional<NumberType>& type,
            std::vector<IndexedChunk>& chunks, const DecodeConfig& config, DecodeContext* context) {
  ScratchArena arena(context, config.limits.max_memory);
  ParallelPart parallel(file, config, context, *arena);
  FileWalker walker(file, *arena);
  NUMPACT_TRY(walker.read_header());
  type = walker.header().uniform_type;
  parallel.start(walker, std::nullopt);
  std::uint64_t count = 0;
  while (true) {
    const Status ahead = parallel.advance(walker, nullptr, count);
    for (const standalone::ChunkPlace& chunk : parallel.chunks()) {
      append(chunks, chunk.offset, chunk.page_offset, chunk.n);
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
    append(chunks, walker.chunk_offset(), walker.page_offset(), head.n);
    count += head.n;
    parallel.passed_in_order(head.n);
    NUMPACT_TRY(report_progress(config.progress, {count, walker.offset()}));
  }
  if (!chunks.empty()) type = static_cast<NumberType>(file[to_size(chunks[0].offset)]);
  return {};
}

bool is_about_memory(const Status& status) {
  return status.kind() == ErrorKind::kLimitExceeded || status.kind() == ErrorKind::kOutOfMemory;
}

}  // namespace

Status ChunkIndex::try_build(std::span<const std::byte> file, ChunkIndex& index,
                             const DecodeConfig& config, DecodeContext* context) noexcept {
  index = {};
  return guarded([&]() -> Status {
    std::optional<Trailer> trailer;
    NUMPACT_TRY(find_trailer(file, config.trailer, trailer));
    if (trailer) {
      if (trailer->type()) {
        NUMPACT_TRY(check_limits(config.limits, trailer->count(), *trailer->type()));
      }
      index = trailer->index();
      return {};
    }
    auto table = std::make_shared<Table>();
    NUMPACT_TRY(walk(file, table->type, table->chunks, config, context));
    table->chunks.shrink_to_fit();
    index.table_ = std::move(table);
    return {};
  });
}

Result<ChunkIndex> ChunkIndex::from_chunks(std::optional<NumberType> type,
                                           std::vector<IndexedChunk> chunks) noexcept {
  ChunkIndex index;
  const Status status = guarded([&]() -> Status {
    if (type && !is_number_type(static_cast<std::uint8_t>(*type))) return contradicts();
    if (!type && !chunks.empty()) return contradicts();
    std::uint64_t first = 0;
    std::uint64_t offset = 0;
    for (const IndexedChunk& chunk : chunks) {
      if (chunk.first != first || chunk.count == 0 || chunk.count > kMaxChunkN) {
        return contradicts();
      }
      if (chunk.offset < offset || chunk.page_offset <= chunk.offset) return contradicts();
      first += chunk.count;
      offset = chunk.page_offset;
    }
    auto table = std::make_shared<Table>();
    table->type = type;
    table->chunks = std::move(chunks);
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
  const std::span<const IndexedChunk> all = chunks();
  return all.empty() ? 0 : all.back().first + all.back().count;
}

std::span<const IndexedChunk> ChunkIndex::chunks() const noexcept {
  if (table_ == nullptr) return {};
  return table_->chunks;
}

std::size_t ChunkIndex::chunk_of(std::uint64_t number) const noexcept {
  const std::span<const IndexedChunk> all = chunks();
  const auto behind =
      std::upper_bound(all.begin(), all.end(), number,
                       [](std::uint64_t n, const IndexedChunk& chunk) { return n < chunk.first; });
  return behind == all.begin() ? 0 : static_cast<std::size_t>(behind - all.begin()) - 1;
}

Result<FileReader> FileReader::create(std::span<const std::byte> file, ChunkIndex index) noexcept {
  FileHeader header;
  const Status status = try_read_header(file, header);
  if (!status.ok()) return status;
  return create(file, std::move(index), header);
}

Result<FileReader> FileReader::create(std::span<const std::byte> file, ChunkIndex index,
                                      const FileHeader& header) noexcept {
  const std::span<const IndexedChunk> chunks = index.chunks();
  if (header.uniform_type && index.type() && header.uniform_type != index.type()) return misfit();
  if (!chunks.empty()) {
    if (chunks.front().offset != header.size_bytes) return misfit();
    if (chunks.back().page_offset > file.size()) return misfit();
  }
  return FileReader(file, header, std::move(index));
}

Result<FileReader> FileReader::create(std::span<const std::byte> file, const DecodeConfig& config,
                                      DecodeContext* context) noexcept {
  ChunkIndex index;
  const Status status = ChunkIndex::try_build(file, index, config, context);
  if (!status.ok()) return status;
  return create(file, std::move(index));
}

Status FileReader::check_range(std::uint64_t first, std::uint64_t count,
                               NumberType wanted) const noexcept {
  if (type() && *type() != wanted) {
    return Status(ErrorKind::kTypeMismatch, "the file holds numbers of another type");
  }
  const std::uint64_t all = this->count();
  if (first > all || count > all - first) {
    return Status(ErrorKind::kInvalidArgument, "the range goes past the end of the file");
  }
  if (count > SIZE_MAX / size_of(wanted)) {
    return Status(ErrorKind::kOutOfMemory, "the output is larger than memory can be");
  }
  return {};
}

Status FileReader::try_read(std::uint64_t first, const MutableNumberView& out,
                            const DecodeConfig& config, DecodeContext* context) const noexcept {
  return guarded([&]() -> Status {
    NUMPACT_TRY(check_range(first, out.count, out.type));
    NUMPACT_TRY(check_limits(config.limits, out.count, out.type));
    if (out.count == 0) return {};
    ScratchArena arena(context, config.limits.max_memory);
    RangeRead read(file_, header_, *index_.table_, index_.chunk_of(first), first, out, config);
    if (Workers::are_wanted(config) && read.cut_for_many() > 1) {
      std::optional<Workers> own;
      Workers& workers = workers_of(context, own);
      const standalone::Crew crew = workers.crew(config);
      if (crew.executor != nullptr) {
        workers.share_memory(config.limits.max_memory, (*arena).capacity());
        const Status status = read.in_parallel(crew);
        workers.give_memory_back(config.limits.max_memory);
        // What is too little for many may be enough for one.
        if (!is_about_memory(status)) return status;
      }
    }
    return read.in_order(*arena);
  });
}

}  // namespace numpact
