// SPDX-License-Identifier: Apache-2.0
// Executors that keep the rules in unusual ways.
#ifndef NUMPACT_TESTS_SUPPORT_EXECUTORS_HPP
#define NUMPACT_TESTS_SUPPORT_EXECUTORS_HPP

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

// One task after the other on the calling thread, first to last or last to first.
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

// Ways to work together.
struct Crew {
  std::string name;
  std::unique_ptr<Executor> executor;
  unsigned threads = 1;
};

inline const std::vector<Crew>& crews() {
  static const std::vector<Crew> all = [] {
    std::vector<Crew> made;
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
Config with(const Crew& crew, Config config = {}) {
  config.executor = crew.executor.get();
  config.threads = crew.threads;
  return config;
}

}  // namespace numpact::testing

#endif
