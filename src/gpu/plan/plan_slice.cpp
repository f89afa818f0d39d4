// SPDX-License-Identifier: Apache-2.0
// Plans for the grids of wrapped chunks in CVC files (docs/format/cvc.md, "pco").
#include <algorithm>

#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "cvc/compression/codec.hpp"
#include "cvc/compression/pco_payload.hpp"
#include "gpu/plan/plan_chunk.hpp"

namespace numpact {

// Builds one plan. It covers part of one group, or all required spans of several groups, so that
// its pages form a grid too.
class SlicePlanner::Builder {
 public:
  Builder(SlicePlanner& at, const cvc::PcoPayload& payload, std::uint64_t data_at,
          const DecodeConfig& config, DevicePlan& plan, std::vector<PlannedPage>& pages)
      : at_(at),
        payload_(payload),
        grid_(payload.grid),
        data_at_(data_at),
        max_memory_(config.limits.max_memory),
        plan_(plan),
        pages_(pages),
        arena_(std::pmr::get_default_resource()) {
    arena_.reset(max_memory_);
    plan_.type = grid_.type;
  }

  Status add(std::uint64_t max_bytes) {
    std::uint64_t first_group = at_.group_;
    bool begins_inside = at_.span_ != 0;
    Mark group_start = mark();
    while (at_.group_ < grid_.groups()) {
      if (at_.span_ == 0) {
        group_start = mark();
        if (pages_.empty()) {
          first_group = at_.group_;
          begins_inside = false;
        }
        if (begins_inside) break;  // the rest of a group shares no plan with other groups
      }
      const bool is_full = !pages_.empty() && bytes_ > max_bytes;
      if (is_full && (at_.span_ == 0 || at_.group_ == first_group)) break;
      if (is_full) {
        go_back(group_start);
        break;
      }
      NUMPACT_TRY(add_chunk().shifted(data_at_));
      if (++at_.span_ < grid_.spans()) continue;
      at_.span_ = 0;
      ++at_.group_;
    }
    if (!pages_.empty()) plan_.input_bytes = data_at_ + at_.offset_ - plan_.input_begin;
    return {};
  }

 private:
  // The sizes of all lists and the position, for rollback.
  struct Mark {
    std::uint64_t group, span, entry, offset, bytes, count, scratch;
    std::size_t chunks, tasks, nodes, bins, entries, weights, heads, pages;
  };
  Mark mark() const {
    return {at_.group_,
            at_.span_,
            at_.entry_,
            at_.offset_,
            bytes_,
            plan_.count,
            plan_.scratch_bytes,
            plan_.chunks.size(),
            plan_.tasks.size(),
            plan_.nodes.size(),
            plan_.bins.size(),
            plan_.entries.size(),
            plan_.weights.size(),
            plan_.heads.size(),
            pages_.size()};
  }
  void go_back(const Mark& mark) {
    at_.group_ = mark.group;
    at_.span_ = mark.span;
    at_.entry_ = mark.entry;
    at_.offset_ = mark.offset;
    bytes_ = mark.bytes;
    plan_.count = mark.count;
    plan_.scratch_bytes = mark.scratch;
    plan_.chunks.resize(mark.chunks);
    plan_.tasks.resize(mark.tasks);
    plan_.nodes.resize(mark.nodes);
    plan_.bins.resize(mark.bins);
    plan_.entries.resize(mark.entries);
    plan_.weights.resize(mark.weights);
    plan_.heads.resize(mark.heads);
    pages_.resize(mark.pages);
  }

  // Passes the chunk's index entries and bytes.
  Status add_chunk() {
    const std::uint64_t end_row = at_.first_row_ + at_.rows_;
    const std::uint64_t first = at_.span_ * grid_.span_rows;
    const std::uint64_t end = std::min(first + grid_.span_rows, grid_.rows);
    const std::uint64_t pages = (end - first + grid_.page_rows - 1) / grid_.page_rows;
    if (first >= end_row || end <= at_.first_row_) {
      at_.offset_ += payload_.sum(at_.entry_, 1 + pages);
      at_.entry_ += 1 + pages;
      return {};
    }
    if (pages_.empty()) plan_.input_begin = data_at_ + at_.offset_;
    const ArenaScope scope(arena_);
    ChunkMeta meta;
    NUMPACT_TRY(open(meta));
    for (std::uint64_t row = first; row < end; row += grid_.page_rows) {
      const std::uint64_t page_end = std::min(row + grid_.page_rows, end);
      const std::uint64_t size = payload_.entry(at_.entry_++);
      if (row < end_row && page_end > at_.first_row_) {
        NUMPACT_TRY(add_page(meta, row, page_end, size));
      }
      at_.offset_ += size;
    }
    return {};
  }

  Status open(ChunkMeta& meta) {
    const std::uint64_t size = payload_.entry(at_.entry_++);
    BitReader reader(data(size));
    NUMPACT_TRY(parse_chunk_meta(reader, grid_.type, {payload_.major, payload_.minor}, arena_, meta)
                    .shifted(at_.offset_));
    if (reader.byte_position() != size) {
      return Status(ErrorKind::kCorrupt, "pco: metadata is not as long as the index says",
                    at_.offset_);
    }
    NUMPACT_TRY(take(planned_bytes(meta) + size));
    plan_chunk(meta, arena_, plan_);
    at_.offset_ += size;
    return {};
  }

  Status add_page(const ChunkMeta& meta, std::uint64_t row, std::uint64_t row_end,
                  std::uint64_t size) {
    const std::uint64_t width = grid_.group_dimensions(at_.group_);
    const auto n = static_cast<std::size_t>((row_end - row) * width);
    const std::uint64_t bits = planned_head_bits(plan_.chunks.back());
    const std::uint64_t bytes = (bits + 7) / 8;
    const std::uint64_t scratch = planned_scratch_bytes(meta, n);
    NUMPACT_TRY(check_page_bins(meta, n, at_.offset_));
    if (bytes > size) {
      return Status(ErrorKind::kTruncated, "the input ends inside a page", at_.offset_ + size);
    }
    // The numbers are decoded into device memory that is sized by the plan, so they count too.
    const std::uint64_t numbers = n * size_of(grid_.type);
    NUMPACT_TRY(take(size + scratch + numbers + sizeof(PlannedTask) + sizeof(PlannedPage)));
    const std::uint64_t begin = data_at_ + at_.offset_ - plan_.input_begin;
    PlannedTask task;
    task.chunk = static_cast<std::uint32_t>(plan_.chunks.size() - 1);
    task.n = task.page_left = static_cast<std::uint32_t>(n);
    task.out = plan_.count;
    task.scratch = plan_.scratch_bytes;
    task.head = next_head(plan_);
    task.first = 8 * (begin + bytes);
    task.end = 8 * (begin + size);
    NUMPACT_TRY(add_head(data(bytes), bits, plan_).shifted(at_.offset_));
    plan_.tasks.push_back(task);
    pages_.push_back({row, row_end - row, at_.group_ * grid_.group, width, plan_.count});
    plan_.scratch_bytes += scratch;
    plan_.count += n;
    return {};
  }

  Status take(std::uint64_t bytes) {
    bytes_ += bytes;
    if (bytes_ <= max_memory_) return {};
    return Status(ErrorKind::kLimitExceeded, "more memory than the limit max_memory");
  }
  std::span<const std::byte> data(std::uint64_t size) const {
    return payload_.data.subspan(static_cast<std::size_t>(at_.offset_),
                                 static_cast<std::size_t>(size));
  }

  SlicePlanner& at_;
  const cvc::PcoPayload& payload_;
  const cvc::PcoGrid& grid_;
  std::uint64_t data_at_;
  std::uint64_t max_memory_;
  DevicePlan& plan_;
  std::vector<PlannedPage>& pages_;
  Arena arena_;
  std::uint64_t bytes_ = 0;  // of tables, scratch, input and numbers
};

Result<SlicePlan> SlicePlanner::next(std::uint64_t max_bytes, const DecodeConfig& config) noexcept {
  const SlicePlanner before = *this;
  auto result = guarded_value<SlicePlan>([&](SlicePlan& out) -> Status {
    if (slice_.compression != cvc::Compression::kPco) {
      return Status(ErrorKind::kInvalidArgument, "not a slice of the compression pco");
    }
    if (first_row_ > slice_.rows || rows_ > slice_.rows - first_row_) {
      return Status(ErrorKind::kInvalidArgument, "rows past the slice");
    }
    cvc::PcoPayload payload;
    NUMPACT_TRY(parse_pco_payload(slice_.bytes, {slice_.rows, slice_.dimension}, payload));
    out.plan.type = payload.grid.type;
    if (rows_ > 0 && slice_.dimension > 0) {
      const auto data_at = static_cast<std::uint64_t>(payload.data.data() - slice_.bytes.data());
      // The limit bounds one plan.
      const std::uint64_t plan_bytes = std::min(max_bytes, config.limits.max_memory / 2);
      NUMPACT_TRY(Builder(*this, payload, data_at, config, out.plan, out.pages).add(plan_bytes));
    }
    is_at_end_ = rows_ == 0 || slice_.dimension == 0 || group_ >= payload.grid.groups();
    return {};
  });
  if (!result.ok()) {
    is_at_end_ = before.is_at_end_;
    group_ = before.group_;
    span_ = before.span_;
    entry_ = before.entry_;
    offset_ = before.offset_;
  }
  return result;
}

}  // namespace numpact
