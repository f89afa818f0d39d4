// SPDX-License-Identifier: Apache-2.0
// Verifies a whole file.
#include <algorithm>
#include <atomic>
#ifndef NUMPACT_NO_EXCEPTIONS
#include <thread>
#endif

#include "api/chunk_table.hpp"
#include "api/context.hpp"
#include "api/decode_checks.hpp"
#include "api/file_end.hpp"
#include "api/headers.hpp"
#include "api/trailer_use.hpp"
#include "base/crc.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/mutex.hpp"
#include "base/size.hpp"
#include "base/try.hpp"
#include "pco/standalone/file_walker.hpp"
#include "pco/trailer/summary.hpp"
#include "pco/wire.hpp"

namespace numpact {
namespace {

// Numbers decoded at a time.
constexpr std::size_t kVerifyStepN = std::size_t{1} << 14;

// Errors that are not caused by the file.
bool is_not_of_file(const Status& status) {
  return status.kind() == ErrorKind::kLimitExceeded || status.kind() == ErrorKind::kOutOfMemory ||
         status.kind() == ErrorKind::kCancelled;
}

Status contradiction(const char* what, std::uint64_t chunk, std::uint64_t offset) {
  return Status(ErrorKind::kCorrupt, what, offset).at_chunk(chunk);
}

// ---- with an intact trailer ----

class TrailerVerifier {
 public:
  // `table`: the chunks according to the trailer.
  TrailerVerifier(std::span<const std::byte> file, const trailer::View& view,
                  std::shared_ptr<const ChunkIndex::Table> table, const DecodeConfig& config,
                  Verification& out)
      : file_(file), view_(view), table_(std::move(table)), config_(config), out_(out) {}

  Status run(DecodeContext* context) {
    NUMPACT_TRY(check_front());
    ScratchArena arena(context, config_.limits.max_memory);
    NUMPACT_TRY(arena.status());
    std::optional<WorkerPool> own;
    standalone::TaskGroup group;
    if (WorkerPool::are_requested(config_) && chunk_n() > 1) {
      WorkerPool& worker_pool = worker_pool_of(context, own);
      group = worker_pool.group(config_);
      worker_pool.share_memory(config_.limits.max_memory, (*arena).capacity());
      if (group.executor != nullptr) run_tasks(group);
      worker_pool.give_memory_back(config_.limits.max_memory);
    }
    if (group.executor == nullptr) work(*arena, true);
    NUMPACT_TRY(failure_);
    return collect();
  }

 private:
  struct Failure {
    std::size_t chunk = 0;
    Status status;
  };

  std::size_t chunk_n() const { return table_->chunks.size(); }

  Status check_front() {
    const trailer::Front& front = view_.front;
    out_.type = front.type;
    out_.file_bytes = view_.file_bytes;
    out_.trailing_bytes = view_.bytes;
    if (front.type) NUMPACT_TRY(check_limits(config_.limits, front.number_n, *front.type));
    FileHeader header;
    out_.header_status = read_header(file_).into(header);
    const bool is_whole = crc32(file_.first(front.header_bytes)) == front.header_crc;
    if (!is_whole && out_.header_status.ok()) {
      out_.header_status =
          Status(ErrorKind::kChecksum, "the header has another checksum than the trailer says", 0);
    }
    header_.format = front.format;
    header_.uniform_type = front.type;
    if (is_whole) {
      if (!agree(front, header)) contradict(0);
      out_.header = header;
    } else {
      out_.header = to_public(header_, front.header_bytes);
    }
    if (file_[static_cast<std::size_t>(view_.file_bytes) - 1] != std::byte{wire::kTerminator}) {
      contradict(view_.file_bytes - 1);
    }
    return {};
  }

  void contradict(std::uint64_t offset) {
    if (out_.trailer != TrailerState::kSound) return;
    out_.trailer = TrailerState::kDamaged;
    out_.trailer_status = Status(ErrorKind::kCorrupt, "the trailer contradicts the file", offset);
  }

#ifndef NUMPACT_NO_EXCEPTIONS
  void run_tasks(const standalone::TaskGroup& group) {
    struct Job {
      TrailerVerifier& self;
      const standalone::TaskGroup& group;
      std::thread::id caller;
    } job{*this, group, std::this_thread::get_id()};
    const auto task = [](void* argument, std::size_t worker) noexcept {
      const CallerState state;
      Job& shared = *static_cast<Job*>(argument);
      shared.self.work(*shared.group.arenas[worker], std::this_thread::get_id() == shared.caller);
    };
    group.executor->run(std::min(group.arenas.size(), chunk_n()), task, &job);
  }
#else
  void run_tasks(const standalone::TaskGroup&) {}
#endif

  void work(Arena& arena, bool reports) noexcept {
    for (std::size_t i = next_++; i < chunk_n(); i = next_++) {
      const trailer::ChunkRecord record = view_.record(i);
      Status status = guarded([&] { return check_chunk(i, record, arena); });
      numbers_ += record.n;
      const Progress done{numbers_, record.offset};
      const Status cancelled = reports ? report_progress(config_.progress, done) : Status();
      if (!cancelled.ok()) status = cancelled;
      if (!status.ok()) fail(i, status);
    }
  }

  // Only failures are stored, since there may be very many chunks.
  void fail(std::size_t chunk, Status status) noexcept {
    const Lock lock(mutex_);
    if (!is_not_of_file(status) && status.kind() != ErrorKind::kIo) {
      status = guarded([&]() -> Status {
        NUMPACT_TRY(ensure_memory(3 * (failures_.size() + 1) * sizeof(Failure)));
        failures_.push_back({chunk, status});
        return {};
      });
      if (status.ok()) return;
    }
    if (failure_.ok()) failure_ = status;
    next_ = chunk_n();
  }

  Status check_chunk(std::size_t i, const trailer::ChunkRecord& record, Arena& arena) const {
    const std::uint64_t offset = record.offset;
    const std::uint64_t end = table_->end_of(i);
    const auto bytes =
        file_.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(end - offset));
    if (crc32(bytes) != record.crc) {
      return Status(ErrorKind::kChecksum, "a chunk has another checksum than the trailer says",
                    offset)
          .at_chunk(i);
    }
    const ArenaScope scope(arena);
    const NumberType type = *view_.front.type;
    const std::span<std::byte> buffer = arena.make<std::byte>(kVerifyStepN * size_of(type));
    standalone::FileWalker walker(file_, arena);
    walker.resume(header_, type, static_cast<std::size_t>(offset), i);
    bool is_end = false;
    NUMPACT_TRY(walker.enter_chunk(is_end));
    if (is_end || walker.head().n != record.n) {
      return contradiction("the trailer contradicts the file", i, offset);
    }
    trailer::Summary found;
    NUMPACT_TRY(trailer::summarise(file_, walker, view_.front.restart_log, buffer, found));
    if (walker.offset() != end || !(found.record == record)) {
      return contradiction("the trailer contradicts the file", i, offset);
    }
    if (found.points.empty()) return {};
    const std::span<const std::byte> all(found.points);
    const trailer::ChunkPoints& points = table_->points[i];
    const bool same = std::equal(points.bytes.begin(), points.bytes.end(),
                                 all.begin() + trailer::kStateSizeBytes, all.end());
    return same ? Status() : contradiction("restart points contradict the page", i, offset);
  }

  Status collect() {
    NUMPACT_TRY(ensure_memory(3 * failures_.size() * sizeof(DamagedPart)));
    std::sort(failures_.begin(), failures_.end(),
              [](const Failure& a, const Failure& b) { return a.chunk < b.chunk; });
    out_.good_bytes = view_.file_bytes;
    out_.sound_count = view_.front.number_n;
    for (const Failure& failure : failures_) {
      const IndexedChunk chunk = table_->chunks[failure.chunk];
      if (out_.damage.empty()) out_.good_bytes = chunk.offset;
      out_.sound_count -= chunk.count;
      out_.damage.push_back({failure.chunk, chunk.first, chunk.count, chunk.offset,
                             table_->end_of(failure.chunk) - chunk.offset, failure.status});
    }
    if (!out_.header_status.ok()) out_.good_bytes = 0;
    out_.index = detail::ChunkIndexAccess::index_of(table_);
    return {};
  }

  std::span<const std::byte> file_;
  const trailer::View& view_;
  std::shared_ptr<const ChunkIndex::Table> table_;
  const DecodeConfig& config_;
  Verification& out_;
  standalone::Header header_;
  Mutex mutex_;
  std::vector<Failure> failures_;
  Status failure_;  // an error not caused by the file; stops the work
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::uint64_t> numbers_ = 0;
};

// ---- without a trailer ----

// Verifies the next chunk; sets is_end at the end of the file.
Status verify_next_chunk(standalone::FileWalker& walker, std::span<std::byte> buffer,
                         const DecodeConfig& config, std::uint64_t count, bool& is_end) {
  NUMPACT_TRY(walker.enter_chunk(is_end));
  if (is_end) return {};
  const standalone::ChunkHead& head = walker.head();
  NUMPACT_TRY(check_limits(config.limits, count + head.n, head.type));
  while (walker.numbers_left() > 0) {
    NUMPACT_TRY(walker.decode(std::min(kVerifyStepN, walker.numbers_left()), buffer.data()));
  }
  return walker.leave_chunk();
}

Status verify_in_order(std::span<const std::byte> file, const DecodeConfig& config,
                       DecodeContext* context, Verification& out) {
  ScratchArena arena(context, config.limits.max_memory);
  NUMPACT_TRY(arena.status());
  const std::span<std::byte> buffer =
      (*arena).make<std::byte>(kVerifyStepN * sizeof(std::uint64_t));
  standalone::FileWalker walker(file, *arena);
  out.header_status = read_header(file).into(out.header);
  if (!out.header_status.ok()) {
    out.damage.push_back({0, 0, std::nullopt, 0, file.size(), out.header_status});
    return {};
  }
  NUMPACT_TRY(walker.read_header());
  const auto table = std::make_shared<ChunkIndex::Table>();
  Status damage;
  while (true) {
    bool is_end = false;
    out.good_bytes = walker.offset();
    damage = verify_next_chunk(walker, buffer, config, out.sound_count, is_end);
    if (is_not_of_file(damage)) return damage;
    if (!damage.ok() || is_end) break;
    NUMPACT_TRY(ensure_memory(table->chunks.next_bytes(1)));
    table->chunks.add(walker.chunk_offset(), walker.page_offset(), walker.head().n);
    out.type = walker.head().type;
    out.sound_count += walker.head().n;
    NUMPACT_TRY(report_progress(config.progress, {out.sound_count, walker.offset()}));
  }
  if (!out.type) out.type = walker.header().uniform_type;
  if (damage.ok()) {
    out.file_bytes = out.good_bytes = walker.offset();
    out.trailing_bytes = file.size() - out.file_bytes;
  } else {
    out.damage.push_back({table->chunks.size(), out.sound_count, std::nullopt, out.good_bytes,
                          file.size() - out.good_bytes, damage});
  }
  table->type = out.type;
  out.index = detail::ChunkIndexAccess::index_of(table);
  return {};
}

// Tells what follows a file whose end was found, or the damage of the trailer of one without.
void classify_rest(std::span<const std::byte> file, Verification& out) {
  if (out.file_bytes == 0) {
    if (!out.trailer_status.ok()) out.trailer = TrailerState::kDamaged;
    return;
  }
  const FileEnd end = end_of_file(file.subspan(to_size(out.file_bytes)), out.file_bytes);
  out.trailer = end.trailer;
  if (end.foreign_at) {
    out.trailer_status = Status(ErrorKind::kCorrupt, "bytes that are not a trailer follow the file",
                                *end.foreign_at);
  } else if (end.trailer == TrailerState::kDamaged && out.trailer_status.ok()) {
    out.trailer_status = Status(
        ErrorKind::kCorrupt,
        end.is_unfinished ? "the trailer is unfinished" : "the trailer is damaged", out.file_bytes);
  }
}

}  // namespace

Result<Verification> verify(std::span<const std::byte> file, const DecodeConfig& config,
                            DecodeContext* context) noexcept {
  return guarded_value<Verification>([&](Verification& verification) -> Status {
    if (config.trailer != TrailerPolicy::kIgnore && trailer::ends_with_trailer(file)) {
      trailer::View view;
      std::shared_ptr<const ChunkIndex::Table> table;
      verification.trailer_status = trailer::parse({file}, view);
      if (verification.trailer_status.ok()) NUMPACT_TRY(index_of(view, table));
      if (table != nullptr) {
        verification.trailer = TrailerState::kSound;
        return TrailerVerifier(file, view, std::move(table), config, verification).run(context);
      }
    }
    NUMPACT_TRY(verify_in_order(file, config, context, verification));
    if (config.trailer != TrailerPolicy::kIgnore) classify_rest(file, verification);
    return {};
  });
}

}  // namespace numpact
