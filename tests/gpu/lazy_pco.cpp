// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "base/internal.hpp"
#include "gpu/cuda/pco_launch.hpp"
#include "gpu/cuda/pco_sums.hpp"
#include "gpu/emulation/emulate.hpp"
#include "gpu/lazy_runtime.hpp"

namespace numpact::gpu {
namespace {

cudaError_t launch_bits(unsigned bits, const Launch& launch, cudaStream_t stream) {
  if (launch.group_n == 0) return cudaSuccess;
  testing::enqueue(stream, [=] {
    for (std::uint32_t i = 0; i < launch.group_n; ++i) {
      const TaskGroup& group = launch.groups[i];
      EXPECT_LE(group.n, launch.shape.tasks);
      WarpReport report;
      EXPECT_TRUE(emulate_group(launch.plan, bits, group, LaneOrder::kUpwards, report));
      for (std::uint32_t task = 0; task < group.n; ++task) {
        const PlannedFailure failure = report.failures[task];
        if (failure == PlannedFailure::kNone) continue;
        const StatusWord number = launch.first_task + group.first + task;
        const StatusWord word = number << kFailureBits | static_cast<StatusWord>(failure);
        *launch.status = std::min(*launch.status, word);
      }
    }
  });
  return cudaSuccess;
}

}  // namespace

cudaError_t launch_sums(const SumLaunch& launch, cudaStream_t stream) {
  testing::enqueue(stream, [=] {
    static constexpr SumTables kTables = make_sum_tables();
    for (std::uint32_t i = 0; i < launch.block_n; ++i) {
      const SumBlock& block = launch.blocks[i];
      for (std::uint32_t lane = 0; lane < kSumLanes; ++lane) {
        launch.sums[block.sum].left ^= sum_of_lane(kTables, launch.input, block, lane);
      }
    }
    for (std::uint32_t i = 0; i < launch.sum_n; ++i) {
      if (launch.sums[i].left == 0) continue;
      const StatusWord word = (launch.first_task + launch.sums[i].task) << kFailureBits |
                              static_cast<StatusWord>(PlannedFailure::kChecksum);
      *launch.status = std::min(*launch.status, word);
    }
  });
  return cudaSuccess;
}

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
