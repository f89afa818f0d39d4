// SPDX-License-Identifier: Apache-2.0
#include "gpu/plan/device_plan.hpp"

#include <algorithm>

#include "api/chunk_table.hpp"
#include "api/decode_checks.hpp"
#include "base/crc.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "gpu/plan/plan_chunk.hpp"
#include "pco/standalone/frame.hpp"

namespace numpact {
namespace {

static_assert(kPlannedVariables == kVariables);

// Adds one chunk of a file to a plan.
class ChunkPlanner {
 public:
  ChunkPlanner(std::span<const std::byte> file, const FileHeader& header,
               const ChunkIndex::Table& table, std::size_t chunk, Arena& arena)
      : file_(file),
        header_(header),
        table_(table),
        chunk_(chunk),
        place_(table.chunks[chunk]),
        arena_(arena) {}

  Status read(TrailerPolicy policy, PlannedChecksums checksums);
  // After read(): the size of its tables, scratch and tasks, and the size of its input.
  std::uint64_t table_bytes() const {
    return planned_bytes(meta_) + scratch_bytes() + task_bytes();
  }
  std::uint64_t input_bytes() const { return end().value_or(file_.size()) - place().offset; }
  // Upper bound of the end of its bytes.
  std::uint64_t input_end() const { return end().value_or(file_.size()); }
  Status add_to(DevicePlan& plan);

 private:
  const IndexedChunk& place() const { return place_; }
  std::size_t n() const { return static_cast<std::size_t>(place().count); }
  Status at(const Status& status) const { return status.at_chunk(chunk_); }
  Status misfit() const {
    return at(table_.is_from_trailer
                  ? Status(ErrorKind::kCorrupt, "the trailer contradicts the file")
                  : Status(ErrorKind::kInvalidArgument, "the index does not fit the file"));
  }
  // The end of its bytes, if known.
  std::optional<std::uint64_t> end() const {
    if (table_.is_from_trailer) return table_.end_of(chunk_);
    if (chunk_ + 1 < table_.chunks.size()) return table_.chunks.offset(chunk_ + 1);
    return std::nullopt;
  }
  std::size_t points() const { return table_.points.empty() ? 0 : table_.points[chunk_].count(); }
  bool is_lookback() const { return std::holds_alternative<Lookback>(meta_.delta); }
  std::uint64_t scratch_bytes() const { return planned_scratch_bytes(meta_, n()); }
  std::uint64_t task_bytes() const {
    return (points() + 1) * (sizeof(PlannedTask) + kEstimatedHeadBytes);
  }

  // Bytes per head assumed in the memory estimate; heads with Lookback state are covered by the
  // input.
  static constexpr std::uint64_t kEstimatedHeadBytes = 64;

  std::span<const std::byte> file_;
  const FileHeader& header_;
  const ChunkIndex::Table& table_;
  std::size_t chunk_;
  IndexedChunk place_;
  Arena& arena_;
  ChunkMeta meta_;
  std::uint64_t page_ = 0;   // offset of the page
  bool is_checked_ = false;  // its checksum goes to the plan
};

Status ChunkPlanner::read(TrailerPolicy policy, PlannedChecksums checksums) {
  if (place().offset > file_.size() || input_end() > file_.size() || input_end() < place().offset) {
    return misfit();
  }
  is_checked_ = table_.is_from_trailer && policy != TrailerPolicy::kIgnore;
  if (is_checked_ && checksums == PlannedChecksums::kCompared) {
    is_checked_ = false;
    const auto bytes = file_.subspan(static_cast<std::size_t>(place().offset),
                                     static_cast<std::size_t>(input_bytes()));
    if (crc32(bytes) != table_.crcs[chunk_]) {
      return at(Status(ErrorKind::kChecksum, "a chunk has another checksum than the trailer says",
                       place().offset));
    }
  }
  BitReader reader(file_, 8 * place().offset);
  standalone::ChunkHead head;
  NUMPACT_TRY(at(parse_chunk_head(reader, table_.type, head)));
  if (head.is_end || head.n != n()) return misfit();
  const FormatVersion version{header_.format_major, header_.format_minor};
  NUMPACT_TRY(at(parse_chunk_meta(reader, head.type, version, arena_, meta_)));
  page_ = reader.bit_position() / 8;
  return at(check_page_bins(meta_, n(), page_));
}

Status ChunkPlanner::add_to(DevicePlan& plan) {
  plan_chunk(meta_, arena_, plan);
  if (is_checked_) {
    plan.checks.push_back({place().offset - plan.input_begin, input_bytes(), table_.crcs[chunk_]});
  }
  const std::uint64_t bits = planned_head_bits(plan.chunks.back());
  const std::uint64_t bytes = (bits + 7) / 8;
  if (bytes > file_.size() - page_) {
    return at(Status(ErrorKind::kTruncated, "the input ends inside a page", file_.size()));
  }
  PlannedTask task;
  task.chunk = static_cast<std::uint32_t>(plan.chunks.size() - 1);
  task.page_left = static_cast<std::uint32_t>(n());
  task.out = place().first - plan.first;
  task.scratch = plan.scratch_bytes;
  task.head = next_head(plan);
  task.first = 8 * (page_ + bytes - plan.input_begin);
  const auto head = file_.subspan(static_cast<std::size_t>(page_), static_cast<std::size_t>(bytes));
  NUMPACT_TRY(at(add_head(head, bits, plan)));
  if (points() > 0) {
    const trailer::ChunkPoints& all = table_.points[chunk_];
    if (is_lookback() || all.state_bytes != bytes) {
      return at(Status(ErrorKind::kCorrupt, "a restart point does not fit its page", page_));
    }
    for (std::size_t i = 0; i < points(); ++i) {
      task.n = std::uint32_t{1} << *table_.restart_log;
      task.end = 8 * (page_ - plan.input_begin) + all.position(i);
      task.next_head = next_head(plan);
      NUMPACT_TRY(at(add_head(all.state(i), bits, plan)));
      plan.tasks.push_back(task);
      task.page_left -= task.n;
      task.out += task.n;
      task.head = task.next_head;
      task.first = task.end;
    }
  }
  task.n = task.page_left;
  task.next_head = PlannedTask::kNone;
  task.end = PlannedTask::kNone;
  if (const std::optional<std::uint64_t> last = end()) task.end = 8 * (*last - plan.input_begin);
  plan.tasks.push_back(task);
  plan.scratch_bytes += scratch_bytes();
  plan.count += n();
  return {};
}

}  // namespace

void DevicePlan::clear() noexcept {
  type = NumberType::kU8;
  first = count = first_chunk = input_begin = input_bytes = scratch_bytes = 0;
  chunks.clear();
  tasks.clear();
  heads.clear();
  nodes.clear();
  bins.clear();
  entries.clear();
  weights.clear();
  checks.clear();
}

DevicePlan DevicePlan::places() const {
  DevicePlan places;
  places.first_chunk = first_chunk;
  places.input_begin = input_begin;
  places.input_bytes = input_bytes;
  places.tasks = tasks;
  return places;
}

Status DevicePlan::status_of(std::uint64_t task, PlannedFailure failure) const noexcept {
  if (failure == PlannedFailure::kNone) return {};
  const PlannedTask& failed = tasks[static_cast<std::size_t>(task)];
  const auto corrupt = [&](const char* what) {
    return Status(ErrorKind::kCorrupt, what, input_begin + failed.first / 8);
  };
  const Status status = [&] {
    switch (failure) {
      case PlannedFailure::kChecksum:
        return wrong_checksum(failed.chunk);
      case PlannedFailure::kTruncated:
        return Status(ErrorKind::kTruncated, "the input ends inside a page",
                      input_begin + input_bytes);
      case PlannedFailure::kPadding:
        return corrupt("padding after a page is not zero");
      case PlannedFailure::kLookback:
        return corrupt("a lookback reaches past the window");
      case PlannedFailure::kIndex:
        return corrupt("an index reaches past the dictionary");
      case PlannedFailure::kRestart:
        return corrupt("a restart point contradicts its page");
      default:
        return corrupt("a page does not end where the next chunk begins");
    }
  }();
  return status.at_chunk(first_chunk + failed.chunk);
}

Status DevicePlan::wrong_checksum(std::size_t chunk) const noexcept {
  const std::uint64_t begin = chunk < checks.size() ? checks[chunk].begin : 0;
  return Status(ErrorKind::kChecksum, "a chunk has another checksum than the trailer says",
                input_begin + begin)
      .at_chunk(first_chunk + chunk);
}

Result<DevicePlan> DevicePlanner::next(std::uint64_t max_bytes, const DecodeConfig& config,
                                       PlannedChecksums checksums) noexcept {
  DevicePlan plan;
  NUMPACT_TRY(next_into(plan, max_bytes, config, checksums));
  return plan;
}

Status DevicePlanner::next_into(DevicePlan& made, std::uint64_t max_bytes,
                                const DecodeConfig& config, PlannedChecksums checksums) noexcept {
  made.clear();
  const Status status = guarded([&] { return plan(max_bytes, config, checksums, made); });
  if (status.ok()) next_ += made.chunks.size();
  if (status.ok() || checksums == PlannedChecksums::kCompared) return status;
  // A chunk before the error, or the damaged chunk itself, may have a wrong checksum, which is the
  // error to report.
  return next_into(made, max_bytes, config);
}

Status DevicePlanner::plan(std::uint64_t max_bytes, const DecodeConfig& config,
                           PlannedChecksums checksums, DevicePlan& plan) const {
  if (is_at_end()) return {};
  const ChunkIndex::Table& table = detail::ChunkIndexAccess::table_of(index_);
  FileHeader header;
  NUMPACT_TRY(read_header(file_).into(header));
  if (table.chunks.offset(0) != header.size_bytes ||
      (header.uniform_type && header.uniform_type != table.type)) {
    return Status(table.is_from_trailer ? ErrorKind::kCorrupt : ErrorKind::kInvalidArgument,
                  "the index does not fit the file");
  }
  NUMPACT_TRY(check_limits(config.limits, index_.count(), *table.type));
  std::size_t next = next_;
  plan.type = *table.type;
  plan.first = table.chunks[next].first;
  plan.first_chunk = next;
  plan.input_begin = table.chunks.offset(next);
  Arena arena(std::pmr::get_default_resource());
  arena.reset(config.limits.max_memory);
  const Arena::Mark mark = arena.mark();
  std::uint64_t bytes = 0;
  for (; next < table.chunks.size(); ++next) {
    arena.rewind(mark);
    ChunkPlanner planner(file_, header, table, next, arena);
    NUMPACT_TRY(planner.read(config.trailer, checksums));
    if (planner.table_bytes() > config.limits.max_memory) {
      return Status(ErrorKind::kLimitExceeded, "more memory than the limit max_memory");
    }
    const std::uint64_t needed = planner.table_bytes() + planner.input_bytes();
    if (next > next_ && needed > max_bytes - bytes) break;
    NUMPACT_TRY(planner.add_to(plan));
    plan.input_bytes = planner.input_end() - plan.input_begin;
    bytes = std::min(max_bytes, bytes + needed);
  }
  return {};
}

}  // namespace numpact
