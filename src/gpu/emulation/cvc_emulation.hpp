// SPDX-License-Identifier: Apache-2.0
// A launch for rows of CVC slices as a GPU would do it, on the CPU.
#ifndef NUMPACT_GPU_EMULATION_CVC_EMULATION_HPP
#define NUMPACT_GPU_EMULATION_CVC_EMULATION_HPP

#include <cstdint>

#include "gpu/cvc/tasks.hpp"

namespace numpact::gpu {

// Blocks 0 to `blocks` - 1, thread after thread. The least task that has a code past its dictionary
// is returned, or ~0. The program is stopped where an access is not aligned as a GPU needs it.
std::uint32_t emulate_tasks(const TaskTable& table, std::uint32_t blocks, Out out);

}  // namespace numpact::gpu

#endif
