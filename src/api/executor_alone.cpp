// SPDX-License-Identifier: Apache-2.0
// Threads in a library without exceptions: the calling thread does all work.
#include "numpact/executor.hpp"

namespace numpact {

struct ThreadExecutor::Impl {};

ThreadExecutor::ThreadExecutor(unsigned) {}
ThreadExecutor::~ThreadExecutor() = default;

unsigned ThreadExecutor::concurrency() const noexcept { return 1; }

void ThreadExecutor::run(std::size_t task_n, TaskFunction task, void* argument) {
  for (std::size_t i = 0; i < task_n; ++i) task(argument, i);
}

}  // namespace numpact
