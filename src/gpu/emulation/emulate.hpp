// SPDX-License-Identifier: Apache-2.0
// Runs plans on the CPU, task by task and lane by lane, with the code that GPUs run. Slow; for
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
};

// `file`: the bytes from which the plan was made. `out`: receives the plan's numbers. `order`: the
// order in which lanes run.
Emulation emulate(const DevicePlan& plan, std::span<const std::byte> file, void* out,
                  LaneOrder order = LaneOrder::kUpwards);

// Runs one task of a plan for numbers of `bits` bits. False if lanes diverged. `failure` is set if
// the task fails.
bool emulate_task(const PlanView& view, unsigned bits, std::uint32_t task, LaneOrder order,
                  PlannedFailure& failure);

}  // namespace numpact::gpu
