// SPDX-License-Identifier: Apache-2.0
#include "api/worker_pool.hpp"
#include "base/internal.hpp"

#include <algorithm>

namespace numpact {
namespace {

// Bounds the memory per call if a caller's executor reports an excessive concurrency.
constexpr unsigned kMaxTasks = 1024;

}  // namespace

void* LockedMemory::do_allocate(std::size_t bytes, std::size_t align) {
  const Lock lock(mutex_);
  return memory_->allocate(bytes, align);
}

void LockedMemory::do_deallocate(void* memory, std::size_t bytes, std::size_t align) {
  const Lock lock(mutex_);
  memory_->deallocate(memory, bytes, align);
}

WorkerPool::WorkerPool(std::pmr::memory_resource* memory)
    : locked_(memory), memory_(is_plain(*memory) ? memory : &locked_), ring_(memory_) {}

// False: only the calling thread works.
template <class Config>
bool WorkerPool::prepare(const Config& config) {
  if (!are_requested(config)) return false;
  executor_ = config.executor;
  if (executor_ == nullptr) {
    if (own_ == nullptr || own_threads_ != config.threads) {
      own_.reset();
      own_ = std::make_unique<ThreadExecutor>(config.threads);
      own_threads_ = config.threads;
    }
    executor_ = own_.get();
  }
  const unsigned tasks = std::min(executor_->concurrency(), kMaxTasks);
  if (tasks < 2) return false;
  while (arenas_.size() < tasks) arenas_.push_back(std::make_unique<Arena>(memory_));
  arenas_in_use_.clear();
  for (unsigned i = 0; i < tasks; ++i) arenas_in_use_.push_back(arenas_[i].get());
  return true;
}

standalone::TaskGroup WorkerPool::group(const DecodeConfig& config) {
  if (!prepare(config)) return {};
  const std::size_t segments = standalone::TaskGroup::min_ring_size(arenas_in_use_.size());
  if (ring_.size() < segments) ring_.resize(segments);
  return {executor_, arenas_in_use_, ring_};
}

standalone::TaskGroup WorkerPool::group(const EncodeConfig& config) {
  if (!prepare(config)) return {};
  return {executor_, arenas_in_use_, {}};
}

void WorkerPool::share_memory(std::uint64_t limit, std::uint64_t used) {
  const bool is_limited = limit != DecodeLimits::kUnlimited;
  const std::uint64_t left = limit - std::min(limit, used);
  const std::uint64_t share =
      is_limited ? left / std::max<std::size_t>(1, arenas_in_use_.size()) : limit;
  for (Arena* const arena : arenas_in_use_) arena->reset(share);
}

void WorkerPool::give_memory_back(std::uint64_t limit) {
  if (limit == DecodeLimits::kUnlimited) return;
  for (Arena* const arena : arenas_in_use_) arena->reset(0);
}

}  // namespace numpact
