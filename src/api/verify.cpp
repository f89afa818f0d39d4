// SPDX-License-Identifier: Apache-2.0
// Looking over all of a file.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "api/chunk_table.hpp"
#include "api/context.hpp"
#include "api/decode_checks.hpp"
#include "api/headers.hpp"
#include "api/trailer_use.hpp"
#include "base/crc.hpp"
#include "base/guard.hpp"
#include "base/try.hpp"
#include "pco/standalone/file_walker.hpp"
#include "pco/trailer/summary.hpp"
#include "pco/wire.hpp"

namespace numpact {
namespace {

// Numbers that are decoded at a time.
constexpr std::size_t kPieceN = std::size_t{1} << 14;

// What is not the file's fault.
bool is_ours(const Status& status) {
  return status.kind() == ErrorKind::kLimitExceeded || status.kind() == ErrorKind::kOutOfMemory ||
         status.kind() == ErrorKind::kCancelled;
}

Status untrue(const char* what, std::uint64_t chunk, std::uint64_t offset) {
  return Status(ErrorKind::kCorrupt, what, offset).at_chunk(chunk);
}

// ---- with a sound trailer ----

class ByTrailer {
 public:
  // `table`: what the trailer says.
  ByTrailer(std::span<const std::byte> file, const trailer::View& view,
            std::shared_ptr<const ChunkIndex::Table> table, const DecodeConfig& config,
            Verification& out)
      : file_(file), view_(view), table_(std::move(table)), config_(config), out_(out) {}

  Status run(DecodeContext* context) {
    NUMPACT_TRY(check_front());
    ScratchArena arena(context, config_.limits.max_memory);
    std::optional<Workers> own;
    standalone::Crew crew;
    if (Workers::are_wanted(config_) && chunk_n() > 1) {
      Workers& workers = workers_of(context, own);
      crew = workers.crew(config_);
      workers.share_memory(config_.limits.max_memory, (*arena).capacity());
      if (crew.executor != nullptr) run_many(crew);
      workers.give_memory_back(config_.limits.max_memory);
    }
    if (crew.executor == nullptr) work(*arena, true);
    NUMPACT_TRY(ours_);
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
    out_.header_status = try_read_header(file_, header);
    const bool is_whole = crc32(file_.first(front.header_bytes)) == front.header_crc;
    if (!is_whole && out_.header_status.ok()) {
      out_.header_status =
          Status(ErrorKind::kChecksum, "the header has another checksum than the trailer says", 0);
    }
    header_.format = front.format;
    header_.uniform_type = front.type;
    if (is_whole) {
      const bool agrees = header.size_bytes == front.header_bytes &&
                          header.format_major == front.format.major &&
                          header.format_minor == front.format.minor &&
                          (!header.uniform_type || header.uniform_type == front.type);
      if (!agrees) contradict(0);
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

  void run_many(const standalone::Crew& crew) {
    struct Job {
      ByTrailer& self;
      const standalone::Crew& crew;
      std::thread::id caller;
    } job{*this, crew, std::this_thread::get_id()};
    const auto task = [](void* argument, std::size_t worker) noexcept {
      const CallerState state;
      Job& shared = *static_cast<Job*>(argument);
      shared.self.work(*shared.crew.arenas[worker], std::this_thread::get_id() == shared.caller);
    };
    crew.executor->run(std::min(crew.arenas.size(), chunk_n()), task, &job);
  }

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

  // Only those that failed are kept: of the others there may be very many.
  void fail(std::size_t chunk, Status status) noexcept {
    const std::lock_guard lock(mutex_);
    if (!is_ours(status) && status.kind() != ErrorKind::kIo) {
      status = guarded([&]() -> Status {
        failures_.push_back({chunk, status});
        return {};
      });
      if (status.ok()) return;
    }
    if (ours_.ok()) ours_ = status;
    next_ = chunk_n();
  }

  Status check_chunk(std::size_t i, const trailer::ChunkRecord& known, Arena& arena) const {
    const std::uint64_t offset = known.offset;
    const std::uint64_t end = table_->end_of(i);
    const auto bytes =
        file_.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(end - offset));
    if (crc32(bytes) != known.crc) {
      return Status(ErrorKind::kChecksum, "a chunk has another checksum than the trailer says",
                    offset)
          .at_chunk(i);
    }
    const ArenaScope scope(arena);
    const NumberType type = *view_.front.type;
    const std::span<std::byte> room = arena.make<std::byte>(kPieceN * size_of(type));
    standalone::FileWalker walker(file_, arena);
    walker.resume(header_, type, static_cast<std::size_t>(offset), i);
    bool is_end = false;
    NUMPACT_TRY(walker.enter_chunk(is_end));
    if (is_end || walker.head().n != known.n) {
      return untrue("the trailer contradicts the file", i, offset);
    }
    trailer::Summary found;
    NUMPACT_TRY(trailer::summarise(file_, walker, view_.front.restart_log, room, found));
    if (walker.offset() != end || !(found.record == known)) {
      return untrue("the trailer contradicts the file", i, offset);
    }
    if (found.points.empty()) return {};
    const std::span<const std::byte> all(found.points);
    const trailer::ChunkPoints& points = table_->points[i];
    const bool same = std::equal(points.bytes.begin(), points.bytes.end(),
                                 all.begin() + trailer::kStateSizeBytes, all.end());
    return same ? Status() : untrue("restart points contradict the page", i, offset);
  }

  Status collect() {
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
  std::mutex mutex_;
  std::vector<Failure> failures_;
  Status ours_;  // what is not the file's fault, and ends the work
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::uint64_t> numbers_ = 0;
};

// ---- without ----

// One chunk after the other; false at the end of the file.
Status verify_next(standalone::FileWalker& walker, std::span<std::byte> room,
                   const DecodeConfig& config, std::uint64_t count, bool& is_end) {
  NUMPACT_TRY(walker.enter_chunk(is_end));
  if (is_end) return {};
  const standalone::ChunkHead& head = walker.head();
  NUMPACT_TRY(check_limits(config.limits, count + head.n, head.type));
  while (walker.numbers_left() > 0) {
    NUMPACT_TRY(walker.decode(std::min(kPieceN, walker.numbers_left()), room.data()));
  }
  return walker.leave_chunk();
}

Status verify_in_order(std::span<const std::byte> file, const DecodeConfig& config,
                       DecodeContext* context, Verification& out) {
  ScratchArena arena(context, config.limits.max_memory);
  const std::span<std::byte> room = (*arena).make<std::byte>(kPieceN * sizeof(std::uint64_t));
  standalone::FileWalker walker(file, *arena);
  out.header_status = try_read_header(file, out.header);
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
    damage = verify_next(walker, room, config, out.sound_count, is_end);
    if (is_ours(damage)) return damage;
    if (!damage.ok() || is_end) break;
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

// A trailer that is damaged, or bytes that are none, are told apart once the end is known.
void judge_rest(std::span<const std::byte> file, Verification& out) {
  if (!out.trailer_status.ok()) {
    out.trailer = TrailerState::kDamaged;
  } else if (out.trailing_bytes > 0) {
    out.trailer = TrailerState::kUnrecognised;
    out.trailer_status = Status(ErrorKind::kCorrupt, "bytes that are no trailer follow the file",
                                file.size() - out.trailing_bytes);
  }
}

}  // namespace

Status try_verify(std::span<const std::byte> file, Verification& verification,
                  const DecodeConfig& config, DecodeContext* context) noexcept {
  const Status status = guarded([&]() -> Status {
    verification = {};
    if (config.trailer != TrailerPolicy::kIgnore && trailer::ends_with_trailer(file)) {
      trailer::View view;
      std::shared_ptr<const ChunkIndex::Table> table;
      verification.trailer_status = trailer::parse({file}, view);
      if (verification.trailer_status.ok()) NUMPACT_TRY(index_of(view, table));
      if (table != nullptr) {
        verification.trailer = TrailerState::kSound;
        return ByTrailer(file, view, std::move(table), config, verification).run(context);
      }
    }
    NUMPACT_TRY(verify_in_order(file, config, context, verification));
    if (config.trailer != TrailerPolicy::kIgnore) judge_rest(file, verification);
    return {};
  });
  if (!status.ok()) verification.header_status = status;
  return status;
}

}  // namespace numpact
