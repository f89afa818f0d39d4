// SPDX-License-Identifier: Apache-2.0
// Decodes or walks chunks of a standalone file on several threads.
//
// Where a chunk starts is known only once all before it are decoded. So it is guessed: the planner
// finds likely starts, and cuts the file there into segments that are decoded at the same time,
// each to where its numbers will lie if all guesses before it were right. A segment counts once all
// before it count and it ended exactly where the next begins, with exactly the numbers foreseen.
// At the first that does not, work ends; what counts until then is what decoding in order gives.
// Errors, limits and ends of files are left to the caller, who decodes the next chunk in order.
#ifndef NUMPACT_PCO_STANDALONE_PARALLEL_WALKER_HPP
#define NUMPACT_PCO_STANDALONE_PARALLEL_WALKER_HPP

#include <algorithm>
#include <functional>
#include <vector>

#include "numpact/executor.hpp"
#include "pco/standalone/chunk_scanner.hpp"

namespace numpact::standalone {

// Where a chunk or the terminator starts: bytes, numbers and chunks before it.
struct Place {
  std::uint64_t offset = 0;
  std::uint64_t numbers = 0;
  std::uint64_t chunk = 0;
};

struct ChunkPlace {
  std::uint64_t offset = 0;
  std::uint64_t page_offset = 0;
  std::uint64_t n = 0;
};

// Chunks in a row that one task takes.
struct Segment {
  static constexpr std::uint64_t kOpen = ~std::uint64_t{0};

  Place begin;                // as guessed; its chunk is not used
  std::uint64_t end = 0;      // where the next one begins; kOpen: not known
  std::uint64_t n = 0;        // numbers foreseen
  std::uint64_t reached = 0;  // after whole chunks that were decoded
  std::uint64_t numbers = 0;  // of these
  std::uint64_t chunks = 0;
  std::uint64_t work = 0;  // numbers decoded in any case
  bool is_done = false;

  bool is_as_foreseen() const { return numbers == n && (end == kOpen || reached == end); }
};

// Who works: as many tasks as there are arenas, which are theirs. `ring` is room for the segments
// that a walker has in the works, at least least_ring() of them.
struct Crew {
  Executor* executor = nullptr;  // null: nobody
  std::span<Arena* const> arenas;
  std::span<Segment> ring;

  static std::size_t least_ring(std::size_t tasks) { return std::max<std::size_t>(256, 8 * tasks); }
};

class ParallelWalker {
 public:
  // What the crew points to must outlive the walker.
  ParallelWalker(const Crew& crew, const Header& header, NumberType type);

  // Guessing wrong costs; it rests until as much was decoded in order as it cost.
  bool may_plan() const { return debt_ == 0; }
  // To be told of each chunk that was decoded in order.
  void passed_in_order(std::uint64_t n);

  // Drops what was planned; plans go on from `place`, and hold at most `room` numbers.
  void begin(const Place& place, std::uint64_t room);
  // Plans one more segment. False: none can be, for now (no more bytes at hand) or at all.
  bool plan_segment(const Stretch& stretch) noexcept {
    return plan_with(stretch, *crew_.arenas[0]);
  }
  // Makes a segment of what was found since the last one.
  void end_plan();
  std::size_t planned_segments() const { return planned_ - taken_; }
  std::uint64_t planned_numbers() const { return segments_end_.numbers - begin_.numbers; }
  // No segment can be planned before run(), whatever bytes come.
  bool plan_is_closed() const { return plan_closed_ || planned_ - settled_ == crew_.ring.size(); }

  // Called on the thread of run() only, with where it is certain to have come; false ends the run.
  using Report = std::function<bool(const Place&)>;

  // Decodes the segments, to `out`, where the number at begin() goes; null: only walks them.
  // `go_on` plans more segments meanwhile. Gives the place up to where the numbers are certain.
  Place run(const Stretch& stretch, std::byte* out, bool go_on, const Report* report = nullptr);
  // After a run(): the chunks that were passed, in order. For walks only, which end early where
  // these are very many.
  const std::vector<ChunkPlace>& chunks() const { return chunks_; }

 private:
  struct Job;

  bool plan_with(const Stretch& stretch, Arena& scratch) noexcept;
  ChunkScanner::Outcome plan_chunk(const Stretch& stretch, Arena& scratch);
  bool add_segment();
  Segment& segment(std::size_t index) { return crew_.ring[index % crew_.ring.size()]; }

  void work(Job& job, std::size_t worker) noexcept;
  void decode(Job& job, Segment& segment, Arena& arena, std::vector<ChunkPlace>& chunks) noexcept;
  void settle(Job& job);
  void count_waste();

  Crew crew_;
  Header header_;
  NumberType type_;
  ChunkScanner scanner_;

  std::vector<std::vector<ChunkPlace>> ring_chunks_;  // for walks
  std::vector<ChunkPlace> chunks_;
  // Counts of segments: settled <= taken <= planned <= settled + the ring's size.
  std::size_t settled_ = 0;
  std::size_t taken_ = 0;
  std::size_t planned_ = 0;

  Place begin_;
  std::uint64_t room_ = 0;
  Place segments_end_;          // where the segment being planned begins
  std::uint64_t open_n_ = 0;    // its numbers
  std::uint64_t open_end_ = 0;  // where it would end now
  LikelyChunk next_;            // the next chunk that it takes; of no numbers: not looked at yet
  bool plan_closed_ = true;

  std::uint64_t debt_ = 0;
  unsigned failures_in_a_row_ = 0;
};

}  // namespace numpact::standalone

#endif
