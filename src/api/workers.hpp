// SPDX-License-Identifier: Apache-2.0
// Who encodes or decodes together: an executor, and scratch memory for each of its tasks.
#ifndef NUMPACT_API_WORKERS_HPP
#define NUMPACT_API_WORKERS_HPP

#include <memory>
#include <memory_resource>
#include <mutex>
#include <vector>

#include "base/arena.hpp"
#include "numpact/config.hpp"
#include "numpact/executor.hpp"
#include "pco/standalone/parallel_walker.hpp"

namespace numpact {

// Lets several threads take from a resource that was made for one.
class LockedMemory final : public std::pmr::memory_resource {
 public:
  explicit LockedMemory(std::pmr::memory_resource* memory) : memory_(memory) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t align) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t align) override;
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::mutex mutex_;
  std::pmr::memory_resource* memory_;
};

// Kept from call to call, as contexts are: threads and memory stay.
class Workers {
 public:
  explicit Workers(std::pmr::memory_resource* memory);

  // Does the config ask for more than the calling thread?
  template <class Config>
  static bool are_wanted(const Config& config) {
    return config.executor != nullptr || config.threads != 1;
  }

  // What the config asks for; none where that is the calling thread alone. No thread is begun yet.
  standalone::Crew crew(const DecodeConfig& config);
  // Without a ring.
  standalone::Crew crew(const EncodeConfig& config);

  // Before tasks run: together the crew may take what `taken` leaves of the limit.
  void share_memory(std::uint64_t limit, std::uint64_t taken);
  // After: what they hold would count against the limit of the calling thread.
  void give_memory_back(std::uint64_t limit);

 private:
  template <class Config>
  bool gather(const Config& config);

  LockedMemory locked_;
  std::pmr::memory_resource* memory_;  // that several threads may take from
  std::unique_ptr<ThreadExecutor> own_;
  unsigned own_threads_ = 0;  // as asked for
  std::vector<std::unique_ptr<Arena>> arenas_;
  Executor* executor_ = nullptr;  // of the crew
  std::vector<Arena*> crew_arenas_;
  std::pmr::vector<standalone::Segment> ring_;
};

}  // namespace numpact

#endif
