// SPDX-License-Identifier: Apache-2.0
#include "pco/standalone/parallel_walker.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/guard.hpp"
#include "pco/standalone/file_walker.hpp"

namespace numpact::standalone {
namespace {

// Chunks are put together to segments of at least so many numbers.
constexpr std::uint64_t kSegmentN = std::uint64_t{1} << 15;

// A walk ends once it has passed so many chunks, whose places the caller takes before the next.
constexpr std::size_t kMostPlaces = std::size_t{1} << 14;

// Room for places that a segment keeps from walk to walk.
constexpr std::size_t kKeptPlaces = 256;

// Numbers decoded between looks at whether to go on.
constexpr std::size_t kPieceN = std::size_t{1} << 14;

// What a segment costs beside its numbers, counted in numbers: tables, mostly.
constexpr std::uint64_t kSegmentCost = std::uint64_t{1} << 14;

constexpr unsigned kMostFailures = 16;

}  // namespace

// What the tasks of a run share.
struct ParallelWalker::Job {
  ParallelWalker& walker;
  const Stretch& stretch;
  std::byte* out;
  bool go_on;
  const Report* report;
  std::thread::id caller = std::this_thread::get_id();

  std::mutex mutex = {};
  std::condition_variable changed = {};  // a segment was settled, or work ends
  Place proven = {};                     // guarded by the mutex
  std::atomic<bool> stopped = false;
};

ParallelWalker::ParallelWalker(const Crew& crew, const Header& header, NumberType type)
    : crew_(crew), header_(header), type_(type), scanner_(type, header.format) {}

void ParallelWalker::passed_in_order(std::uint64_t n) {
  debt_ -= std::min(debt_, n + kSegmentCost);
}

void ParallelWalker::begin(const Place& place, std::uint64_t room) {
  begin_ = segments_end_ = place;
  room_ = room;
  open_end_ = place.offset;
  open_n_ = 0;
  next_ = {};
  settled_ = taken_ = planned_ = 0;
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
  if (planned_ - settled_ < crew_.ring.size()) add_segment();
}

// Adds the next chunk to the open segment, and looks for the one behind it: where that starts is
// where this one would end.
ChunkScanner::Outcome ParallelWalker::plan_chunk(const Stretch& stretch, Arena& scratch) {
  using Outcome = ChunkScanner::Outcome;
  if (next_.n == 0) {
    const Outcome outcome = scanner_.look_at(stretch, open_end_, scratch, next_);
    if (outcome != Outcome::kFound) return outcome;
  }
  const std::uint64_t before = segments_end_.numbers - begin_.numbers + open_n_;
  if (next_.n < ChunkScanner::kMinN || next_.n > room_ - before) return Outcome::kNone;
  LikelyChunk behind;
  const Outcome outcome = scanner_.find_next(stretch, next_, scratch, behind);
  if (outcome == Outcome::kMore) return outcome;
  // Of what is not whole for certain nothing is taken.
  const bool may_go_on_behind = !stretch.is_last && next_.most_end > stretch.end();
  if (outcome == Outcome::kNone && may_go_on_behind) return outcome;
  open_n_ += next_.n;
  open_end_ = outcome == Outcome::kFound ? behind.offset : Segment::kOpen;
  next_ = behind;
  return outcome;
}

bool ParallelWalker::plan_with(const Stretch& stretch, Arena& scratch) noexcept {
  if (planned_ - settled_ == crew_.ring.size()) return false;
  while (!plan_closed_ && open_n_ < kSegmentN) {
    ChunkScanner::Outcome outcome = ChunkScanner::Outcome::kNone;
    try {
      outcome = plan_chunk(stretch, scratch);
    } catch (...) {
    }
    if (outcome == ChunkScanner::Outcome::kMore) return false;
    plan_closed_ = outcome == ChunkScanner::Outcome::kNone;
  }
  return add_segment();
}

Place ParallelWalker::run(const Stretch& stretch, std::byte* out, bool go_on,
                          const Report* report) {
  chunks_.clear();
  if (out == nullptr) ring_chunks_.resize(crew_.ring.size());
  Job job{*this, stretch, out, go_on, report};
  job.proven = begin_;
  const auto task = [](void* argument, std::size_t worker) noexcept {
    const CallerState state;
    Job& shared = *static_cast<Job*>(argument);
    shared.walker.work(shared, worker);
  };
  const std::size_t tasks =
      go_on ? crew_.arenas.size() : std::min(crew_.arenas.size(), planned_segments());
  crew_.executor->run(tasks, task, &job);
  if (job.stopped) {
    count_waste();
  } else {
    failures_in_a_row_ = 0;
  }
  return job.proven;
}

void ParallelWalker::count_waste() {
  if (taken_ == settled_) return;
  // Files that go on to mislead are tried less and less.
  failures_in_a_row_ = std::min(failures_in_a_row_ + 1, kMostFailures);
  for (std::size_t i = settled_; i < taken_; ++i) {
    debt_ += failures_in_a_row_ * (segment(i).work + kSegmentCost);
  }
}

void ParallelWalker::work(Job& job, std::size_t worker) noexcept {
  Arena& arena = *crew_.arenas[worker];
  std::unique_lock lock(job.mutex);
  Place reported = begin_;
  while (!job.stopped) {
    if (taken_ == planned_ && taken_ - settled_ == crew_.ring.size()) {
      // The oldest segment is in the works elsewhere.
      job.changed.wait(lock);
      continue;
    }
    if (taken_ == planned_) {
      const bool is_full = chunks_.size() >= kMostPlaces;
      if (!job.go_on || is_full || !plan_with(job.stretch, arena)) return;
    }
    const std::size_t index = taken_++;
    Segment& mine = segment(index);
    lock.unlock();
    std::vector<ChunkPlace> none;
    decode(job, mine, arena, job.out == nullptr ? ring_chunks_[index % crew_.ring.size()] : none);
    lock.lock();
    mine.is_done = true;
    settle(job);
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

// Takes what is done and follows on what is proven.
void ParallelWalker::settle(Job& job) {
  while (!job.stopped && settled_ < taken_ && segment(settled_).is_done) {
    const Segment& oldest = segment(settled_);
    if (job.out == nullptr) {
      std::vector<ChunkPlace>& passed = ring_chunks_[settled_ % crew_.ring.size()];
      try {
        chunks_.insert(chunks_.end(), passed.begin(), passed.end());
        // Of tiny chunks a segment has very many.
        if (passed.size() > kKeptPlaces) std::vector<ChunkPlace>().swap(passed);
      } catch (...) {
        job.stopped = true;
        break;
      }
    }
    job.proven.offset = oldest.reached;
    job.proven.numbers += oldest.numbers;
    job.proven.chunk += oldest.chunks;
    if (!oldest.is_as_foreseen()) {
      job.stopped = true;
      break;
    }
    ++settled_;
  }
  job.changed.notify_all();
}

// Ends early where anything is wrong. Whatever the guess, nothing is read outside the segment's
// bytes, and nothing written outside the room of its numbers.
void ParallelWalker::decode(Job& job, Segment& mine, Arena& arena,
                            std::vector<ChunkPlace>& chunks) noexcept {
  try {
    chunks.clear();
    const Stretch& stretch = job.stretch;
    const std::uint64_t end = mine.end == Segment::kOpen ? stretch.end() : mine.end;
    const ArenaScope scope(arena);
    FileWalker walker(stretch.bytes.first(static_cast<std::size_t>(end - stretch.base)), arena);
    walker.resume(header_, type_, static_cast<std::size_t>(mine.begin.offset - stretch.base), 0);
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
          const std::size_t piece = std::min(walker.numbers_left(), kPieceN);
          mine.work += piece;
          if (!walker.decode(piece, at).ok()) return;
          at += piece * size_of(type_);
        }
      }
      if (!walker.leave_chunk().ok()) return;
      if (job.out == nullptr) {
        chunks.push_back(
            {stretch.base + walker.chunk_offset(), stretch.base + walker.page_offset(), n});
      }
      mine.reached = stretch.base + walker.offset();
      mine.numbers += n;
      ++mine.chunks;
    }
  } catch (...) {
    // Decoding in order will need the memory too, and say so.
  }
}

}  // namespace numpact::standalone
