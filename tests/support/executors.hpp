// SPDX-License-Identifier: Apache-2.0
// Executors with unusual but valid behavior.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "numpact/config.hpp"
#include "numpact/executor.hpp"

namespace numpact::testing {

// Runs tasks one by one on the calling thread, forward or backward.
class OneByOne final : public Executor {
 public:
  explicit OneByOne(unsigned concurrency, bool backwards = false)
      : concurrency_(concurrency), backwards_(backwards) {}
  unsigned concurrency() const noexcept override { return concurrency_; }
  void run(std::size_t task_n, TaskFunction task, void* argument) override {
    ++runs;
    is_running = true;
    for (std::size_t i = 0; i < task_n; ++i) task(argument, backwards_ ? task_n - 1 - i : i);
    is_running = false;
  }
  int runs = 0;
  bool is_running = false;

 private:
  unsigned concurrency_;
  bool backwards_;
};

// A new thread per task; the calling thread does nothing.
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

// Fails for lack of memory.
class Unable final : public Executor {
 public:
  unsigned concurrency() const noexcept override { return 4; }
  void run(std::size_t, TaskFunction, void*) override { throw std::bad_alloc(); }
};

// A way to run tasks: an executor, or threads of the library.
struct ExecutorCase {
  std::string name;
  std::unique_ptr<Executor> executor;
  unsigned threads = 1;
};

inline const std::vector<ExecutorCase>& executor_cases() {
  static const std::vector<ExecutorCase> all = [] {
    std::vector<ExecutorCase> made;
    made.push_back({"one by one", std::make_unique<OneByOne>(4)});
    made.push_back({"backwards", std::make_unique<OneByOne>(3, true)});
    made.push_back({"a thread each", std::make_unique<ThreadForEach>(3)});
    made.push_back({"a pool", std::make_unique<ThreadExecutor>(2)});
    made.push_back({"threads of the library", nullptr, 4});
    return made;
  }();
  return all;
}

template <class Config = DecodeConfig>
Config with(const ExecutorCase& executor_case, Config config = {}) {
  config.executor = executor_case.executor.get();
  config.threads = executor_case.threads;
  return config;
}

}  // namespace numpact::testing
