// SPDX-License-Identifier: Apache-2.0
#include "pco/column_threads.hpp"

#include <algorithm>

namespace numpact::cli {
namespace {

// Bounds the memory and the open files on machines with many processors.
constexpr std::size_t kMaxAtOnce = 16;

// Twice the threads, divided among the columns: threads that have ended their column find tasks.
unsigned share_of(unsigned threads, std::size_t at_once) {
  return std::clamp(static_cast<unsigned>(2 * threads / at_once), std::min(2U, threads), threads);
}

}  // namespace

ColumnThreads::ColumnThreads(Executor& pool, std::size_t max_columns)
    : pool_(pool),
      at_once_(std::clamp<std::size_t>(std::min<std::size_t>(pool.concurrency(), max_columns), 1,
                                       kMaxAtOnce)),
      share_(share_of(std::max(1U, pool.concurrency()), at_once_)) {}

void ColumnThreads::run(std::size_t column_n, const std::function<bool(std::size_t)>& work) {
  column_n_ = column_n;
  work_ = &work;
  pool_.run(
      pool_.concurrency(),
      [](void* threads, std::size_t) noexcept { static_cast<ColumnThreads*>(threads)->serve(); },
      this);
}

// Runs on each thread. It waits only for columns that other threads work on.
void ColumnThreads::serve() noexcept {
  Lock lock(mutex_);
  for (;;) {
    if (next_ < column_n_ && active_ < at_once_) {
      const std::size_t column = next_++;
      ++active_;
      lock.unlock();
      const bool goes_on = (*work_)(column);
      lock.lock();
      --active_;
      if (!goes_on) next_ = column_n_;
      changed_.notify_all();
    } else if (!runs_.empty()) {
      do_one(*runs_.front(), lock);
    } else if (active_ > 0) {
      changed_.wait(lock);
    } else {
      return;
    }
  }
}

// Does the next task; the lock is released meanwhile.
void ColumnThreads::do_one(Run& run, Lock& lock) {
  const std::size_t index = run.begun++;
  if (run.begun == run.task_n) runs_.erase(std::find(runs_.begin(), runs_.end(), &run));
  lock.unlock();
  run.task(run.argument, index);
  lock.lock();
  // The last access: the caller of run() may return once it holds the lock.
  if (++run.ended == run.task_n) changed_.notify_all();
}

void ColumnThreads::Divided::run(std::size_t task_n, TaskFunction task, void* argument) {
  if (task_n == 0) return;
  Run run{task, argument, task_n};
  Lock lock(threads_.mutex_);
  threads_.runs_.push_back(&run);
  threads_.changed_.notify_all();
  while (run.begun < task_n) threads_.do_one(run, lock);
  threads_.changed_.wait(lock, [&] { return run.ended == task_n; });
}

}  // namespace numpact::cli
