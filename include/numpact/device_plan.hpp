// SPDX-License-Identifier: Apache-2.0
// What a GPU needs to decode a standalone file: flat tables and a list of tasks that do not depend
// on each other. The host reads and checks all metadata; what is left are codes and offsets.
//
// numpact::cuda runs such plans (numpact/cuda/pco.hpp); this is for those who bring a device of
// their own. docs/gpu.md says how a task is decoded.
#ifndef NUMPACT_DEVICE_PLAN_HPP
#define NUMPACT_DEVICE_PLAN_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "numpact/config.hpp"
#include "numpact/cvc/stored_slice.hpp"
#include "numpact/error.hpp"
#include "numpact/random_access.hpp"
#include "numpact/types.hpp"

namespace numpact {

enum class PlannedMode : std::uint32_t { kClassic, kIntMult, kFloatMult, kFloatQuant, kDict };
enum class PlannedDelta : std::uint32_t { kNone, kConsecutive, kLookback, kConv1 };

// A latent variable of a chunk. The first, the lookbacks, and the last may be absent.
struct PlannedVariable {
  std::uint64_t nodes = 0;        // of its first tANS state in DevicePlan::nodes
  std::uint64_t bins = 0;         // of its first bin in DevicePlan::bins
  std::uint32_t state_n = 0;      // latents of delta state in a head
  std::uint32_t skipped_n = 0;    // numbers of a page that store none
  std::uint32_t bin_n = 0;        // with fewer than 2 there are no codes
  std::uint32_t latent_bits = 0;  // 0: absent
  std::uint32_t ans_size_log = 0;
  std::uint32_t is_delta_encoded = 0;
};

inline constexpr std::size_t kPlannedVariables = 3;

struct PlannedChunk {
  std::array<PlannedVariable, kPlannedVariables> variables;
  std::uint64_t parameter = 0;  // IntMult, FloatMult: the base's bits; FloatQuant: k
  std::uint64_t entries = 0;    // Dict: of its first entry in DevicePlan::entries
  std::uint64_t entry_n = 0;
  std::int64_t bias = 0;      // Conv1
  std::uint64_t weights = 0;  // of its first weight in DevicePlan::weights, oldest latent first
  std::uint32_t order = 0;    // Consecutive, Conv1
  std::uint32_t quantization = 0;
  std::uint32_t window_n = 0;  // Lookback
  PlannedMode mode = PlannedMode::kClassic;
  PlannedDelta delta = PlannedDelta::kNone;
  std::uint32_t padding = 0;
};

// Numbers that follow each other in a page, from its start or a restart point on.
struct PlannedTask {
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  std::uint64_t head = 0;     // where its states stand, in bits from the start of DevicePlan::heads
  std::uint64_t first = 0;    // where its first batch begins, in bits from the start of the input
  std::uint64_t end = kNone;  // where it must come to; kNone: it does not matter
  std::uint64_t next_head = kNone;  // of the restart point it must come to; kNone: the page ends
  std::uint64_t out = 0;            // numbers before it
  std::uint64_t scratch = 0;        // with Lookback: bytes before its own
  std::uint32_t n = 0;
  std::uint32_t page_left = 0;  // numbers of the page from its first on
  std::uint32_t chunk = 0;      // in DevicePlan::chunks
  std::uint32_t padding = 0;
};

// Why a task failed; with its number, the lowest wins.
enum class PlannedFailure : std::uint32_t {
  kNone = 0,
  kTruncated = 1,  // the input ends inside the task
  kPadding = 2,    // bits that must be 0 are not
  kLookback = 3,   // reaches past the window
  kIndex = 4,      // reaches past the dictionary
  kRestart = 5,    // the next restart point is not what was come to
  kEnd = 6,        // the page does not end where the file says
};

// Bytes behind the input, and behind the heads, that decoding may read; what they are does not
// matter.
inline constexpr std::size_t kPlannedReadSlack = 8192;

// Tasks over some of the file's bytes, which are the input: bit 0 is the lowest of its first byte.
struct NUMPACT_API DevicePlan {
  NumberType type = NumberType::kU8;
  std::uint64_t first = 0;        // numbers of the file before those of this plan
  std::uint64_t count = 0;        // of all tasks
  std::uint64_t first_chunk = 0;  // of the file, that is chunks[0]
  // The input: bytes of the file before it, and its own.
  std::uint64_t input_begin = 0;
  std::uint64_t input_bytes = 0;
  std::uint64_t scratch_bytes = 0;
  std::vector<PlannedChunk> chunks;
  std::vector<PlannedTask> tasks;
  // Heads of pages and restart points: for each variable its delta state and four tANS states.
  std::vector<std::byte> heads;
  // By tANS state: bits of code (4), the next state less the code's value (14), bin (14).
  std::vector<std::uint32_t> nodes;
  // By bin: lower end, what delta encoding centres on taken off, and width of its offsets: in one
  // word (lower | width << 32), for latents of 64 bits in two.
  std::vector<std::uint64_t> bins;
  std::vector<std::uint64_t> entries;  // of dictionaries, as ordered latents
  std::vector<std::int32_t> weights;   // of Conv1

  // What status_of needs of it, and no more.
  DevicePlan places() const;
  // The error that a task's failure is: kCorrupt or kTruncated, with its place in the file.
  Status status_of(std::uint64_t task, PlannedFailure failure) const noexcept;
};

// Makes the plans of a file, one after the other, so that tables of any file take bounded memory.
// Not for two threads at once.
class NUMPACT_API DevicePlanner {
 public:
  // The file's bytes must outlive the planner and not change. The index may be from a trailer,
  // whose restart points then cut pages into tasks.
  DevicePlanner(std::span<const std::byte> file, const ChunkIndex& index) noexcept
      : file_(file), index_(index) {}

  bool is_at_end() const noexcept { return next_ >= index_.chunk_count(); }
  // The next chunks: as many as take `most_bytes` of input, tables and scratch, at least one.
  // Errors: what bad metadata gives, kCorrupt and kChecksum where a trailer contradicts the file
  // (checksums of chunks are compared unless config.trailer is kIgnore), kInvalidArgument where
  // another index does; kLimitExceeded for max_memory below what one chunk takes, kOutOfMemory.
  // The planner then stands where it stood.
  Status try_next(DevicePlan& plan, std::uint64_t most_bytes,
                  const DecodeConfig& config = {}) noexcept;

 private:
  std::span<const std::byte> file_;
  ChunkIndex index_;
  std::size_t next_ = 0;
};

// Where the numbers of a page belong: row by row, so many dimensions of each.
struct PlannedPage {
  std::uint64_t first_row = 0;  // of the slice
  std::uint64_t rows = 0;
  std::uint64_t first_dimension = 0;
  std::uint64_t dimensions = 0;
  std::uint64_t first = 0;  // numbers of the plan before its own
};

// Makes the plans of a CVC slice that Pco holds: of all pages in which some of the rows [first_row,
// first_row + rows) are. Each plan is of some dimensions in all these rows, or of some of the rows
// in one group of dimensions. Not for two threads at once.
class NUMPACT_API SlicePlanner {
 public:
  // The slice must outlive the planner.
  SlicePlanner(const cvc::StoredSlice& slice, std::uint64_t first_row, std::uint64_t rows) noexcept
      : slice_(slice), first_row_(first_row), rows_(rows) {}

  bool is_at_end() const noexcept { return is_at_end_; }
  // `pages`: one for each task. The input is within slice.bytes, places in errors are too. Errors
  // as DevicePlanner::try_next; kInvalidArgument for rows past the slice and other compressions.
  Status try_next(DevicePlan& plan, std::vector<PlannedPage>& pages, std::uint64_t most_bytes,
                  const DecodeConfig& config = {}) noexcept;

 private:
  class Builder;

  const cvc::StoredSlice& slice_;
  std::uint64_t first_row_;
  std::uint64_t rows_;
  bool is_at_end_ = false;
  // The next chunk: its place in the grid, in the index, and in the data.
  std::uint64_t group_ = 0;
  std::uint64_t span_ = 0;
  std::uint64_t entry_ = 0;
  std::uint64_t offset_ = 0;
};

}  // namespace numpact

#endif
