// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "base/internal.hpp"
#include "gpu/cuda/pco_launch.hpp"
#include "gpu/emulation/emulate.hpp"
#include "gpu/lazy_runtime.hpp"

namespace numpact::gpu {
namespace {

cudaError_t launch_bits(unsigned bits, const Launch& launch, cudaStream_t stream) {
  if (launch.task_n == 0) return cudaSuccess;
  testing::enqueue(stream, [=] {
    for (std::uint32_t i = 0; i < launch.task_n; ++i) {
      const std::uint32_t task = launch.tasks[i];
      PlannedFailure failure = PlannedFailure::kNone;
      EXPECT_TRUE(emulate_task(launch.plan, bits, task, LaneOrder::kUpwards, failure));
      if (failure == PlannedFailure::kNone) continue;
      const StatusWord word =
          (launch.first_task + task) << kFailureBits | static_cast<StatusWord>(failure);
      *launch.status = std::min(*launch.status, word);
    }
  });
  return cudaSuccess;
}

}  // namespace

cudaError_t launch_8(const Launch& launch, cudaStream_t stream) {
  return launch_bits(8, launch, stream);
}
cudaError_t launch_16(const Launch& launch, cudaStream_t stream) {
  return launch_bits(16, launch, stream);
}
cudaError_t launch_32(const Launch& launch, cudaStream_t stream) {
  return launch_bits(32, launch, stream);
}
cudaError_t launch_64(const Launch& launch, cudaStream_t stream) {
  return launch_bits(64, launch, stream);
}

}  // namespace numpact::gpu
