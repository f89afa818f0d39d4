// SPDX-License-Identifier: Apache-2.0
// A standalone file as flat tables and independent tasks that a GPU can decode. The host reads and
// checks all metadata; codes and offsets remain for the device.
//
// numpact::cuda, which is a library of its own, runs these plans: so they are exported, but not
// installed. docs/gpu.md describes how a task is decoded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "numpact/config.hpp"
#include "numpact/cvc/reader.hpp"
#include "numpact/encoding.hpp"
#include "numpact/error.hpp"
#include "numpact/random_access.hpp"
#include "numpact/types.hpp"

namespace numpact {

// A latent variable of a chunk: lookbacks, primary, secondary. The first and the last may be
// absent.
struct PlannedVariable {
  std::uint64_t nodes = 0;        // index of its first tANS state in DevicePlan::nodes
  std::uint64_t bins = 0;         // index of its first bin in DevicePlan::bins
  std::uint32_t state_n = 0;      // latents of delta state in a page head
  std::uint32_t skipped_n = 0;    // numbers of a page without a stored latent
  std::uint32_t bin_n = 0;        // fewer than 2: there are no codes
  std::uint32_t latent_bits = 0;  // 0: absent
  std::uint32_t ans_size_log = 0;
  std::uint32_t is_delta_encoded = 0;
};

inline constexpr std::size_t kPlannedVariables = 3;

struct PlannedChunk {
  std::array<PlannedVariable, kPlannedVariables> variables;
  std::uint64_t parameter = 0;  // IntMult, FloatMult: bits of the base; FloatQuant: k
  std::uint64_t entries = 0;    // Dict: index of its first entry in DevicePlan::entries
  std::uint64_t entry_n = 0;
  std::int64_t bias = 0;      // Conv1
  std::uint64_t weights = 0;  // index of its first in DevicePlan::weights; oldest latent first
  std::uint32_t order = 0;    // Consecutive, Conv1
  std::uint32_t quantization = 0;
  std::uint32_t window_n = 0;  // Lookback
  Mode mode = Mode::kClassic;
  Delta delta = Delta::kNone;
  std::uint16_t padding = 0;
};

// Consecutive numbers of a page, starting at the page or at a restart point.
struct PlannedTask {
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  std::uint64_t head = 0;     // its initial states: bits from the start of DevicePlan::heads
  std::uint64_t first = 0;    // its first batch: bits from the start of the input
  std::uint64_t end = kNone;  // required end position, in the same unit; kNone: any
  std::uint64_t next_head =
      kNone;                  // restart point that it must reach, in the unit of head; kNone: none
  std::uint64_t out = 0;      // numbers before it
  std::uint64_t scratch = 0;  // Lookback: bytes before its own
  std::uint32_t n = 0;
  std::uint32_t page_left = 0;  // numbers from its first to the end of the page
  std::uint32_t chunk = 0;      // index in DevicePlan::chunks
  std::uint32_t padding = 0;
};

// Why a task failed. If several fail, the lowest task index is reported, and of a task the lowest
// of these.
enum class PlannedFailure : std::uint32_t {
  kNone = 0,
  kChecksum = 1,   // the bytes of the chunk have another checksum than PlannedCheck::crc
  kTruncated = 2,  // the input ends inside the task
  kPadding = 3,    // padding bits are not 0
  kLookback = 4,   // reaches past the window
  kIndex = 5,      // reaches past the dictionary
  kRestart = 6,    // position or states do not match the next restart point
  kEnd = 7,        // the page does not end at PlannedTask::end
};

// A checksum of a trailer that remains to be compared.
struct PlannedCheck {
  std::uint64_t begin = 0;  // of the chunk in the input
  std::uint64_t bytes = 0;
  std::uint32_t crc = 0;
};

// Readable bytes required after the input and after the heads; their values do not matter.
inline constexpr std::size_t kPlannedReadSlack = 8192;

// Tasks over a range of the file's bytes, the input. Bit 0 is the lowest bit of its first byte.
struct NUMPACT_API DevicePlan {
  NumberType type = NumberType::kU8;
  std::uint64_t first = 0;        // numbers of the file before this plan
  std::uint64_t count = 0;        // numbers of all tasks
  std::uint64_t first_chunk = 0;  // index in the file of chunks[0]
  // The input: its offset in the file and its size.
  std::uint64_t input_begin = 0;
  std::uint64_t input_bytes = 0;
  std::uint64_t scratch_bytes = 0;
  std::vector<PlannedChunk> chunks;
  std::vector<PlannedTask> tasks;
  // Heads of pages and restart points: per variable its delta state and four tANS states.
  std::vector<std::byte> heads;
  // Per tANS state: code bits (4), next state minus the code's value (14), bin (14).
  std::vector<std::uint32_t> nodes;
  // Per bin: lower bound (with the center of delta encoding subtracted) and offset width: packed as
  // lower | width << 32; 64-bit latents take two words, which are aligned to two words.
  std::vector<std::uint64_t> bins;
  std::vector<std::uint64_t> entries;  // of dictionaries, as ordered latents
  std::vector<std::int32_t> weights;   // of Conv1
  // Of chunks, in order: all or, if nothing is to be compared, none.
  std::vector<PlannedCheck> checks;

  // Makes the plan empty. Its lists keep their memory.
  void clear() noexcept;
  // A plan with only the fields that status_of uses.
  DevicePlan places() const;
  // The error for a failed task: kCorrupt or kTruncated, with its position in the file.
  Status status_of(std::uint64_t task, PlannedFailure failure) const noexcept;
  // kChecksum for a chunk of the plan.
  Status wrong_checksum(std::size_t chunk) const noexcept;
};

// What a planner does with a trailer's checksums of chunks.
enum class PlannedChecksums : std::uint8_t {
  kCompared,
  kListed,  // in DevicePlan::checks, for those who read the bytes anyway
};

// Makes plans of consecutive chunks of a file, so that tables of any file take bounded memory. One
// thread at a time.
class NUMPACT_API DevicePlanner {
 public:
  // `file` must outlive the planner and not change. Restart points of an index from a trailer split
  // pages into several tasks.
  DevicePlanner(std::span<const std::byte> file, const ChunkIndex& index) noexcept
      : file_(file), index_(index) {}

  bool is_at_end() const noexcept { return next_ >= index_.chunk_count(); }
  // Plans the next chunks, as many as fit in `max_bytes` of input, tables and scratch, but at
  // least one. Errors: those of bad metadata; kCorrupt and kChecksum if a trailer contradicts the
  // file (chunk checksums are compared unless config.trailer is kIgnore), kInvalidArgument if
  // another index does; kLimitExceeded if max_memory is below the need of one chunk; kOutOfMemory.
  // After an error the position is unchanged.
  Result<DevicePlan> next(std::uint64_t max_bytes, const DecodeConfig& config = {},
                          PlannedChecksums checksums = PlannedChecksums::kCompared) noexcept;
  // The same into the memory of an earlier plan. After an error `plan` is unspecified.
  Status next_into(DevicePlan& plan, std::uint64_t max_bytes, const DecodeConfig& config = {},
                   PlannedChecksums checksums = PlannedChecksums::kCompared) noexcept;

 private:
  Status plan(std::uint64_t max_bytes, const DecodeConfig& config, PlannedChecksums checksums,
              DevicePlan& plan) const;

  std::span<const std::byte> file_;
  ChunkIndex index_;
  std::size_t next_ = 0;
};

// Where the numbers of a page go: row-major, with this range of dimensions per row.
struct PlannedPage {
  std::uint64_t first_row = 0;  // of the slice
  std::uint64_t rows = 0;
  std::uint64_t first_dimension = 0;
  std::uint64_t dimensions = 0;
  std::uint64_t first = 0;  // numbers of the plan before it
};

struct SlicePlan {
  DevicePlan plan;
  std::vector<PlannedPage> pages;  // one per task
};

// Makes plans of a CVC slice stored as pco, for all pages that contain rows of [first_row,
// first_row + rows). Each plan covers some dimensions of all these rows, or some of the rows in one
// group of dimensions. One thread at a time.
class NUMPACT_API SlicePlanner {
 public:
  // The slice must outlive the planner.
  SlicePlanner(const cvc::StoredSlice& slice, std::uint64_t first_row, std::uint64_t rows) noexcept
      : slice_(slice), first_row_(first_row), rows_(rows) {}

  bool is_at_end() const noexcept { return is_at_end_; }
  // Positions of input and errors are relative to slice.bytes. Errors: as DevicePlanner::next;
  // kInvalidArgument for rows past the slice and for other compressions.
  Result<SlicePlan> next(std::uint64_t max_bytes, const DecodeConfig& config = {}) noexcept;

 private:
  class Builder;

  const cvc::StoredSlice& slice_;
  std::uint64_t first_row_;
  std::uint64_t rows_;
  bool is_at_end_ = false;
  // Position of the next chunk in the grid, the index and the data.
  std::uint64_t group_ = 0;
  std::uint64_t span_ = 0;
  std::uint64_t entry_ = 0;
  std::uint64_t offset_ = 0;
};

}  // namespace numpact
