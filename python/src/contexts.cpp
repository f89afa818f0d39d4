// SPDX-License-Identifier: Apache-2.0
#include "contexts.hpp"

#include <atomic>
#include <mutex>
#include <optional>

#include "platform/processes.hpp"

namespace numpact::python {
namespace {

constexpr std::size_t kSmallFile = std::size_t{1} << 16;
constexpr std::size_t kSmallInput = std::size_t{1} << 16;

// The memory of a context, with a count of the bytes that it holds.
class CountedMemory final : public std::pmr::memory_resource {
 public:
  std::size_t held() const { return held_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t align) override {
    void* const memory = std::pmr::new_delete_resource()->allocate(bytes, align);
    held_ += bytes;
    return memory;
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t align) override {
    std::pmr::new_delete_resource()->deallocate(memory, bytes, align);
    held_ -= bytes;
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::size_t held_ = 0;
};

// A thread's context, lent to one call at a time.
template <class Context>
class Kept {
 public:
  static LentContext<Context> lend() {
    Kept& kept = of_this_thread();
    if (kept.is_lent_) return {};
    if (!kept.context_) kept.context_.emplace(&kept.memory_);
    kept.is_lent_ = true;
    return {&*kept.context_, &take_back};
  }

 private:
  static Kept& of_this_thread() {
    thread_local Kept kept;
    return kept;
  }
  // A small file may still ask for much, a long lookback window say: such memory is not kept.
  static void take_back() {
    Kept& kept = of_this_thread();
    kept.is_lent_ = false;
    if (kept.memory_.held() > kMaxKeptBytes) kept.context_.reset();
  }

  static constexpr std::size_t kMaxKeptBytes = std::size_t{4} << 20;
  CountedMemory memory_;
  std::optional<Context> context_;
  bool is_lent_ = false;
};

std::atomic<ThreadExecutor*> shared{nullptr};
std::mutex making_shared;

// After fork() the child has the object but not its threads: it gets new ones. The lock may have
// been held by a thread that is gone.
void forget_after_fork() {
  shared.store(nullptr);
  new (&making_shared) std::mutex;
}

}  // namespace

LentContext<DecodeContext> small_decode_context(std::size_t file_bytes,
                                                const DecodeConfig& config) {
  if (file_bytes > kSmallFile || config.threads != 1) return {};
  return Kept<DecodeContext>::lend();
}

LentContext<EncodeContext> small_encode_context(std::size_t number_bytes,
                                                const EncodeConfig& config) {
  if (number_bytes > kSmallInput || config.threads != 1) return {};
  return Kept<EncodeContext>::lend();
}

void prepare_for_fork() { internal::platform::at_fork(nullptr, nullptr, forget_after_fork); }

Executor& shared_executor() {
  ThreadExecutor* executor = shared.load(std::memory_order_acquire);
  if (executor == nullptr) {
    const std::lock_guard lock(making_shared);
    executor = shared.load(std::memory_order_relaxed);
    if (executor == nullptr) {
      // Never destroyed: at the interpreter's exit threads may still be using it.
      executor = new ThreadExecutor(0);
      shared.store(executor, std::memory_order_release);
    }
  }
  return *executor;
}

}  // namespace numpact::python
