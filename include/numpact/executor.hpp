// SPDX-License-Identifier: Apache-2.0
// Runs the concurrent tasks of a call.
#pragma once

#include <cstddef>
#include <memory>

#include "numpact/version.hpp"

namespace numpact {

// Task `index` of the job `argument`. Never throws.
using TaskFunction = void (*)(void* argument, std::size_t index) noexcept;

// Interface to a thread pool, e.g. an engine's own. run() must be thread-safe if calls on several
// threads share the executor.
class NUMPACT_API Executor {
 public:
  virtual ~Executor();

  // How many tasks may run concurrently, including the calling thread if it takes part. With 0 or 1
  // work is not split. Constant while a call uses the executor.
  virtual unsigned concurrency() const noexcept = 0;

  // Calls task(argument, index) once per index below task_n, in any order and on any threads, and
  // returns when all have returned. A task never waits for one that has not started, so sequential
  // execution is valid. May throw only if no task is running or will be started: the library call
  // then fails.
  virtual void run(std::size_t task_n, TaskFunction task, void* argument) = 0;
};

// A thread pool, started by the first run() and joined by the destructor. The calling thread takes
// part. run() may be called concurrently; the runs share the threads.
class NUMPACT_API ThreadExecutor final : public Executor {
 public:
  // `threads`: concurrency including the calling thread; 0: one per hardware thread. Fewer are used
  // if the system refuses to start more.
  explicit ThreadExecutor(unsigned threads = 0);
  ~ThreadExecutor() override;

  unsigned concurrency() const noexcept override;
  void run(std::size_t task_n, TaskFunction task, void* argument) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace numpact
