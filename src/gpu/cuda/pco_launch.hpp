// SPDX-License-Identifier: Apache-2.0
// Kernels over the tasks of a plan.
#ifndef NUMPACT_GPU_CUDA_PCO_LAUNCH_HPP
#define NUMPACT_GPU_CUDA_PCO_LAUNCH_HPP

#include <cuda_runtime_api.h>

#include <cstdint>

#include "gpu/walk/view.hpp"

namespace numpact::gpu {

// The status of many tasks in one word: the lowest task that failed, and how.
using StatusWord = unsigned long long;
inline constexpr StatusWord kNoFailure = ~StatusWord{0};
inline constexpr unsigned kFailureBits = 8;

// Tasks that one kernel takes: all of a kind.
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
  PlanView plan;                         // pointers of the device
  const std::uint32_t* tasks = nullptr;  // which of the plan's, likewise
  std::uint32_t task_n = 0;
  StatusWord* status = nullptr;  // likewise
  StatusWord first_task = 0;     // added to the tasks' numbers in the status
  TaskKind kind;
};

// Of numbers of so many bits.
cudaError_t launch_8(const Launch& launch, cudaStream_t stream);
cudaError_t launch_16(const Launch& launch, cudaStream_t stream);
cudaError_t launch_32(const Launch& launch, cudaStream_t stream);
cudaError_t launch_64(const Launch& launch, cudaStream_t stream);

}  // namespace numpact::gpu

#endif
