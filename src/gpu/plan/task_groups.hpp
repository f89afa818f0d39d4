// SPDX-License-Identifier: Apache-2.0
// Division of a plan's tasks into groups: a warp of a GPU decodes the tasks of a group together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/internal.hpp"
#include "gpu/plan/device_plan.hpp"

namespace numpact {

// Consecutive tasks of one chunk, which therefore share all tables.
struct TaskGroup {
  std::uint32_t first = 0;  // index of a task
  std::uint32_t n = 0;
};

// A warp has 32 lanes, and a task has four tANS states.
inline constexpr std::uint32_t kMaxGroupTasks = 8;

// The most tasks of a group, so that there are still `wanted_groups` groups.
inline std::uint32_t group_size(const DevicePlan& plan, std::uint64_t wanted_groups) {
  const std::uint64_t tasks = plan.tasks.size() / std::max<std::uint64_t>(wanted_groups, 1);
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(tasks, 1, kMaxGroupTasks));
}

// Groups of at most `max_tasks` tasks, in the order of the tasks. The groups of a chunk differ by
// at most one task.
inline std::vector<TaskGroup> group_tasks(const DevicePlan& plan, std::uint32_t max_tasks) {
  std::vector<TaskGroup> groups;
  const auto task_n = static_cast<std::uint32_t>(plan.tasks.size());
  for (std::uint32_t first = 0; first < task_n;) {
    std::uint32_t end = first + 1;
    while (end < task_n && plan.tasks[end].chunk == plan.tasks[first].chunk) ++end;
    for (std::uint32_t left = (end - first + max_tasks - 1) / max_tasks; left > 0; --left) {
      const std::uint32_t n = (end - first + left - 1) / left;
      groups.push_back({first, n});
      first += n;
    }
  }
  return groups;
}

}  // namespace numpact
