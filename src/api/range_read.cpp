// SPDX-License-Identifier: Apache-2.0
#include "api/range_read.hpp"

#include <algorithm>
#include <utility>
#ifndef NUMPACT_NO_EXCEPTIONS
#include <mutex>
#include <thread>
#endif

#include "api/decode_checks.hpp"
#include "base/crc.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "pco/limits.hpp"
#include "pco/standalone/chunk_scanner.hpp"

namespace numpact {

using standalone::FileWalker;

namespace {

constexpr std::size_t kProgressStepN = std::size_t{1} << 18;

// Buffer size for numbers before the requested range, which are decoded and dropped.
constexpr std::size_t kDropBufferN = 16 * kBatchN;

// Maximum parts listed at a time: for a file of tiny chunks a list of all would exceed the file.
constexpr std::size_t kMaxParts = std::size_t{1} << 12;

// Minimum numbers per part: smaller parts do not pay for parsing the chunk's metadata again.
constexpr std::size_t kMinPartN = std::size_t{1} << 16;

// Maximum jumps to restart points before a chunk that is kept is entered again, which frees what
// each jump takes of the arena: some hundred bytes.
constexpr std::size_t kMaxJumps = std::size_t{1} << 10;

}  // namespace

KeptChunk::KeptChunk() : arena_(default_memory()) {}

Status read_kept(std::span<const std::byte> file, const FileReader& reader, std::uint64_t first,
                 const MutableNumberView& out, std::uint64_t ahead, const DecodeConfig& config,
                 KeptChunk& kept) {
  NUMPACT_TRY(check_limits(config.limits, out.count, out.type));
  if (out.count == 0) return {};
  const ChunkIndex::Table& table = detail::ChunkIndexAccess::table_of(reader.index());
  RangeRead read(file, reader.header(), table, reader.index().chunk_of(first), first, out, config);
  return read.in_order(kept, ahead);
}

#ifndef NUMPACT_NO_EXCEPTIONS

struct RangeRead::Job {
  RangeRead& read;
  const standalone::TaskGroup& group;
  std::thread::id caller = std::this_thread::get_id();
  std::mutex mutex = {};
  std::size_t next = 0;
  std::uint64_t numbers = 0;   // decoded so far
  std::uint64_t reported = 0;  // last reported, on the calling thread
  Status status = {};
  // Parts from here on may be skipped: an earlier one failed.
  std::atomic<std::size_t> end = SIZE_MAX;
};

#endif

RangeRead::RangeRead(std::span<const std::byte> file, const FileHeader& header,
                     const ChunkIndex::Table& table, std::size_t first_chunk, std::uint64_t first,
                     const MutableNumberView& out, const DecodeConfig& config)
    : file_(file),
      table_(table),
      type_(out.type),
      first_(first),
      end_(first + out.count),
      out_(static_cast<std::byte*>(out.data)),
      config_(config),
      first_chunk_(first_chunk),
      end_chunk_(first_chunk),
      next_chunk_(first_chunk) {
  header_.format = {header.format_major, header.format_minor};
  header_.uniform_type = header.uniform_type;
  if (out.count > 0) end_chunk_ = table.chunks.find(end_ - 1) + 1;
}

RangeRead::Part RangeRead::whole_part(std::size_t chunk) const {
  const IndexedChunk place = table_.chunks[chunk];
  const std::uint64_t begin = first_ > place.first ? first_ - place.first : 0;
  const std::uint64_t end = std::min(place.count, end_ - place.first);
  return {chunk, static_cast<std::size_t>(begin), static_cast<std::size_t>(end)};
}

#ifndef NUMPACT_NO_EXCEPTIONS

std::size_t RangeRead::split_for_tasks() {
  parts_.clear();
  while (next_chunk_ < end_chunk_ && parts_.size() < kMaxParts) split(whole_part(next_chunk_++));
  return parts_.size();
}

void RangeRead::split(const Part& whole) {
  Part part = whole;
  if (!table_.points.empty() && table_.points[whole.chunk].count() > 0) {
    const std::size_t distance = std::size_t{1} << *table_.restart_log;
    const std::size_t step = std::max(distance, kMinPartN);
    while (part.begin / step < (part.end - 1) / step) {
      const std::size_t end = (part.begin / step + 1) * step;
      if (part.end - end < step / 2) break;
      parts_.push_back({part.chunk, part.begin, end});
      part.begin = end;
    }
  }
  parts_.push_back(part);
}

Status RangeRead::in_parallel(const standalone::TaskGroup& group) {
  Job job{*this, group};
  const auto task = [](void* argument, std::size_t worker) noexcept {
    const CallerState state;
    Job& shared = *static_cast<Job*>(argument);
    shared.read.work(shared, *shared.group.arenas[worker]);
  };
  do {
    job.next = 0;
    group.executor->run(std::min(group.arenas.size(), parts_.size()), task, &job);
    NUMPACT_TRY(job.status);
  } while (split_for_tasks() > 0);
  return config_.progress ? report(job, end_ - first_, end_offset()) : Status();
}

// The first error in file order wins, so parts before it continue.
void RangeRead::fail(Job& job, std::size_t part, const Status& status) {
  if (part >= job.end) return;
  job.end = part;
  job.status = status;
}

void RangeRead::work(Job& job, Arena& arena) noexcept {
  std::unique_lock lock(job.mutex);
  while (job.next < parts_.size() && job.next < job.end) {
    const std::size_t index = job.next++;
    const Part& part = parts_[index];
    lock.unlock();
    const Status status = guarded([&] { return read_part(part, arena, nullptr, &job.end, index); });
    lock.lock();
    if (!status.ok()) fail(job, index, status);
    job.numbers += part.end - part.begin;
    const bool may_report = config_.progress && std::this_thread::get_id() == job.caller;
    if (!may_report || !job.status.ok() || job.numbers == end_ - first_) continue;
    const std::uint64_t numbers = job.numbers;
    lock.unlock();
    const Status cancelled = report(job, numbers, table_.chunks.offset(part.chunk));
    lock.lock();
    if (!cancelled.ok()) fail(job, 0, cancelled);
  }
}

Status RangeRead::report(Job& job, std::uint64_t numbers, std::uint64_t offset) {
  if (numbers <= job.reported) return {};
  job.reported = numbers;
  bytes_ = std::max(bytes_, offset - table_.chunks.offset(first_chunk_));
  return report_progress(config_.progress, {numbers, bytes_});
}

std::uint64_t RangeRead::end_offset() const {
  return end_chunk_ < table_.chunks.size() ? table_.chunks.offset(end_chunk_) : file_.size();
}

#endif

Status RangeRead::in_order(Arena& arena) {
  const ProgressCallback* const progress = config_.progress ? &config_.progress : nullptr;
  for (std::size_t i = first_chunk_; i < end_chunk_; ++i) {
    NUMPACT_TRY(read_part(whole_part(i), arena, progress, nullptr, i));
  }
  return {};
}

Status RangeRead::in_order(KeptChunk& kept, std::uint64_t ahead) {
  const ProgressCallback* const progress = config_.progress ? &config_.progress : nullptr;
  for (std::size_t i = first_chunk_; i < end_chunk_; ++i) {
    NUMPACT_TRY(read_part(whole_part(i), kept, std::max(ahead, end_), progress));
  }
  return {};
}

Status RangeRead::index_mismatch() const {
  if (table_.is_from_trailer) {
    return Status(ErrorKind::kCorrupt, "the trailer contradicts the file");
  }
  return Status(ErrorKind::kInvalidArgument, "the index does not fit the file");
}

bool RangeRead::fits_head(const IndexedChunk& chunk) const {
  if (chunk.offset > file_.size()) return false;
  const std::span<const std::byte> rest = file_.subspan(static_cast<std::size_t>(chunk.offset));
  return standalone::begin_with_head(rest, type_, chunk.count);
}

// Only for the first part of a chunk that is read whole.
Status RangeRead::check_crc(const Part& part, std::uint64_t numbers_end) const {
  if (!table_.is_from_trailer || part.begin != 0) return {};
  const IndexedChunk chunk = table_.chunks[part.chunk];
  if (numbers_end - chunk.first < chunk.count) return {};
  const std::uint64_t end = table_.end_of(part.chunk);
  if (end > file_.size()) return index_mismatch().at_chunk(part.chunk);
  const auto bytes = file_.subspan(static_cast<std::size_t>(chunk.offset),
                                   static_cast<std::size_t>(end - chunk.offset));
  if (crc32(bytes) == table_.crcs[part.chunk]) return {};
  return Status(ErrorKind::kChecksum, "a chunk has another checksum than the trailer says",
                chunk.offset)
      .at_chunk(part.chunk);
}

Status RangeRead::go_to_restart(FileWalker& walker, std::size_t chunk, std::size_t number,
                                std::size_t& start) const {
  start = 0;
  const std::size_t passed = table_.point_before(chunk, number);
  if (passed == 0) return {};
  const trailer::ChunkPoints& points = table_.points[chunk];
  start = passed << *table_.restart_log;
  return walker.go_to(start, points.position(passed - 1), points.state(passed - 1));
}

std::size_t RangeRead::step(std::size_t chunk, std::size_t done, std::size_t max_n) const {
  if (table_.points.empty() || table_.points[chunk].count() == 0) return max_n;
  const std::size_t distance = std::size_t{1} << *table_.restart_log;
  return std::min(max_n, distance - done % distance);
}

Status RangeRead::check_point(const FileWalker& walker, std::size_t chunk, std::size_t done) const {
  const std::size_t point = table_.point_before(chunk, done);
  if (point == 0 || point << *table_.restart_log != done) return {};
  const trailer::ChunkPoints& points = table_.points[chunk];
  const std::span<const std::byte> expected = points.state(point - 1);
  std::byte state[kMaxStateBytes];
  BitWriter writer(state);
  walker.page().write_state(writer);
  const bool is_there = points.position(point - 1) == walker.page_bits() &&
                        std::equal(expected.begin(), expected.end(), state, state + writer.size());
  return is_there
             ? Status()
             : Status(ErrorKind::kCorrupt, "a restart point contradicts its page", walker.offset())
                   .at_chunk(chunk);
}

Status RangeRead::enter(const Part& part, FileWalker& walker) const {
  const IndexedChunk chunk = table_.chunks[part.chunk];
  if (!fits_head(chunk)) return index_mismatch().at_chunk(part.chunk);
  walker.resume(header_, type_, static_cast<std::size_t>(chunk.offset), part.chunk);
  bool is_end = false;
  return walker.enter_chunk(is_end);
}

Status RangeRead::read_part(const Part& part, Arena& arena, const ProgressCallback* progress,
                            const std::atomic<std::size_t>* end, std::size_t index) {
  NUMPACT_TRY(check_crc(part, end_));
  const ArenaScope scope(arena);
  const std::span<std::byte> dropped =
      arena.make<std::byte>(part.begin > 0 ? kDropBufferN * size_of(type_) : 0);
  FileWalker walker(file_, arena);
  NUMPACT_TRY(enter(part, walker));
  std::size_t done = 0;
  NUMPACT_TRY(go_to_restart(walker, part.chunk, part.begin, done));
  return decode_part(part, walker, done, dropped.data(), progress, end, index);
}

Status RangeRead::read_part(const Part& part, KeptChunk& kept, std::uint64_t ahead,
                            const ProgressCallback* progress) {
  NUMPACT_TRY(check_crc(part, ahead));
  const std::size_t point = table_.point_before(part.chunk, part.begin);
  const std::size_t restart = point > 0 ? point << *table_.restart_log : 0;
  const bool is_same = std::exchange(kept.is_open_, false) && kept.chunk_ == part.chunk;
  const bool follows = is_same && restart <= kept.done_ && kept.done_ <= part.begin;
  if (!follows) {
    if (!is_same || restart == 0 || kept.jumps_ == kMaxJumps) {
      kept.walker_.reset();
      kept.arena_.reset(config_.limits.max_memory);
      kept.dropped_ = kept.arena_.make<std::byte>(kDropBufferN * size_of(type_));
      NUMPACT_TRY(enter(part, kept.walker_.emplace(file_, kept.arena_)));
      kept.jumps_ = 0;
    }
    ++kept.jumps_;
    NUMPACT_TRY(go_to_restart(*kept.walker_, part.chunk, part.begin, kept.done_));
  }
  NUMPACT_TRY(decode_part(part, *kept.walker_, kept.done_, kept.dropped_.data(), progress, nullptr,
                          part.chunk));
  kept.chunk_ = part.chunk;
  kept.done_ = part.end;
  kept.is_open_ = true;
  return {};
}

Status RangeRead::decode_part(const Part& part, FileWalker& walker, std::size_t done,
                              std::byte* dropped, const ProgressCallback* progress,
                              const std::atomic<std::size_t>* end, std::size_t index) {
  const std::size_t i = part.chunk;
  const IndexedChunk chunk = table_.chunks[i];
  const std::size_t size = size_of(type_);
  const auto may_skip = [&] { return end != nullptr && index > *end; };
  while (done < part.begin) {
    const std::size_t n = step(i, done, std::min(part.begin - done, kDropBufferN));
    NUMPACT_TRY(walker.decode(n, dropped));
    done += n;
    NUMPACT_TRY(check_point(walker, i, done));
    if (may_skip()) return {};
  }
  std::byte* out = out_ + (chunk.first + part.begin - first_) * size;
  while (done < part.end) {
    const std::size_t n = step(i, done, std::min(part.end - done, kProgressStepN));
    NUMPACT_TRY(walker.decode(n, out));
    done += n;
    out += n * size;
    NUMPACT_TRY(check_point(walker, i, done));
    if (progress != nullptr) {
      const std::uint64_t bytes = walker.offset() - table_.chunks.offset(first_chunk_);
      NUMPACT_TRY(report_progress(*progress, {chunk.first + done - first_, bytes}));
    }
    if (may_skip()) return {};
  }
  if (walker.numbers_left() > 0) return {};
  NUMPACT_TRY(walker.leave_chunk());
  const std::uint64_t expected_end = table_.is_from_trailer         ? table_.end_of(i)
                                     : i + 1 < table_.chunks.size() ? table_.chunks.offset(i + 1)
                                                                    : walker.offset();
  return walker.offset() == expected_end ? Status() : index_mismatch().at_chunk(i);
}

}  // namespace numpact
