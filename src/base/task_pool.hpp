// SPDX-License-Identifier: Apache-2.0
// Runs the independent tasks of one call on the caller's executor or on threads of its own.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>

#include "base/guard.hpp"
#include "numpact/executor.hpp"

namespace numpact::internal {

class TaskPool {
 public:
  // `threads` and `executor` as in DecodeConfig.
  TaskPool(unsigned threads, Executor* executor) : executor_(executor) {
    if (executor_ == nullptr && threads != 1) {
      own_ = std::make_unique<ThreadExecutor>(threads);
      executor_ = own_.get();
    }
    if (executor_ != nullptr) size_ = std::clamp(executor_->concurrency(), 1U, kMaxTasks);
  }

  // Maximum number of concurrent tasks, at least 1.
  unsigned size() const { return size_; }

  // Calls f(i) for every i below n, in any order and concurrently; f must not throw.
  template <class F>
  void run(std::size_t n, const F& f) const {
    if (size_ < 2 || n < 2) {
      for (std::size_t i = 0; i < n; ++i) f(i);
      return;
    }
    struct Shared {
      const F& f;
      std::size_t n;
      std::atomic<std::size_t> next;
    } shared{f, n, 0};
    const TaskFunction task = [](void* argument, std::size_t) noexcept {
      const CallerState state;
      auto& all = *static_cast<Shared*>(argument);
      for (std::size_t i = all.next++; i < all.n; i = all.next++) all.f(i);
    };
    executor_->run(std::min<std::size_t>(n, size_), task, &shared);
  }

 private:
  // Bounds the memory per call if a caller's executor reports an excessive concurrency.
  static constexpr unsigned kMaxTasks = 1024;

  std::unique_ptr<ThreadExecutor> own_;
  Executor* executor_;
  unsigned size_ = 1;
};

}  // namespace numpact::internal
