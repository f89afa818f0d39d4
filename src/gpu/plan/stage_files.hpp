// SPDX-License-Identifier: Apache-2.0
// Moves files to a device part by part: the next part is planned while one is copied.
#pragma once

#include <cstdint>
#include <span>

#include "base/internal.hpp"
#include "base/task_pool.hpp"
#include "gpu/plan/device_plan.hpp"
#include "gpu/plan/staged_copy.hpp"

namespace numpact {

struct StagedFile {
  std::span<const std::byte> bytes;
  const ChunkIndex* index = nullptr;
  // Result: the first error of its plans or checksums. Parts before it were passed on.
  Status status;
};

struct StagedPart {
  DevicePlan plan;
  std::size_t file = 0;
  std::uint64_t first_task = 0;  // tasks of the file in earlier parts
};

// The memory of the two plans in use, kept from call to call: new memory costs more time than the
// plans themselves.
struct StagedPlans {
  StagedPart now;
  StagedPart next;
};

// What becomes of the parts. An error ends the staging of all files.
class NUMPACT_API PartSink : public SegmentSink {
 public:
  // A part begins: its tables and input are to be added to `copy`.
  virtual Status begin(const StagedPart& part, std::span<const std::byte> file,
                       StagedCopy& copy) = 0;
  // All segments of the part were sent, and its checksums are right.
  virtual Status end(const StagedPart& part) = 0;
};

// How the parts are made.
struct StagedSizes {
  std::uint64_t part_bytes = 0;  // of input and tables; more if a chunk needs more
  std::size_t segment_bytes = 0;
};

// Passes the parts of all files in order. Chunks are compared with the checksums of a trailer
// unless config.trailer is kIgnore. Errors of files are in their `status`; returned are those of
// the sink. May throw std::bad_alloc.
NUMPACT_API Status stage_files(std::span<StagedFile> files, const StagedSizes& sizes,
                               const DecodeConfig& config, const TaskPool& pool, StagedPlans& plans,
                               PartSink& sink);

}  // namespace numpact
