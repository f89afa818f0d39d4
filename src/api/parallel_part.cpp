// SPDX-License-Identifier: Apache-2.0
#include "api/parallel_part.hpp"

#include <algorithm>
#include <functional>

#include "api/context.hpp"
#include "api/decode_checks.hpp"
#include "base/size.hpp"
#include "base/try.hpp"

namespace numpact {
namespace {

// Numbers for each task of a run between two progress calls at the latest, and the least step by
// which outputs grow.
constexpr std::uint64_t kStepN = std::uint64_t{1} << 19;

// Outputs may in any case grow to so many times the bytes of the file.
constexpr std::uint64_t kBelievedRatio = 4;

// Passes places on as progress; none twice.
struct Reporter {
  const ProgressCallback& progress;
  std::uint64_t reported;
  Status cancelled = {};

  bool operator()(const standalone::Place& place) {
    if (place.numbers == reported) return true;
    reported = place.numbers;
    cancelled = report_progress(progress, {place.numbers, place.offset});
    return cancelled.ok();
  }
};

}  // namespace

using standalone::Place;
using standalone::Stretch;

ParallelPart::ParallelPart(std::span<const std::byte> file, const DecodeConfig& config,
                           DecodeContext* context, Arena& arena)
    : file_(file), config_(config), arena_(arena) {
  if (!Workers::are_wanted(config)) return;
  workers_ = &workers_of(context, own_);
  crew_ = workers_->crew(config);
}

ParallelPart::~ParallelPart() = default;

void ParallelPart::start(const standalone::FileWalker& walker, std::optional<NumberType> type) {
  if (crew_.executor == nullptr) return;
  header_ = walker.header();
  if (!type) type = header_.uniform_type;
  if (!type) {
    const std::size_t at = walker.offset();
    if (at >= file_.size() || !is_number_type(std::to_integer<std::uint8_t>(file_[at]))) return;
    type = static_cast<NumberType>(file_[at]);
  }
  type_ = *type;
  parallel_.emplace(crew_, header_, type_);
}

void ParallelPart::passed_in_order(std::size_t n) {
  if (parallel_) parallel_->passed_in_order(n);
}

std::uint64_t ParallelPart::most_numbers(const Room* room) const {
  const DecodeLimits& limits = config_.limits;
  const std::uint64_t most = std::min(limits.max_numbers, limits.max_output_bytes / size_of(type_));
  return room != nullptr ? std::min(most, room->most()) : most;
}

// Memory grows no faster than the numbers that were there before, by a step, or to what the file's
// own size makes likely.
std::uint64_t ParallelPart::step(std::uint64_t count) const {
  const std::uint64_t likely = kBelievedRatio * file_.size() / size_of(type_);
  const std::uint64_t least = std::max(count, kStepN * crew_.arenas.size());
  return std::max(least, likely - std::min(likely, count));
}

// Whether there are segments enough to share.
bool ParallelPart::plan(std::uint64_t count, const Room* room) {
  const Stretch stretch{file_};
  const bool by_steps = room != nullptr && room->is_growing();
  const std::uint64_t target = step(count);
  while (by_steps ? parallel_->planned_numbers() < target : parallel_->planned_segments() < 2) {
    if (!parallel_->plan_segment(stretch)) break;
  }
  return parallel_->planned_segments() >= 2;
}

Status ParallelPart::advance(standalone::FileWalker& walker, Room* room, std::uint64_t& count) {
  chunks_.clear();
  if (!parallel_) return {};
  const Stretch stretch{file_};
  const std::uint64_t most = most_numbers(room);
  while (parallel_->may_plan() && count <= most) {
    const Place from{walker.offset(), count, walker.next_chunk()};
    const bool by_steps = room != nullptr && room->is_growing();
    std::uint64_t left = most - count;
    if (by_steps) left = std::min(left, step(count));
    if (config_.progress) left = std::min(left, 2 * kStepN * crew_.arenas.size());
    workers_->share_memory(config_.limits.max_memory, arena_.capacity());
    parallel_->begin(from, left);
    if (!plan(count, room)) {
      workers_->give_memory_back(config_.limits.max_memory);
      return {};
    }
    void* data = nullptr;
    if (room != nullptr) {
      const std::uint64_t total = by_steps ? count + parallel_->planned_numbers() : most;
      NUMPACT_TRY(room->make(to_size(total), data));
    }
    std::byte* const out =
        room != nullptr ? static_cast<std::byte*>(data) + count * size_of(type_) : nullptr;

    Reporter reporter{config_.progress, count};
    const standalone::ParallelWalker::Report report = std::ref(reporter);
    const Place place =
        parallel_->run(stretch, out, !by_steps, config_.progress ? &report : nullptr);
    workers_->give_memory_back(config_.limits.max_memory);

    walker.resume(header_, type_, static_cast<std::size_t>(place.offset),
                  static_cast<std::size_t>(place.chunk));
    count = place.numbers;
    chunks_.insert(chunks_.end(), parallel_->chunks().begin(), parallel_->chunks().end());
    if (reporter.cancelled.ok()) reporter(place);
    NUMPACT_TRY(reporter.cancelled);
    if (place.numbers == from.numbers || room == nullptr) return {};
  }
  return {};
}

}  // namespace numpact
