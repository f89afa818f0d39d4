// SPDX-License-Identifier: Apache-2.0
// Threads that work on several columns at the same time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <vector>

#include "numpact/executor.hpp"

namespace numpact::cli {

// Each thread takes the next column. The work on a column may divide itself by executor(): a thread
// that finds no further column takes part in the work on those that others have begun.
class ColumnThreads {
 public:
  // `pool` must outlive this object. `max_columns`: of run().
  ColumnThreads(Executor& pool, std::size_t max_columns);

  // For the work on a column. It has a share of the threads, so that all columns that are worked on
  // at the same time take about twice the memory of one that has all threads.
  Executor& executor() { return divided_; }

  // Calls work(i) for each column i, which must not throw. Columns begin in their order; none
  // begins after work() has returned false. Called once.
  void run(std::size_t column_n, const std::function<bool(std::size_t)>& work);

 private:
  class Divided final : public Executor {
   public:
    explicit Divided(ColumnThreads& threads) : threads_(threads) {}
    unsigned concurrency() const noexcept override { return threads_.share_; }
    void run(std::size_t task_n, TaskFunction task, void* argument) override;

   private:
    ColumnThreads& threads_;
  };

  // A call of Divided::run(), on the stack of its caller.
  struct Run {
    TaskFunction task = nullptr;
    void* argument = nullptr;
    std::size_t task_n = 0;
    std::size_t begun = 0;
    std::size_t ended = 0;
  };
  using Lock = std::unique_lock<std::mutex>;

  void serve() noexcept;
  void do_one(Run& run, Lock& lock);

  Executor& pool_;
  std::size_t column_n_ = 0;
  const std::size_t at_once_;  // columns
  const unsigned share_;       // threads for each of them
  Divided divided_{*this};
  const std::function<bool(std::size_t)>* work_ = nullptr;

  std::mutex mutex_;  // of the members below
  std::condition_variable changed_;
  std::size_t next_ = 0;    // the next column
  std::size_t active_ = 0;  // columns that are worked on
  std::vector<Run*> runs_;  // those with tasks that have not begun
};

}  // namespace numpact::cli
