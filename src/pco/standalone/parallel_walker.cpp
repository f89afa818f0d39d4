// SPDX-License-Identifier: Apache-2.0
#include "pco/standalone/parallel_walker.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "pco/standalone/file_walker.hpp"

namespace numpact::standalone {
namespace {

// Chunks are put together to segments of at least so many numbers.
constexpr std::uint64_t kSegmentN = std::uint64_t{1} << 15;

// Numbers decoded between looks at whether to go on.
constexpr std::size_t kPieceN = std::size_t{1} << 14;

// What a segment costs beside its numbers, counted in numbers: tables, mostly.
constexpr std::uint64_t kSegmentCost = std::uint64_t{1} << 14;

// How often another count may be taken for the file's usual one; each time it is scanned anew.
constexpr unsigned kMaxChangesOfN = 8;

constexpr unsigned kMostFailures = 16;

bool about_equal(std::uint64_t a, std::uint64_t b) { return a <= b + 1 && b <= a + 1; }

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
  const std::uint64_t paid = n + kSegmentCost;
  debt_ -= std::min(debt_, paid);
  // The first chunk may not be of the usual size, or what follows was appended with another.
  const bool again = about_equal(n, last_n_in_order_) && n >= ChunkScanner::kMinN;
  last_n_in_order_ = n;
  if (!again || about_equal(n, scanner_.wanted_n()) || changes_of_n_ >= kMaxChangesOfN) return;
  ++changes_of_n_;
  scanner_.look_for(n);
}

void ParallelWalker::begin(const Place& place, std::uint64_t room) {
  begin_ = segments_end_ = place;
  room_ = room;
  open_at_ = open_end_ = place.offset;
  open_n_ = 0;
  settled_ = taken_ = planned_ = 0;
  plan_closed_ = false;
}

bool ParallelWalker::read_head(const Stretch& stretch, std::uint64_t at, std::uint64_t& n) const {
  if (at < stretch.base || at + kChunkHeadBytes > stretch.end()) return false;
  const std::byte* const head = stretch.bytes.data() + (at - stretch.base);
  n = head_n(head);
  return true;
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

// Chunks of a column have about the same number of bytes, so the next does not start soon. How
// boldly that is believed depends on how often it was wrong.
std::uint64_t ParallelWalker::bytes_not_scanned() const {
  // A start that is passed over ends the run. Scanning costs little against that, and nearly
  // nothing where numbers take few bytes: only sizes that were much alike so far are relied on, and
  // large.
  if (wrong_guesses_ > 0) return kChunkHeadBytes;
  std::uint64_t skipped = 0;
  if (smallest_chunk_ == 0) {
    const std::uint64_t chunks =
        std::max<std::uint64_t>(1, expected_numbers_ / scanner_.wanted_n());
    skipped = expected_bytes_ / chunks / 8;
  } else if (smallest_chunk_ >= scanner_.wanted_n() &&
             largest_chunk_ - smallest_chunk_ <= smallest_chunk_ / 4) {
    const std::uint64_t spread = largest_chunk_ - smallest_chunk_;
    skipped = smallest_chunk_ - smallest_chunk_ / 4 - 2 * spread;
  }
  return std::max<std::uint64_t>(kChunkHeadBytes, skipped);
}

bool ParallelWalker::plan_with(const Stretch& stretch, Arena& scratch) noexcept {
  if (planned_ - settled_ == crew_.ring.size()) return false;
  while (!plan_closed_) {
    std::uint64_t n = 0;
    if (!read_head(stretch, open_at_, n)) {
      if (!stretch.is_last) return false;
      plan_closed_ = true;
      break;
    }
    const auto at = static_cast<std::size_t>(open_at_ - stretch.base);
    const auto type = std::to_integer<std::uint8_t>(stretch.bytes[at]);
    const std::uint64_t before = segments_end_.numbers - begin_.numbers + open_n_;
    if (type != static_cast<std::uint8_t>(type_) || n > room_ - before) {
      plan_closed_ = true;
      break;
    }
    if (scanner_.wanted_n() == 0) scanner_.look_for(n);
    if (scanner_.wanted_n() < ChunkScanner::kMinN) {
      plan_closed_ = true;
      break;
    }
    const bool is_usual = about_equal(n, scanner_.wanted_n());
    const std::uint64_t skipped = is_usual ? bytes_not_scanned() : kChunkHeadBytes;
    std::uint64_t next = ChunkScanner::kNone;
    try {
      next = scanner_.find(stretch, open_at_ + skipped, scratch);
    } catch (const std::bad_alloc&) {
      plan_closed_ = true;
      break;
    }
    if (next == ChunkScanner::kNone && !stretch.is_last) return false;
    open_n_ += n;
    open_end_ = next;
    if (next == ChunkScanner::kNone) {
      plan_closed_ = true;
      break;
    }
    if (is_usual) {
      const std::uint64_t bytes = next - open_at_;
      smallest_chunk_ = smallest_chunk_ == 0 ? bytes : std::min(smallest_chunk_, bytes);
      largest_chunk_ = std::max(largest_chunk_, bytes);
    }
    open_at_ = next;
    if (open_n_ >= kSegmentN) break;
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
  ++wrong_guesses_;
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
      if (!job.go_on || !plan_with(job.stretch, arena)) return;
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
      const std::vector<ChunkPlace>& passed = ring_chunks_[settled_ % crew_.ring.size()];
      try {
        chunks_.insert(chunks_.end(), passed.begin(), passed.end());
      } catch (const std::bad_alloc&) {
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
    const std::uint64_t end = mine.end == ChunkScanner::kNone ? stretch.end() : mine.end;
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
  } catch (const std::bad_alloc&) {
    // Decoding in order will need the memory too, and say so.
  }
}

}  // namespace numpact::standalone
