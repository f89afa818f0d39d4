// SPDX-License-Identifier: Apache-2.0
// Kernel launches for the tasks of a plan.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "base/internal.hpp"
#include "gpu/walk/scratch.hpp"
#include "gpu/walk/view.hpp"

namespace numpact::gpu {

// The status of all tasks in one word, so that atomicMin keeps the lowest task that failed: the
// number of the task above kFailureBits bits of its PlannedFailure.
using StatusWord = unsigned long long;
inline constexpr StatusWord kNoFailure = ~StatusWord{0};
inline constexpr unsigned kFailureBits = 8;

// The kind of tasks: each kind has its own kernel.
struct TaskKind {
  bool has_indices = false;  // primary latents are dictionary indices
  bool is_serial = false;    // deltas are undone in order
};
inline constexpr unsigned kTaskKinds = 4;
constexpr unsigned index_of(const TaskKind& kind) {
  return (kind.has_indices ? 1u : 0u) + (kind.is_serial ? 2u : 0u);
}
constexpr TaskKind kind_of_index(unsigned index) { return {(index & 1) != 0, (index & 2) != 0}; }

struct Launch {
  PlanView plan;                      // pointers to device memory
  const TaskGroup* groups = nullptr;  // the groups of tasks of this kind; device memory
  std::uint32_t group_n = 0;
  ScratchShape shape;            // of all groups
  StatusWord* status = nullptr;  // device memory
  StatusWord first_task = 0;     // added to the task numbers in the status
  TaskKind kind;
};

// Queue a kernel for numbers of 8, 16, 32 or 64 bits.
cudaError_t launch_8(const Launch& launch, cudaStream_t stream);
cudaError_t launch_16(const Launch& launch, cudaStream_t stream);
cudaError_t launch_32(const Launch& launch, cudaStream_t stream);
cudaError_t launch_64(const Launch& launch, cudaStream_t stream);

}  // namespace numpact::gpu
