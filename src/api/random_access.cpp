// SPDX-License-Identifier: Apache-2.0
#include "numpact/random_access.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "api/context.hpp"
#include "api/decode_checks.hpp"
#include "api/parallel_part.hpp"
#include "base/guard.hpp"
#include "base/try.hpp"
#include "pco/limits.hpp"
#include "pco/standalone/file_walker.hpp"

namespace numpact {

using standalone::FileWalker;

struct ChunkIndex::Table {
  std::optional<NumberType> type;
  std::vector<IndexedChunk> chunks;
};

namespace {

constexpr std::size_t kPieceN = std::size_t{1} << 18;

// Numbers before the first wanted are decoded to here.
constexpr std::size_t kDroppedN = 16 * kBatchN;

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
  if (!chunks.empty()) type = static_cast<NumberType>(file[chunks[0].offset]);
  return {};
}

// A call of try_read.
class RangeRead {
 public:
  RangeRead(std::span<const std::byte> file, const FileHeader& header, const ChunkIndex& index,
            std::uint64_t first, const MutableNumberView& out, const DecodeConfig& config)
      : file_(file),
        chunks_(index.chunks()),
        type_(out.type),
        first_(first),
        end_(first + out.count),
        out_(static_cast<std::byte*>(out.data)),
        config_(config),
        first_chunk_(index.chunk_of(first)),
        end_chunk_(index.chunk_of(end_ - 1) + 1) {
    header_.format = {header.format_major, header.format_minor};
    header_.uniform_type = header.uniform_type;
  }

  std::size_t chunk_n() const { return end_chunk_ - first_chunk_; }

  Status in_order(Arena& arena) {
    for (std::size_t i = first_chunk_; i < end_chunk_; ++i) {
      NUMPACT_TRY(read_chunk(i, arena, config_.progress ? &config_.progress : nullptr));
    }
    return {};
  }

  Status in_parallel(const standalone::Crew& crew) {
    Job job{*this, crew};
    job.next = first_chunk_;
    const auto task = [](void* argument, std::size_t worker) noexcept {
      Job& shared = *static_cast<Job*>(argument);
      shared.read.work(shared, *shared.crew.arenas[worker]);
    };
    crew.executor->run(std::min(crew.arenas.size(), chunk_n()), task, &job);
    NUMPACT_TRY(job.status);
    return config_.progress ? report(job, end_ - first_, file_offset_behind()) : Status();
  }

 private:
  struct Job {
    RangeRead& read;
    const standalone::Crew& crew;
    std::thread::id caller = std::this_thread::get_id();
    std::mutex mutex = {};
    std::size_t next = 0;
    std::uint64_t numbers = 0;   // done
    std::uint64_t reported = 0;  // on the calling thread
    Status status = {};
    // Chunks from here on need not be read: there is an error before them.
    std::atomic<std::size_t> end = SIZE_MAX;
  };

  // The first error in the order of the file wins, so those before it go on.
  void fail(Job& job, std::size_t chunk, const Status& status) {
    if (chunk >= job.end) return;
    job.end = chunk;
    job.status = status;
  }

  void work(Job& job, Arena& arena) noexcept {
    std::unique_lock lock(job.mutex);
    while (job.next < end_chunk_ && job.next < job.end) {
      const std::size_t chunk = job.next++;
      lock.unlock();
      const Status status = guarded([&] { return read_chunk(chunk, arena, nullptr, &job.end); });
      lock.lock();
      if (!status.ok()) fail(job, chunk, status);
      job.numbers += end_in(chunk) - begin_in(chunk);
      const bool may_report = config_.progress && std::this_thread::get_id() == job.caller;
      if (!may_report || !job.status.ok() || job.numbers == end_ - first_) continue;
      const std::uint64_t numbers = job.numbers;
      lock.unlock();
      const Status cancelled = report(job, numbers, chunks_[chunk].offset);
      lock.lock();
      if (!cancelled.ok()) fail(job, 0, cancelled);
    }
  }

  Status report(Job& job, std::uint64_t numbers, std::uint64_t offset) {
    if (numbers <= job.reported) return {};
    job.reported = numbers;
    bytes_ = std::max(bytes_, offset - chunks_[first_chunk_].offset);
    return report_progress(config_.progress, {numbers, bytes_});
  }

  std::uint64_t file_offset_behind() const {
    return end_chunk_ < chunks_.size() ? chunks_[end_chunk_].offset : file_.size();
  }

  // The numbers wanted of a chunk, counted from its own first.
  std::uint64_t begin_in(std::size_t i) const {
    return first_ > chunks_[i].first ? first_ - chunks_[i].first : 0;
  }
  std::uint64_t end_in(std::size_t i) const {
    return std::min(chunks_[i].count, end_ - chunks_[i].first);
  }

  bool fits_head(const IndexedChunk& chunk) const {
    if (chunk.offset > file_.size()) return false;
    const std::span<const std::byte> rest = file_.subspan(static_cast<std::size_t>(chunk.offset));
    return rest.size() >= standalone::kChunkHeadBytes && rest[0] == static_cast<std::byte>(type_) &&
           standalone::head_n(rest.data()) == chunk.count;
  }

  Status read_chunk(std::size_t i, Arena& arena, const ProgressCallback* progress,
                    const std::atomic<std::size_t>* end = nullptr) {
    const IndexedChunk& chunk = chunks_[i];
    if (!fits_head(chunk)) return misfit().at_chunk(i);
    const ArenaScope scope(arena);
    const std::size_t size = size_of(type_);
    std::uint64_t to_drop = begin_in(i);
    const std::span<std::byte> dropped = arena.make<std::byte>(to_drop > 0 ? kDroppedN * size : 0);
    FileWalker walker(file_, arena);
    walker.resume(header_, type_, static_cast<std::size_t>(chunk.offset), i);
    bool is_end = false;
    NUMPACT_TRY(walker.enter_chunk(is_end));
    while (to_drop > 0) {
      const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(to_drop, kDroppedN));
      NUMPACT_TRY(walker.decode(n, dropped.data()));
      to_drop -= n;
      if (end != nullptr && i > *end) return {};
    }
    std::uint64_t left = end_in(i) - begin_in(i);
    std::uint64_t done = chunk.first + begin_in(i) - first_;
    while (left > 0) {
      const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(left, kPieceN));
      NUMPACT_TRY(walker.decode(n, out_ + done * size));
      left -= n;
      done += n;
      if (progress != nullptr) {
        const std::uint64_t bytes = walker.offset() - chunks_[first_chunk_].offset;
        NUMPACT_TRY(report_progress(*progress, {done, bytes}));
      }
      if (end != nullptr && i > *end) return {};
    }
    if (walker.numbers_left() > 0) return {};
    NUMPACT_TRY(walker.leave_chunk());
    const bool is_gap = i + 1 < chunks_.size() && walker.offset() != chunks_[i + 1].offset;
    return is_gap ? misfit().at_chunk(i) : Status();
  }

  std::span<const std::byte> file_;
  std::span<const IndexedChunk> chunks_;
  NumberType type_;
  std::uint64_t first_;
  std::uint64_t end_;
  std::byte* out_;
  const DecodeConfig& config_;
  std::size_t first_chunk_;
  std::size_t end_chunk_;
  standalone::Header header_;
  std::uint64_t bytes_ = 0;  // reported last
};

bool is_about_memory(const Status& status) {
  return status.kind() == ErrorKind::kLimitExceeded || status.kind() == ErrorKind::kOutOfMemory;
}

}  // namespace

Status ChunkIndex::try_build(std::span<const std::byte> file, ChunkIndex& index,
                             const DecodeConfig& config, DecodeContext* context) noexcept {
  index = {};
  return guarded([&]() -> Status {
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
  return {};
}

Status FileReader::try_read(std::uint64_t first, const MutableNumberView& out,
                            const DecodeConfig& config, DecodeContext* context) const noexcept {
  return guarded([&]() -> Status {
    NUMPACT_TRY(check_range(first, out.count, out.type));
    NUMPACT_TRY(check_limits(config.limits, out.count, out.type));
    if (out.count == 0) return {};
    ScratchArena arena(context, config.limits.max_memory);
    RangeRead read(file_, header_, index_, first, out, config);
    if (Workers::are_wanted(config) && read.chunk_n() > 1) {
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
