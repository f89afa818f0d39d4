// SPDX-License-Identifier: Apache-2.0
#include "numpact/executor.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/internal.hpp"
#include "platform/processes.hpp"

namespace numpact {
namespace {

// A call of run(). Lives on the caller's stack and is linked to the other active runs of the pool.
struct Run {
  TaskFunction task = nullptr;
  void* argument = nullptr;
  std::size_t task_n = 0;
  std::size_t begun = 0;
  std::size_t ended = 0;
  Run* next = nullptr;
  std::condition_variable all_ended;
};

}  // namespace

struct ThreadExecutor::Impl {
  explicit Impl(unsigned n)
      : concurrency(n != 0 ? n : std::max(1U, std::thread::hardware_concurrency())) {}

  // The functions below require the lock.

  void start_threads(std::size_t count) {
    const std::size_t max_threads = std::min<std::size_t>(count, concurrency - 1);
    threads.reserve(max_threads);
    while (threads.size() < max_threads && !refused) {
      try {
        threads.emplace_back([this] { serve(); });
      } catch (const std::system_error&) {
        refused = true;  // the existing threads do the work
      }
    }
  }

  // Runs the next task; the lock is released meanwhile.
  void do_one(Run& run, std::unique_lock<std::mutex>& lock) {
    const std::size_t index = run.begun++;
    if (run.begun == run.task_n) remove(run);
    lock.unlock();
    run.task(run.argument, index);
    lock.lock();
    // The last access: the caller may destroy the run once it holds the lock.
    if (++run.ended == run.task_n) run.all_ended.notify_one();
  }

  void remove(const Run& run) {
    Run** link = &first;
    while (*link != &run) link = &(*link)->next;
    *link = run.next;
  }

  void serve() {
    std::unique_lock lock(mutex);
    while (true) {
      work_came.wait(lock, [&] { return first != nullptr || stopping; });
      if (first == nullptr) return;
      do_one(*first, lock);
    }
  }

  const unsigned concurrency;
  const platform::OwnProcess process;
  std::mutex mutex;
  std::condition_variable work_came;
  Run* first = nullptr;  // list of runs with tasks not started
  bool stopping = false;
  bool refused = false;  // the system refused another thread
  std::vector<std::thread> threads;
};

ThreadExecutor::ThreadExecutor(unsigned threads) : impl_(std::make_unique<Impl>(threads)) {}

ThreadExecutor::~ThreadExecutor() {
  // fork() copies no threads: there is none to join, and the mutex may be locked by a missing one.
  if (!impl_->process.is_this()) {
    (void)impl_.release();
    return;
  }
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->stopping = true;
  }
  impl_->work_came.notify_all();
  for (std::thread& thread : impl_->threads) thread.join();
}

unsigned ThreadExecutor::concurrency() const noexcept { return impl_->concurrency; }

void ThreadExecutor::run(std::size_t task_n, TaskFunction task, void* argument) {
  if (task_n == 0) return;
  if (!impl_->process.is_this()) {
    // The threads exist only in the parent process.
    for (std::size_t i = 0; i < task_n; ++i) task(argument, i);
    return;
  }
  Run run;
  run.task = task;
  run.argument = argument;
  run.task_n = task_n;
  std::unique_lock lock(impl_->mutex);
  if (task_n > 1) impl_->start_threads(task_n - 1);
  run.next = impl_->first;
  impl_->first = &run;
  const std::size_t helpers = std::min(task_n - 1, impl_->threads.size());
  for (std::size_t i = 0; i < helpers; ++i) impl_->work_came.notify_one();
  while (run.begun < task_n) impl_->do_one(run, lock);
  run.all_ended.wait(lock, [&] { return run.ended == task_n; });
}

}  // namespace numpact
