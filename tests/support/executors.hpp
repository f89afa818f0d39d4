// SPDX-License-Identifier: Apache-2.0
// Executors that keep the rules in unusual ways.
#ifndef NUMPACT_TESTS_SUPPORT_EXECUTORS_HPP
#define NUMPACT_TESTS_SUPPORT_EXECUTORS_HPP

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <thread>
#include <vector>

#include "numpact/executor.hpp"

namespace numpact::testing {

// One task after the other on the calling thread, first to last or last to first.
class OneByOne final : public Executor {
 public:
  explicit OneByOne(unsigned concurrency, bool backwards = false)
      : concurrency_(concurrency), backwards_(backwards) {}
  unsigned concurrency() const noexcept override { return concurrency_; }
  void run(std::size_t task_n, TaskFunction task, void* argument) override {
    ++runs;
    for (std::size_t i = 0; i < task_n; ++i) task(argument, backwards_ ? task_n - 1 - i : i);
  }
  int runs = 0;

 private:
  unsigned concurrency_;
  bool backwards_;
};

// A new thread for each task; the calling one does nothing.
class ThreadForEach final : public Executor {
 public:
  explicit ThreadForEach(unsigned concurrency) : concurrency_(concurrency) {}
  unsigned concurrency() const noexcept override { return concurrency_; }
  void run(std::size_t task_n, TaskFunction task, void* argument) override {
    EXPECT_LE(task_n, concurrency_);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < task_n; ++i) threads.emplace_back(task, argument, i);
    for (std::thread& thread : threads) thread.join();
  }

 private:
  unsigned concurrency_;
};

// Has no memory to run anything.
class Unable final : public Executor {
 public:
  unsigned concurrency() const noexcept override { return 4; }
  void run(std::size_t, TaskFunction, void*) override { throw std::bad_alloc(); }
};

}  // namespace numpact::testing

#endif
