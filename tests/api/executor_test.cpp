// SPDX-License-Identifier: Apache-2.0
// ThreadExecutor runs every task once, for any number of callers.
#include "numpact/executor.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "support/system.hpp"

namespace numpact::testing {
namespace {

struct Counts {
  std::array<std::atomic<int>, 1000> calls = {};
  static void task(void* argument, std::size_t index) noexcept {
    ++static_cast<Counts*>(argument)->calls[index];
  }
};

TEST(ThreadExecutor, RunsEveryTaskOnce) {
  for (const unsigned threads : {1u, 2u, 3u, 8u}) {
    ThreadExecutor executor(threads);
    EXPECT_EQ(executor.concurrency(), threads);
    for (const std::size_t n : {0u, 1u, 2u, 7u, 1000u}) {
      Counts counts;
      executor.run(n, Counts::task, &counts);
      for (std::size_t i = 0; i < counts.calls.size(); ++i) {
        ASSERT_EQ(counts.calls[i], i < n ? 1 : 0) << i;
      }
    }
  }
}

TEST(ThreadExecutor, ZeroIsTheMachines) {
  EXPECT_EQ(ThreadExecutor(0).concurrency(), std::max(1u, std::thread::hardware_concurrency()));
}

TEST(ThreadExecutor, TasksRunAtTheSameTime) {
  ThreadExecutor executor(3);
  std::atomic<int> there = 0;
  const auto wait_for_all = [](void* argument, std::size_t) noexcept {
    auto& count = *static_cast<std::atomic<int>*>(argument);
    ++count;
    while (count < 3) std::this_thread::yield();
  };
  executor.run(3, wait_for_all, &there);
  EXPECT_EQ(there, 3);
}

TEST(ThreadExecutor, ServesSeveralCallers) {
  ThreadExecutor executor(3);
  std::vector<std::thread> callers;
  std::atomic<int> wrong = 0;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        Counts counts;
        executor.run(100, Counts::task, &counts);
        for (std::size_t i = 0; i < 100; ++i) {
          if (counts.calls[i] != 1) ++wrong;
        }
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ThreadExecutor, RunsWithinATask) {
  ThreadExecutor executor(2);
  struct Outer {
    ThreadExecutor& executor;
    Counts counts = {};
  } outer{executor};
  const auto task = [](void* argument, std::size_t) noexcept {
    Outer& shared = *static_cast<Outer*>(argument);
    shared.executor.run(10, Counts::task, &shared.counts);
  };
  executor.run(5, task, &outer);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(outer.counts.calls[i], 5);
}

// Destruction and use in a forked process, which lacks the threads, also while they work.
TEST(ThreadExecutor, InAForkedProcess) {
  for (const bool is_busy : {false, true}) {
    auto executor = std::make_unique<ThreadExecutor>(4);
    Counts counts;
    executor->run(100, Counts::task, &counts);
    std::atomic<bool> stop = false;
    std::thread busy([&] {
      while (is_busy && !stop) {
        Counts own;
        executor->run(50, Counts::task, &own);
      }
    });
    for (int i = 0; i < (is_busy ? 50 : 1); ++i) {
      const std::optional<int> status = system::run_in_copy([&] {
        Counts own;
        executor->run(10, Counts::task, &own);
        for (std::size_t task = 0; task < 10; ++task) {
          if (own.calls[task] != 1) return 1;
        }
        executor.reset();
        return 0;
      });
      ASSERT_EQ(status.value_or(0), 0);
    }
    stop = true;
    busy.join();
    executor->run(100, Counts::task, &counts);
  }
}

}  // namespace
}  // namespace numpact::testing
