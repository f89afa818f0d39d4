// SPDX-License-Identifier: Apache-2.0
// Runs plans on the CPU, group by group and lane by lane, with the code that GPUs run. Slow; for
// tests.
#pragma once

#include <cstddef>
#include <span>

#include "base/internal.hpp"
#include "gpu/emulation/fibers.hpp"
#include "gpu/plan/device_plan.hpp"

namespace numpact::gpu {

struct Emulation {
  Status status;                // status of the first task that failed
  bool lanes_diverged = false;  // some lanes missed a barrier, which is a bug of the kernel
  StepCounts steps{};
};

// `file`: the bytes from which the plan was made. `out`: receives the plan's numbers. `order`: the
// order in which lanes run. `max_group`: the most tasks of a group.
Emulation emulate(const DevicePlan& plan, std::span<const std::byte> file, void* out,
                  LaneOrder order = LaneOrder::kUpwards, std::uint32_t max_group = kMaxGroupTasks);

// Runs one group of a plan for numbers of `bits` bits. False if lanes diverged.
bool emulate_group(const PlanView& view, unsigned bits, const TaskGroup& group, LaneOrder order,
                   WarpReport& report);

}  // namespace numpact::gpu
