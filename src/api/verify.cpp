// SPDX-License-Identifier: Apache-2.0
// Looking over all of a file.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

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
  ByTrailer(std::span<const std::byte> file, const trailer::View& view, const Trailer& known,
            const DecodeConfig& config, Verification& out)
      : file_(file), view_(view), known_(known), config_(config), out_(out) {}

  Status run(DecodeContext* context) {
    NUMPACT_TRY(check_front());
    ScratchArena arena(context, config_.limits.max_memory);
    const std::size_t chunk_n = known_.chunks().size();
    statuses_.resize(chunk_n);
    first_points();
    std::optional<Workers> own;
    standalone::Crew crew;
    if (Workers::are_wanted(config_) && chunk_n > 1) {
      Workers& workers = workers_of(context, own);
      crew = workers.crew(config_);
      workers.share_memory(config_.limits.max_memory, (*arena).capacity());
      if (crew.executor != nullptr) run_many(crew);
      workers.give_memory_back(config_.limits.max_memory);
    }
    if (crew.executor == nullptr) work(*arena, true);
    return collect();
  }

 private:
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

  // Points as they lie in the trailer, by chunk, to be compared with those that decoding finds.
  void first_points() {
    points_.resize(statuses_.size());
    trailer::PointsWalker walker(view_);
    for (std::size_t i = 0; i < points_.size(); ++i) {
      static_cast<void>(walker.next(view_.record(i).n, points_[i]));
    }
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
    crew.executor->run(std::min(crew.arenas.size(), statuses_.size()), task, &job);
  }

  void work(Arena& arena, bool reports) noexcept {
    for (std::size_t i = next_++; i < statuses_.size(); i = next_++) {
      statuses_[i] = guarded([&] { return check_chunk(i, arena); });
      numbers_ += known_.chunks()[i].place.count;
      const Progress done{numbers_, known_.chunks()[i].place.offset};
      const Status cancelled = reports ? report_progress(config_.progress, done) : Status();
      if (!cancelled.ok()) statuses_[i] = cancelled;
      if (is_ours(statuses_[i])) next_ = statuses_.size();
    }
  }

  Status check_chunk(std::size_t i, Arena& arena) const {
    const ChunkSummary& known = known_.chunks()[i];
    const std::uint64_t offset = known.place.offset;
    const auto bytes =
        file_.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(known.bytes));
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
    if (is_end || walker.head().n != known.place.count) {
      return untrue("the trailer contradicts the file", i, offset);
    }
    trailer::Summary found;
    NUMPACT_TRY(trailer::summarise(file_, walker, view_.front.restart_log, room, found));
    if (walker.offset() != offset + known.bytes || !(found.record == view_.record(i))) {
      return untrue("the trailer contradicts the file", i, offset);
    }
    if (found.points.empty()) return {};
    const std::span<const std::byte> all(found.points);
    const bool same = std::equal(points_[i].bytes.begin(), points_[i].bytes.end(),
                                 all.begin() + trailer::kStateSizeBytes, all.end());
    return same ? Status() : untrue("restart points contradict the page", i, offset);
  }

  Status collect() {
    out_.good_bytes = view_.file_bytes;
    for (std::size_t i = 0; i < statuses_.size(); ++i) {
      if (is_ours(statuses_[i])) return statuses_[i];
      const ChunkSummary& chunk = known_.chunks()[i];
      if (statuses_[i].ok()) {
        out_.sound_count += chunk.place.count;
        continue;
      }
      if (out_.damage.empty()) out_.good_bytes = chunk.place.offset;
      out_.damage.push_back(
          {i, chunk.place.first, chunk.place.count, chunk.place.offset, chunk.bytes, statuses_[i]});
    }
    if (!out_.header_status.ok()) out_.good_bytes = 0;
    out_.index = known_.index();
    return {};
  }

  std::span<const std::byte> file_;
  const trailer::View& view_;
  const Trailer& known_;
  const DecodeConfig& config_;
  Verification& out_;
  standalone::Header header_;
  std::vector<Status> statuses_;
  std::vector<trailer::ChunkPoints> points_;
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
  std::vector<IndexedChunk> chunks;
  Status damage;
  while (true) {
    bool is_end = false;
    out.good_bytes = walker.offset();
    damage = verify_next(walker, room, config, out.sound_count, is_end);
    if (is_ours(damage)) return damage;
    if (!damage.ok() || is_end) break;
    chunks.push_back(
        {walker.chunk_offset(), walker.page_offset(), out.sound_count, walker.head().n});
    out.type = walker.head().type;
    out.sound_count += walker.head().n;
    NUMPACT_TRY(report_progress(config.progress, {out.sound_count, walker.offset()}));
  }
  if (!out.type) out.type = walker.header().uniform_type;
  if (damage.ok()) {
    out.file_bytes = out.good_bytes = walker.offset();
    out.trailing_bytes = file.size() - out.file_bytes;
  } else {
    out.damage.push_back({chunks.size(), out.sound_count, std::nullopt, out.good_bytes,
                          file.size() - out.good_bytes, damage});
  }
  Result<ChunkIndex> index = ChunkIndex::from_chunks(out.type, std::move(chunks));
  NUMPACT_TRY(index.status());
  out.index = *index;
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
    std::optional<Trailer> known;
    if (config.trailer != TrailerPolicy::kIgnore) {
      verification.trailer_status = Trailer::try_read(file, known);
      if (verification.trailer_status.kind() == ErrorKind::kOutOfMemory) {
        return verification.trailer_status;
      }
    }
    if (known) {
      trailer::View view;
      NUMPACT_TRY(trailer::parse({file}, view));
      verification.trailer = TrailerState::kSound;
      return ByTrailer(file, view, *known, config, verification).run(context);
    }
    NUMPACT_TRY(verify_in_order(file, config, context, verification));
    if (config.trailer != TrailerPolicy::kIgnore) judge_rest(file, verification);
    return {};
  });
  if (!status.ok()) verification.header_status = status;
  return status;
}

}  // namespace numpact
