// SPDX-License-Identifier: Apache-2.0
// Decodes or walks the chunks of a standalone file on several threads.
//
// A standalone file does not record where its chunks start. The planner guesses the starts and
// divides the file there into segments. Tasks decode the segments at the same time, each to the
// position that its numbers have if all earlier guesses are right. A segment is accepted once all
// segments before it are accepted and it ended exactly where the next one begins, with exactly the
// planned numbers. The run ends at the first segment that is not accepted. The accepted part is
// therefore what decoding in order gives. Errors, limits and the end of the file are left to the
// caller, who decodes the next chunk in order.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "numpact/executor.hpp"
#include "pco/standalone/chunk_scanner.hpp"

namespace numpact::internal::standalone {

// A position at which a chunk or the terminator starts.
struct Position {
  std::uint64_t offset = 0;   // bytes before it
  std::uint64_t numbers = 0;  // numbers before it
  std::uint64_t chunk = 0;    // chunks before it
};

// A chunk that was walked. Offsets are bytes from the start of the file.
struct ChunkLocation {
  std::uint64_t offset = 0;
  std::uint64_t page_offset = 0;
  std::uint64_t n = 0;  // numbers
};

// Consecutive chunks that one task decodes, and how far it came.
struct Segment {
  static constexpr std::uint64_t kOpen = ~std::uint64_t{0};

  // The plan.
  Position begin;         // guessed; `begin.chunk` is not used
  std::uint64_t end = 0;  // offset where the next segment begins; kOpen: not known
  std::uint64_t n = 0;    // numbers
  // The result. `reached` is the offset behind the last whole chunk that was decoded; `numbers` and
  // `chunks` count up to there.
  std::uint64_t reached = 0;
  std::uint64_t numbers = 0;
  std::uint64_t chunks = 0;
  std::uint64_t work = 0;  // numbers decoded, those of an incomplete chunk included
  bool is_done = false;

  bool is_as_planned() const { return numbers == n && (end == kOpen || reached == end); }
};

// The executor and the scratch of the tasks: one arena per task. `ring` holds the segments that are
// planned or being decoded, at least min_ring_size(tasks).
struct TaskGroup {
  Executor* executor = nullptr;  // null: no parallel decoding
  std::span<Arena* const> arenas;
  std::span<Segment> ring;

  static std::size_t min_ring_size(std::size_t tasks) {
    return std::max<std::size_t>(256, 8 * tasks);
  }
};

#ifdef NUMPACT_NO_EXCEPTIONS

// Where all work is done on the calling thread, nothing is ever planned.
class ParallelWalker {
 public:
  using Report = std::function<bool(const Position&)>;

  ParallelWalker(const TaskGroup&, const Header&, NumberType) {}
  bool may_plan() const { return false; }
  void passed_in_order(std::uint64_t) {}
  void begin(const Position&, std::uint64_t) {}
  bool plan_segment(const FileWindow&) noexcept { return false; }
  void end_plan() {}
  std::size_t planned_segments() const { return 0; }
  std::uint64_t planned_numbers() const { return 0; }
  bool plan_is_closed() const { return true; }
  Position run(const FileWindow&, std::byte*, bool, const Report* = nullptr) { return {}; }
  std::span<const ChunkLocation> chunks() const { return {}; }
};

#else

class ParallelWalker {
 public:
  // The objects that `group` points to must outlive the walker.
  ParallelWalker(const TaskGroup& group, const Header& header, NumberType type);

  // False while the work wasted on wrong guesses exceeds the work decoded in order since.
  bool may_plan() const { return debt_ == 0; }
  // The caller reports each chunk of n numbers that it decoded in order.
  void passed_in_order(std::uint64_t n);

  // Drops the plan and starts a new one at `position`, of at most `max_numbers` numbers.
  void begin(const Position& position, std::uint64_t max_numbers);
  // Plans one more segment. False: none can be planned, either for now (the window ends) or at all.
  bool plan_segment(const FileWindow& window) noexcept {
    return plan_with(window, *group_.arenas[0]);
  }
  // Closes the open segment even though it is short.
  void end_plan();
  std::size_t planned_segments() const { return planned_ - taken_; }
  std::uint64_t planned_numbers() const { return segments_end_.numbers - begin_.numbers; }
  // No segment can be planned before run(), not even with more bytes.
  bool plan_is_closed() const { return plan_closed_ || planned_ - accepted_ == group_.ring.size(); }

  // Called only on the thread that called run(), with the accepted position; false ends the run.
  using Report = std::function<bool(const Position&)>;

  // Decodes the segments. `out` is the position of the first number after begin(); null: the
  // segments are walked without making numbers. `plans_more`: tasks plan further segments when they
  // run out of them. Returns the accepted position, up to which all numbers are valid.
  Position run(const FileWindow& window, std::byte* out, bool plans_more,
               const Report* report = nullptr);
  // The accepted chunks of the last run(), in order. Only walks record them, and a walk ends early
  // when there are very many.
  const std::vector<ChunkLocation>& chunks() const { return chunks_; }

 private:
  struct Job;

  bool plan_with(const FileWindow& window, Arena& scratch) noexcept;
  ChunkScanner::Outcome plan_chunk(const FileWindow& window, Arena& scratch);
  bool add_segment();
  Segment& segment(std::size_t index) { return group_.ring[index % group_.ring.size()]; }

  void work(Job& job, std::size_t worker) noexcept;
  void decode(Job& job, Segment& segment, Arena& arena,
              std::vector<ChunkLocation>& chunks) noexcept;
  void accept_done(Job& job);
  void charge_wasted_work();

  TaskGroup group_;
  Header header_;
  NumberType type_;
  ChunkScanner scanner_;

  std::vector<std::vector<ChunkLocation>> ring_chunks_;  // by place in the ring; for walks
  std::vector<ChunkLocation> chunks_;
  // Segments since begin(), by count. Segment i lies in the ring at index i modulo the ring size.
  // Invariant: accepted <= taken <= planned <= accepted + ring size.
  //
  //   0 ....... accepted_ ........ taken_ ........ planned_
  //    accepted       decoding or done   not yet taken
  std::size_t accepted_ = 0;
  std::size_t taken_ = 0;
  std::size_t planned_ = 0;

  Position begin_;
  std::uint64_t max_numbers_ = 0;
  Position segments_end_;       // where the open segment, which is being planned, begins
  std::uint64_t open_n_ = 0;    // numbers of the open segment
  std::uint64_t open_end_ = 0;  // offset where the open segment ends so far
  LikelyChunk next_;            // the chunk that follows; n == 0: not examined yet
  bool plan_closed_ = true;

  std::uint64_t debt_ = 0;  // wasted work in numbers, not yet balanced by decoding in order
  unsigned failures_in_a_row_ = 0;
};

#endif

}  // namespace numpact::internal::standalone
