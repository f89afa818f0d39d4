// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "api/worker_pool.hpp"
#include "base/arena.hpp"
#include "base/exceptions.hpp"
#include "base/internal.hpp"
#include "numpact/config.hpp"

namespace numpact {

struct EncodeContext::Impl {
  explicit Impl(std::pmr::memory_resource* own) : memory(own), arena(own), worker_pool(own) {}
  std::pmr::memory_resource* memory;
  Arena arena;
  WorkerPool worker_pool;
};

struct DecodeContext::Impl {
  explicit Impl(std::pmr::memory_resource* own) : memory(own), arena(own), worker_pool(own) {}
  std::pmr::memory_resource* memory;
  Arena arena;
  WorkerPool worker_pool;
};

namespace detail {

class ContextAccess {
 public:
  template <class Context>
  static Arena& arena(Context& context) {
    return impl(context).arena;
  }
  template <class Context>
  static WorkerPool& worker_pool(Context& context) {
    return impl(context).worker_pool;
  }

 private:
  template <class Context>
  static auto& impl(Context& context) {
    if (context.impl_ == nullptr) {
      throw_error(Status(ErrorKind::kInvalidArgument, "the context was moved from"), {});
    }
    return *context.impl_;
  }
};

}  // namespace detail

// The worker pool of the caller's context, or else one created in `own`.
template <class Context>
WorkerPool& worker_pool_of(Context* context, std::optional<WorkerPool>& own) {
  return context != nullptr ? detail::ContextAccess::worker_pool(*context)
                            : own.emplace(default_memory());
}

// The arena of the caller's context, or else one owned by this object.
class ScratchArena {
 public:
  template <class Context>
  explicit ScratchArena(Context* context, std::uint64_t limit = DecodeLimits::kUnlimited) {
    if (context != nullptr) {
      arena_ = &detail::ContextAccess::arena(*context);
    } else {
      arena_ = &own_.emplace(default_memory());
    }
    arena_->reset(limit);
  }
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

  Arena& operator*() { return *arena_; }

 private:
  std::optional<Arena> own_;
  Arena* arena_;
};

}  // namespace numpact
