// SPDX-License-Identifier: Apache-2.0
#ifndef NUMPACT_API_CONTEXT_HPP
#define NUMPACT_API_CONTEXT_HPP

#include <optional>

#include "api/workers.hpp"
#include "base/arena.hpp"
#include "numpact/config.hpp"

namespace numpact {

struct EncodeContext::Impl {
  explicit Impl(std::pmr::memory_resource* memory) : arena(memory), workers(memory) {}
  Arena arena;
  Workers workers;
};

struct DecodeContext::Impl {
  explicit Impl(std::pmr::memory_resource* memory) : arena(memory), workers(memory) {}
  Arena arena;
  Workers workers;
};

namespace detail {

class ContextAccess {
 public:
  template <class Context>
  static Arena& arena(Context& context) {
    return impl(context).arena;
  }
  template <class Context>
  static Workers& workers(Context& context) {
    return impl(context).workers;
  }

 private:
  template <class Context>
  static auto& impl(Context& context) {
    if (context.impl_ == nullptr) {
      throw Error(Status(ErrorKind::kInvalidArgument, "the context was moved from"));
    }
    return *context.impl_;
  }
};

}  // namespace detail

// The workers of the caller's context, else those that are made in `own`.
template <class Context>
Workers& workers_of(Context* context, std::optional<Workers>& own) {
  return context != nullptr ? detail::ContextAccess::workers(*context)
                            : own.emplace(std::pmr::get_default_resource());
}

// The arena of the caller's context, else one that lives as long as this object.
class ScratchArena {
 public:
  template <class Context>
  explicit ScratchArena(Context* context, std::uint64_t limit = DecodeLimits::kUnlimited) {
    if (context != nullptr) {
      arena_ = &detail::ContextAccess::arena(*context);
    } else {
      arena_ = &own_.emplace(std::pmr::get_default_resource());
    }
    arena_->reset(limit);
  }
  // Leaves a caller's arena in one block, so that the next call finds all it needs.
  ~ScratchArena() {
    if (own_) return;
    try {
      arena_->reset();
    } catch (...) {
      // The block will be asked for again when it is needed.
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

#endif
