// SPDX-License-Identifier: Apache-2.0
// The layout of a plan and its input in one block of device memory, and its kernel launches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/internal.hpp"
#include "gpu/checksum/chunk_sums.hpp"
#include "gpu/cuda/pco_launch.hpp"
#include "gpu/cuda/runtime.hpp"
#include "gpu/plan/device_plan.hpp"
#include "gpu/plan/staged_copy.hpp"
#include "numpact/cuda.hpp"

namespace numpact::cuda {

// Checks that `out` can hold all numbers of a file.
Status check_output(const ChunkIndex& index, const DeviceNumbers& out);

// Offsets of a plan's tables, and its tasks in groups by kind. Does not refer to the bytes of the
// plan.
class PcoPart {
 public:
  // For the current device. Allocates on the host. May throw std::bad_alloc. `is_locked`: the file
  // is in page-locked memory, from which the device copies it, so that it also compares
  // plan.checks.
  explicit PcoPart(const DevicePlan& plan, bool is_locked = false);

  std::size_t bytes() const { return bytes_; }
  std::uint64_t scratch_bytes() const { return scratch_bytes_; }

  // Adds all tables and the input, bytes() bytes in all; the copy refers to this object, the plan
  // and the file, from which the plan was made.
  void add_to(StagedCopy& copy, const DevicePlan& plan, std::span<const std::byte> file) const;

  // Queues checks and decoding. `at`: device memory with what add_to() added. `out`: device memory
  // of the first number of the file. Failures are recorded in `status`, with first_task added to
  // the task numbers.
  Status launch(std::byte* at, std::byte* scratch, std::byte* out, gpu::StatusWord* status,
                std::uint64_t first_task, cudaStream_t stream) const;

 private:
  struct Table {
    std::size_t at = 0;
    std::size_t size = 0;
  };
  enum TableIndex : unsigned {
    kInput,
    kHeads,
    kChunks,
    kTasks,
    kNodes,
    kBins,
    kEntries,
    kWeights,
    kGroups,
    kSumBlocks,
    kSums,
    kTables
  };

  Table add(std::size_t size, std::size_t slack);
  Status launch_sums(std::byte* at, gpu::StatusWord* status, std::uint64_t first_task,
                     cudaStream_t stream) const;

  std::array<Table, kTables> tables_{};
  std::size_t bytes_ = 0;
  std::uint64_t scratch_bytes_ = 0;
  std::uint64_t input_bytes_ = 0;
  std::uint64_t first_ = 0;  // numbers of the file before the plan's
  NumberType type_;
  bool is_locked_;
  std::optional<gpu::PlannedSums> sums_;  // of locked files with checks
  // The groups of each kind, one kind after the other.
  std::vector<TaskGroup> groups_;
  std::array<std::uint32_t, gpu::kTaskKinds> group_n_{};
  std::array<gpu::ScratchShape, gpu::kTaskKinds> shapes_{};
};

}  // namespace numpact::cuda
