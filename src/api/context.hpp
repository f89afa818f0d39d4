// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "api/worker_pool.hpp"
#include "base/arena.hpp"
#include "base/exceptions.hpp"
#include "base/in_use.hpp"
#include "base/internal.hpp"
#include "numpact/config.hpp"

namespace numpact {

struct EncodeContext::Impl {
  explicit Impl(std::pmr::memory_resource* own) : memory(own), arena(own), worker_pool(own) {}
  std::pmr::memory_resource* memory;
  Arena arena;
  WorkerPool worker_pool;
  bool is_in_use = false;  // a ScratchArena has the arena
};

struct DecodeContext::Impl {
  explicit Impl(std::pmr::memory_resource* own) : memory(own), arena(own), worker_pool(own) {}
  std::pmr::memory_resource* memory;
  Arena arena;
  WorkerPool worker_pool;
  bool is_in_use = false;  // a ScratchArena has the arena
};

namespace detail {

class ContextAccess {
 public:
  // Null if the context was moved from.
  template <class Context>
  static auto* impl(Context& context) {
    return context.impl_.get();
  }
};

}  // namespace detail

// The worker pool of the caller's context, or else one created in `own`. A ScratchArena has the
// context.
template <class Context>
WorkerPool& worker_pool_of(Context* context, std::optional<WorkerPool>& own) {
  return context != nullptr ? detail::ContextAccess::impl(*context)->worker_pool
                            : own.emplace(default_memory());
}

// The arena of the caller's context, or else one owned by this object. A context serves one call at
// a time: the functions of the caller that a call runs may not use it, as the status says.
class ScratchArena {
 public:
  template <class Context>
  explicit ScratchArena(Context* context, std::uint64_t limit = DecodeLimits::kUnlimited)
      : ScratchArena(context != nullptr ? detail::ContextAccess::impl(*context) : nullptr,
                     context != nullptr, limit) {}
  // Merges the blocks of a caller's arena, so that the next call finds one that suffices.
  ~ScratchArena() {
    if (own_) return;
    NUMPACT_TRY_BLOCK { arena_->reset(); }
    NUMPACT_CATCH_ALL {
      // The block is allocated again when it is needed.
    }
  }
  ScratchArena(const ScratchArena&) = delete;
  ScratchArena& operator=(const ScratchArena&) = delete;

  // kInvalidArgument: the context cannot be used. To be asked before the arena is.
  const Status& status() const { return status_; }
  Arena& operator*() { return *arena_; }

 private:
  template <class Impl>
  ScratchArena(Impl* impl, bool is_given, std::uint64_t limit)
      : use_(impl != nullptr ? &impl->is_in_use : nullptr) {
    if (use_.is_refused()) {
      status_ = in_use("the context is in use by this call");
    } else if (is_given && impl == nullptr) {
      status_ = Status(ErrorKind::kInvalidArgument, "the context was moved from");
    } else if (is_given) {
      arena_ = &impl->arena;
    }
    if (arena_ == nullptr) arena_ = &own_.emplace(default_memory());
    arena_->reset(limit);
  }

  InUse use_;  // the last to go
  Status status_;
  std::optional<Arena> own_;
  Arena* arena_ = nullptr;
};

}  // namespace numpact
