// SPDX-License-Identifier: Apache-2.0
#include "gpu/plan/stage_files.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/try.hpp"

namespace numpact {
namespace {

// The first parts of a call are short and each is twice the one before, since nothing overlaps the
// plan of the first.
constexpr std::uint64_t kFirstPartBytes = std::uint64_t{1} << 20;

// Plans the parts of one file after the other.
class PlanAhead {
 public:
  PlanAhead(std::span<const StagedFile> files, std::uint64_t part_bytes, const DecodeConfig& config)
      : files_(files),
        part_bytes_(part_bytes),
        next_bytes_(std::min(part_bytes, kFirstPartBytes)),
        config_(config) {}

  // The next part. After an error in a file, which is in status(), comes the first part of the next
  // one.
  void next(StagedPart& part) noexcept {
    status_ = {};
    while (file_ < files_.size()) {
      if (!planner_) planner_.emplace(files_[file_].bytes, *files_[file_].index);
      if (!planner_->is_at_end()) break;
      skip(file_);
    }
    part.file = file_;
    if (file_ == files_.size()) return;
    part.first_task = first_task_;
    status_ = planner_->next_into(part.plan, next_bytes_, config_, PlannedChecksums::kListed);
    next_bytes_ = std::min(2 * next_bytes_, part_bytes_);
    first_task_ += part.plan.tasks.size();
    if (!status_.ok()) skip(file_);
  }
  // Of the part made last; its `file` is the count of files if there was none.
  const Status& status() const { return status_; }
  // Plans no more parts of a file, which is the current one or was left already.
  void skip(std::size_t file) noexcept {
    if (file != file_) return;
    planner_.reset();
    first_task_ = 0;
    ++file_;
  }

 private:
  std::span<const StagedFile> files_;
  std::uint64_t part_bytes_;
  std::uint64_t next_bytes_;
  const DecodeConfig& config_;
  std::size_t file_ = 0;
  std::optional<DevicePlanner> planner_;
  std::uint64_t first_task_ = 0;
  Status status_;
};

}  // namespace

Status stage_files(std::span<StagedFile> files, const StagedSizes& sizes,
                   const DecodeConfig& config, const TaskPool& pool, StagedPlans& plans,
                   PartSink& sink) {
  PlanAhead ahead(files, sizes.part_bytes, config);
  StagedPart& part = plans.now;
  ahead.next(part);
  while (part.file < files.size()) {
    StagedFile& file = files[part.file];
    if (!ahead.status().ok()) {
      file.status = ahead.status();
      ahead.next(part);
      continue;
    }
    StagedCopy copy(sizes.segment_bytes);
    NUMPACT_TRY(sink.begin(part, file.bytes, copy));
    NUMPACT_TRY(copy.send(pool, sink, [&] { ahead.next(plans.next); }));
    file.status = copy.compare(part.plan);
    if (file.status.ok()) {
      NUMPACT_TRY(sink.end(part));
    } else {
      ahead.skip(part.file);
      if (plans.next.file == part.file) ahead.next(plans.next);
    }
    std::swap(plans.now, plans.next);
  }
  return {};
}

}  // namespace numpact
