// SPDX-License-Identifier: Apache-2.0
// Runs plans on the CPU as a GPU would, task by task, lane by lane. Slow; for tests.
#ifndef NUMPACT_GPU_EMULATION_EMULATE_HPP
#define NUMPACT_GPU_EMULATION_EMULATE_HPP

#include <cstddef>
#include <span>

#include "gpu/emulation/fibers.hpp"
#include "numpact/device_plan.hpp"

namespace numpact::gpu {

struct Emulation {
  Status status;                // of the first task that failed
  bool lanes_diverged = false;  // some waited where others did not come: the code is wrong
};

// `file`: what the plan was made from. `out`: the plan's numbers.
Emulation emulate(const DevicePlan& plan, std::span<const std::byte> file, void* out,
                  Turns turns = Turns::kUpwards);

// One task, of numbers of so many bits; false if lanes diverged. `failure` is set if it fails.
bool emulate_task(const PlanView& view, unsigned bits, std::uint32_t task, Turns turns,
                  PlannedFailure& failure);

}  // namespace numpact::gpu

#endif
