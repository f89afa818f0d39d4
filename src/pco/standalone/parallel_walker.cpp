// SPDX-License-Identifier: Apache-2.0
// Plans segments, decodes them on tasks, and accepts them in order.
#include "pco/standalone/parallel_walker.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/guard.hpp"
#include "pco/standalone/file_walker.hpp"

namespace numpact::internal::standalone {
namespace {

// Consecutive chunks are joined to segments of at least this many numbers. Larger segments cost
// less synchronization, smaller ones keep more tasks busy.
constexpr std::uint64_t kMinParallelSegmentN = std::uint64_t{1} << 15;

// A walk plans no further segments once it has recorded this many chunks. The caller takes their
// locations and starts the next walk, which bounds the memory of chunks_.
constexpr std::size_t kMaxChunksPerWalkN = std::size_t{1} << 14;

// Longer lists of locations are freed after a segment instead of kept for the next one: a segment
// of tiny chunks has very many, and the ring holds many segments.
constexpr std::size_t kKeptLocationsN = 256;

// Numbers decoded between two checks of whether the run was stopped. Smaller steps stop sooner,
// larger ones check less often.
constexpr std::size_t kDecodeStepN = std::size_t{1} << 14;

// Fixed cost of a segment, mostly building its tables, expressed as numbers decoded.
constexpr std::uint64_t kSegmentOverheadN = std::uint64_t{1} << 14;

// The debt of a failed run is multiplied by the count of failed runs in a row, up to this factor.
// The bound limits how long a misleading part of a file suppresses parallel decoding of the rest.
constexpr unsigned kMaxCountedFailures = 16;

}  // namespace

// State shared by the tasks of a run.
struct ParallelWalker::Job {
  ParallelWalker& walker;
  const FileWindow& window;
  std::byte* out;
  bool plans_more;
  const Report* report;
  std::thread::id caller = std::this_thread::get_id();

  std::mutex mutex = {};
  std::condition_variable changed = {};  // a segment was accepted, or the run ends
  Position proven = {};                  // guarded by the mutex
  std::atomic<bool> stopped = false;
};

ParallelWalker::ParallelWalker(const TaskGroup& group, const Header& header, NumberType type)
    : group_(group), header_(header), type_(type), scanner_(type, header.format) {}

void ParallelWalker::passed_in_order(std::uint64_t n) {
  debt_ -= std::min(debt_, n + kSegmentOverheadN);
}

void ParallelWalker::begin(const Position& position, std::uint64_t max_numbers) {
  begin_ = segments_end_ = position;
  max_numbers_ = max_numbers;
  open_end_ = position.offset;
  open_n_ = 0;
  next_ = {};
  accepted_ = taken_ = planned_ = 0;
  plan_closed_ = false;
}

// Ends the open segment and opens the next.
bool ParallelWalker::add_segment() {
  if (open_n_ == 0) return false;
  Segment& added = segment(planned_++);
  added = Segment{};
  added.begin = segments_end_;
  added.reached = segments_end_.offset;
  added.end = open_end_;
  added.n = open_n_;
  segments_end_.offset = open_end_;
  segments_end_.numbers += open_n_;
  open_n_ = 0;
  return true;
}

void ParallelWalker::end_plan() {
  if (planned_ - accepted_ < group_.ring.size()) add_segment();
}

// Adds the next chunk to the open segment and searches for the one behind it, whose start is the
// end of the added chunk.
ChunkScanner::Outcome ParallelWalker::plan_chunk(const FileWindow& window, Arena& scratch) {
  using Outcome = ChunkScanner::Outcome;
  if (next_.n == 0) {
    const Outcome outcome = scanner_.examine_at(window, open_end_, scratch, next_);
    if (outcome != Outcome::kFound) return outcome;
  }
  const std::uint64_t before = segments_end_.numbers - begin_.numbers + open_n_;
  if (next_.n < ChunkScanner::kMinChunkN || next_.n > max_numbers_ - before) return Outcome::kNone;
  LikelyChunk behind;
  const Outcome outcome = scanner_.find_next(window, next_, scratch, behind);
  if (outcome == Outcome::kMore) return outcome;
  // A chunk that may continue behind the window is not added.
  const bool may_go_on_behind = !window.is_last && next_.max_end > window.end();
  if (outcome == Outcome::kNone && may_go_on_behind) return outcome;
  open_n_ += next_.n;
  open_end_ = outcome == Outcome::kFound ? behind.offset : Segment::kOpen;
  next_ = behind;
  return outcome;
}

bool ParallelWalker::plan_with(const FileWindow& window, Arena& scratch) noexcept {
  if (planned_ - accepted_ == group_.ring.size()) return false;
  while (!plan_closed_ && open_n_ < kMinParallelSegmentN) {
    ChunkScanner::Outcome outcome = ChunkScanner::Outcome::kNone;
    try {
      outcome = plan_chunk(window, scratch);
    } catch (...) {
    }
    if (outcome == ChunkScanner::Outcome::kMore) return false;
    plan_closed_ = outcome == ChunkScanner::Outcome::kNone;
  }
  return add_segment();
}

Position ParallelWalker::run(const FileWindow& window, std::byte* out, bool plans_more,
                             const Report* report) {
  chunks_.clear();
  if (out == nullptr) ring_chunks_.resize(group_.ring.size());
  Job job{*this, window, out, plans_more, report};
  job.proven = begin_;
  const auto task = [](void* argument, std::size_t worker) noexcept {
    const CallerState state;
    Job& shared = *static_cast<Job*>(argument);
    shared.walker.work(shared, worker);
  };
  const std::size_t tasks =
      plans_more ? group_.arenas.size() : std::min(group_.arenas.size(), planned_segments());
  group_.executor->run(tasks, task, &job);
  if (job.stopped) {
    charge_wasted_work();
  } else {
    failures_in_a_row_ = 0;
  }
  return job.proven;
}

void ParallelWalker::charge_wasted_work() {
  if (taken_ == accepted_) return;
  // Repeated failures grow the debt faster, so misleading files are attempted less and less.
  failures_in_a_row_ = std::min(failures_in_a_row_ + 1, kMaxCountedFailures);
  for (std::size_t i = accepted_; i < taken_; ++i) {
    debt_ += failures_in_a_row_ * (segment(i).work + kSegmentOverheadN);
  }
}

void ParallelWalker::work(Job& job, std::size_t worker) noexcept {
  Arena& arena = *group_.arenas[worker];
  std::unique_lock lock(job.mutex);
  Position reported = begin_;
  while (!job.stopped) {
    if (taken_ == planned_ && taken_ - accepted_ == group_.ring.size()) {
      // The ring is full: another task is decoding the oldest segment.
      job.changed.wait(lock);
      continue;
    }
    if (taken_ == planned_) {
      const bool is_full = chunks_.size() >= kMaxChunksPerWalkN;
      if (!job.plans_more || is_full || !plan_with(job.window, arena)) return;
    }
    const std::size_t index = taken_++;
    Segment& mine = segment(index);
    lock.unlock();
    std::vector<ChunkLocation> none;
    decode(job, mine, arena, job.out == nullptr ? ring_chunks_[index % group_.ring.size()] : none);
    lock.lock();
    mine.is_done = true;
    accept_done(job);
    if (job.report == nullptr || std::this_thread::get_id() != job.caller) continue;
    if (job.proven.numbers == reported.numbers) continue;
    reported = job.proven;
    lock.unlock();
    const bool may_go_on = (*job.report)(reported);
    lock.lock();
    if (!may_go_on) job.stopped = true;
    job.changed.notify_all();
  }
}

// Accepts the segments that are done and follow the accepted ones. The mutex is held.
void ParallelWalker::accept_done(Job& job) {
  while (!job.stopped && accepted_ < taken_ && segment(accepted_).is_done) {
    const Segment& oldest = segment(accepted_);
    if (job.out == nullptr) {
      std::vector<ChunkLocation>& passed = ring_chunks_[accepted_ % group_.ring.size()];
      try {
        chunks_.insert(chunks_.end(), passed.begin(), passed.end());
        if (passed.size() > kKeptLocationsN) std::vector<ChunkLocation>().swap(passed);
      } catch (...) {
        job.stopped = true;
        break;
      }
    }
    job.proven.offset = oldest.reached;
    job.proven.numbers += oldest.numbers;
    job.proven.chunk += oldest.chunks;
    if (!oldest.is_as_planned()) {
      job.stopped = true;
      break;
    }
    ++accepted_;
  }
  job.changed.notify_all();
}

// Returns early on any error. Whatever the guess, nothing is read outside the segment's bytes, and
// nothing is written outside the output of its planned numbers.
void ParallelWalker::decode(Job& job, Segment& mine, Arena& arena,
                            std::vector<ChunkLocation>& chunks) noexcept {
  try {
    chunks.clear();
    const FileWindow& window = job.window;
    const std::uint64_t end = mine.end == Segment::kOpen ? window.end() : mine.end;
    const ArenaScope scope(arena);
    FileWalker walker(window.bytes.first(static_cast<std::size_t>(end - window.base)), arena);
    walker.resume(header_, type_, static_cast<std::size_t>(mine.begin.offset - window.base), 0);
    while (mine.numbers < mine.n && !job.stopped) {
      bool is_end = false;
      if (!walker.enter_chunk(is_end).ok() || is_end) return;
      const std::size_t n = walker.head().n;
      if (n > mine.n - mine.numbers) return;
      if (job.out == nullptr) {
        std::array<PageVariableSizes, kVariables> sizes{};
        mine.work += n;
        if (!walker.skip(sizes).ok()) return;
      } else {
        const std::uint64_t first = mine.begin.numbers - begin_.numbers + mine.numbers;
        std::byte* at = job.out + first * size_of(type_);
        while (walker.numbers_left() > 0) {
          if (job.stopped) return;
          const std::size_t step_n = std::min(walker.numbers_left(), kDecodeStepN);
          mine.work += step_n;
          if (!walker.decode(step_n, at).ok()) return;
          at += step_n * size_of(type_);
        }
      }
      if (!walker.leave_chunk().ok()) return;
      if (job.out == nullptr) {
        chunks.push_back(
            {window.base + walker.chunk_offset(), window.base + walker.page_offset(), n});
      }
      mine.reached = window.base + walker.offset();
      mine.numbers += n;
      ++mine.chunks;
    }
  } catch (...) {
    // Decoding in order needs the same memory and reports the error.
  }
}

}  // namespace numpact::internal::standalone
