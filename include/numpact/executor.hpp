// SPDX-License-Identifier: Apache-2.0
// Who runs the parts of a call that may run at the same time.
#ifndef NUMPACT_EXECUTOR_HPP
#define NUMPACT_EXECUTOR_HPP

#include <cstddef>
#include <memory>

#include "numpact/version.hpp"

namespace numpact {

// One task: part `index` of what `argument` stands for. Never throws.
using TaskFunction = void (*)(void* argument, std::size_t index) noexcept;

// Runs tasks, as an engine's own pool does it. Implementations must be safe to call from several
// threads if calls that share one are made from several threads.
class NUMPACT_API Executor {
 public:
  virtual ~Executor();

  // How many tasks may run at the same time, the calling thread counted if it takes part; 0 and 1
  // mean that nothing is gained by cutting work up. Does not change while a call uses the executor.
  virtual unsigned concurrency() const noexcept = 0;

  // Calls task(argument, index) once for every index below task_n, in any order and on any threads,
  // and returns when all have returned. Tasks never wait for one that has not begun, so running
  // them one after the other is right too. May throw, but only when no task is running and none
  // will be begun any more: the call that shared its work then ends with an error.
  virtual void run(std::size_t task_n, TaskFunction task, void* argument) = 0;
};

// Threads of its own, begun at the first run() and joined in the destructor. The calling thread
// takes part. run() may be called from several threads at once; runs then share the threads.
class NUMPACT_API ThreadExecutor final : public Executor {
 public:
  // `threads`: how many work at the same time, the caller's among them; 0: as many as the machine
  // runs at once. Where the system gives fewer, fewer work.
  explicit ThreadExecutor(unsigned threads = 0);
  ~ThreadExecutor() override;
  ThreadExecutor(const ThreadExecutor&) = delete;
  ThreadExecutor& operator=(const ThreadExecutor&) = delete;

  unsigned concurrency() const noexcept override;
  void run(std::size_t task_n, TaskFunction task, void* argument) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace numpact

#endif
