// SPDX-License-Identifier: Apache-2.0
#include "api/workers.hpp"

#include <algorithm>

namespace numpact {
namespace {

// Executors may say anything.
constexpr unsigned kMaxTasks = 1024;

}  // namespace

void* LockedMemory::do_allocate(std::size_t bytes, std::size_t align) {
  const std::lock_guard lock(mutex_);
  return memory_->allocate(bytes, align);
}

void LockedMemory::do_deallocate(void* memory, std::size_t bytes, std::size_t align) {
  const std::lock_guard lock(mutex_);
  memory_->deallocate(memory, bytes, align);
}

Workers::Workers(std::pmr::memory_resource* memory)
    : locked_(memory),
      memory_(memory->is_equal(*std::pmr::new_delete_resource()) ? memory : &locked_),
      ring_(memory_) {}

// False: the calling thread is alone.
template <class Config>
bool Workers::gather(const Config& config) {
  if (!are_wanted(config)) return false;
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
  crew_arenas_.clear();
  for (unsigned i = 0; i < tasks; ++i) crew_arenas_.push_back(arenas_[i].get());
  return true;
}

standalone::Crew Workers::crew(const DecodeConfig& config) {
  if (!gather(config)) return {};
  const std::size_t segments = standalone::Crew::least_ring(crew_arenas_.size());
  if (ring_.size() < segments) ring_.resize(segments);
  return {executor_, crew_arenas_, ring_};
}

standalone::Crew Workers::crew(const EncodeConfig& config) {
  if (!gather(config)) return {};
  return {executor_, crew_arenas_, {}};
}

void Workers::share_memory(std::uint64_t limit, std::uint64_t taken) {
  const bool is_limited = limit != DecodeLimits::kUnlimited;
  const std::uint64_t left = limit - std::min(limit, taken);
  const std::uint64_t share =
      is_limited ? left / std::max<std::size_t>(1, crew_arenas_.size()) : limit;
  for (Arena* const arena : crew_arenas_) arena->reset(share);
}

void Workers::give_memory_back(std::uint64_t limit) {
  if (limit == DecodeLimits::kUnlimited) return;
  for (Arena* const arena : crew_arenas_) arena->reset(0);
}

}  // namespace numpact
