// SPDX-License-Identifier: Apache-2.0
#include "api/parallel_part.hpp"

#include <algorithm>
#include <functional>

#include "api/context.hpp"
#include "api/decode_checks.hpp"
#include "base/internal.hpp"
#include "base/size.hpp"
#include "base/try.hpp"

namespace numpact {
namespace {

// Numbers per task between two progress calls, and the minimum step by which outputs grow.
constexpr std::uint64_t kStepN = std::uint64_t{1} << 19;

// Outputs may always grow to this multiple of the file's size in bytes: a plausible ratio that
// needs no proof by decoded numbers.
constexpr std::uint64_t kUnprovenOutputRatio = 4;

// Reports each position once as progress.
struct Reporter {
  const ProgressCallback& progress;
  std::uint64_t reported;
  Status cancelled = {};

  bool operator()(const standalone::Position& place) {
    if (place.numbers == reported) return true;
    reported = place.numbers;
    cancelled = report_progress(progress, {place.numbers, place.offset});
    return cancelled.ok();
  }
};

}  // namespace

using standalone::FileWindow;
using standalone::Position;

ParallelPart::ParallelPart(std::span<const std::byte> file, const DecodeConfig& config,
                           DecodeContext* context, Arena& arena)
    : file_(file), config_(config), arena_(arena) {
  if (!WorkerPool::are_requested(config)) return;
  worker_pool_ = &worker_pool_of(context, own_);
  group_ = worker_pool_->group(config);
}

ParallelPart::~ParallelPart() = default;

void ParallelPart::start(const standalone::FileWalker& walker, std::optional<NumberType> type) {
  if (group_.executor == nullptr) return;
  header_ = walker.header();
  if (!type) type = header_.uniform_type;
  if (!type) {
    const std::size_t at = walker.offset();
    if (at >= file_.size() || !is_number_type(std::to_integer<std::uint8_t>(file_[at]))) return;
    type = static_cast<NumberType>(file_[at]);
  }
  type_ = *type;
  parallel_.emplace(group_, header_, type_);
}

void ParallelPart::passed_in_order(std::size_t n) {
  if (parallel_) parallel_->passed_in_order(n);
}

std::uint64_t ParallelPart::max_numbers(const OutputBuffer* buffer) const {
  const DecodeLimits& limits = config_.limits;
  const std::uint64_t max_n =
      std::min(limits.max_numbers, numbers_in(limits.max_output_bytes, type_));
  return buffer != nullptr ? std::min(max_n, buffer->max_n()) : max_n;
}

// Memory may double, grow by one step per task, or grow to the size that the file's bytes make
// plausible.
std::uint64_t ParallelPart::step(std::uint64_t count) const {
  const std::uint64_t plausible = numbers_in(kUnprovenOutputRatio * file_.size(), type_);
  const std::uint64_t min_step = std::max(count, kStepN * group_.arenas.size());
  return std::max(min_step, plausible - std::min(plausible, count));
}

// Whether there are at min_step two segments to share.
bool ParallelPart::plan(std::uint64_t count, const OutputBuffer* buffer) {
  const FileWindow window{file_};
  const bool by_steps = buffer != nullptr && buffer->is_growing();
  const std::uint64_t target = step(count);
  while (by_steps ? parallel_->planned_numbers() < target : parallel_->planned_segments() < 2) {
    if (!parallel_->plan_segment(window)) break;
  }
  return parallel_->planned_segments() >= 2;
}

Status ParallelPart::advance(standalone::FileWalker& walker, OutputBuffer* buffer,
                             std::uint64_t& count) {
  chunks_.clear();
  if (!parallel_) return {};
  const FileWindow window{file_};
  const std::uint64_t max_n = max_numbers(buffer);
  while (parallel_->may_plan() && count <= max_n) {
    const Position from{walker.offset(), count, walker.next_chunk()};
    const bool by_steps = buffer != nullptr && buffer->is_growing();
    std::uint64_t left = max_n - count;
    if (by_steps) left = std::min(left, step(count));
    if (config_.progress) left = std::min(left, 2 * kStepN * group_.arenas.size());
    worker_pool_->share_memory(config_.limits.max_memory, arena_.capacity());
    parallel_->begin(from, left);
    if (!plan(count, buffer)) {
      worker_pool_->give_memory_back(config_.limits.max_memory);
      return {};
    }
    void* data = nullptr;
    if (buffer != nullptr) {
      const std::uint64_t total = by_steps ? count + parallel_->planned_numbers() : max_n;
      NUMPACT_TRY(buffer->make(to_size(total), data));
    }
    std::byte* const out =
        buffer != nullptr ? static_cast<std::byte*>(data) + count * size_of(type_) : nullptr;

    Reporter reporter{config_.progress, count};
    const standalone::ParallelWalker::Report report = std::ref(reporter);
    const Position place =
        parallel_->run(window, out, !by_steps, config_.progress ? &report : nullptr);
    worker_pool_->give_memory_back(config_.limits.max_memory);

    walker.resume(header_, type_, static_cast<std::size_t>(place.offset),
                  static_cast<std::size_t>(place.chunk));
    count = place.numbers;
    chunks_.insert(chunks_.end(), parallel_->chunks().begin(), parallel_->chunks().end());
    if (reporter.cancelled.ok()) reporter(place);
    NUMPACT_TRY(reporter.cancelled);
    if (place.numbers == from.numbers || buffer == nullptr) return {};
  }
  return {};
}

}  // namespace numpact
