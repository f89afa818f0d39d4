// SPDX-License-Identifier: Apache-2.0
// Runs the kernel for CVC slices on the CPU.
#pragma once

#include <cstdint>

#include "base/internal.hpp"
#include "gpu/cvc/tasks.hpp"

namespace numpact::gpu {

// Runs all threads of blocks 0 to `blocks` - 1 one after the other. Returns the lowest task with a
// code past its dictionary, or ~0. Aborts the program on an access that a GPU could not do because
// it is misaligned.
std::uint32_t emulate_tasks(const TaskTable& table, std::uint32_t blocks, Out out);

}  // namespace numpact::gpu
