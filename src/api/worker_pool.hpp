// SPDX-License-Identifier: Apache-2.0
// The threads and scratch arenas that encode and decode calls share.
#pragma once

#include <memory>
#include <memory_resource>
#include <vector>

#include "base/arena.hpp"
#include "base/internal.hpp"
#include "base/mutex.hpp"
#include "numpact/config.hpp"
#include "numpact/executor.hpp"
#include "pco/standalone/parallel_walker.hpp"

namespace numpact {

// Serializes access to a memory resource that is not thread-safe.
class LockedMemory final : public std::pmr::memory_resource {
 public:
  explicit LockedMemory(std::pmr::memory_resource* memory) : memory_(memory) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t align) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t align) override;
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  Mutex mutex_;
  std::pmr::memory_resource* memory_;
};

// Threads and memory are kept from call to call, as in contexts.
class WorkerPool {
 public:
  explicit WorkerPool(std::pmr::memory_resource* memory);

  // Whether the config requests more than the calling thread.
  template <class Config>
  static bool are_requested(const Config& config) {
    return config.executor != nullptr || config.threads != 1;
  }

  // The task group for the config; empty if only the calling thread works. Starts no thread yet.
  standalone::TaskGroup group(const DecodeConfig& config);
  // The same without a ring of segments.
  standalone::TaskGroup group(const EncodeConfig& config);

  // Call before tasks run: divides the part of the limit that `used` leaves among the arenas.
  void share_memory(std::uint64_t limit, std::uint64_t used);
  // Call after tasks ran: their memory would count against the limit of the calling thread.
  void give_memory_back(std::uint64_t limit);

 private:
  template <class Config>
  bool prepare(const Config& config);

  LockedMemory locked_;
  std::pmr::memory_resource* memory_;  // thread-safe
  std::unique_ptr<ThreadExecutor> own_;
  unsigned own_threads_ = 0;  // as requested
  std::vector<std::unique_ptr<Arena>> arenas_;
  Executor* executor_ = nullptr;  // of the current task group
  std::vector<Arena*> arenas_in_use_;
  std::pmr::vector<standalone::Segment> ring_;
};

}  // namespace numpact
