// SPDX-License-Identifier: Apache-2.0
// Scratch memory: a stack of blocks that is rewound instead of freed, so that a second call of the
// same shape allocates nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include "base/memory.hpp"

namespace numpact::internal {

// Thrown (inside the library only) when scratch memory would exceed its limit.
struct MemoryLimitExceeded : std::bad_alloc {
  const char* what() const noexcept override { return "memory limit exceeded"; }
};

class Arena {
 public:
  static constexpr std::size_t kAlignBytes = 64;
  static constexpr std::size_t kMinBlockBytes = std::size_t{1} << 14;
  static constexpr std::size_t kMaxSpareBytes = std::size_t{1} << 24;
  // Blocks of at least this size ask the system for large pages: mapping them in small pages takes
  // a noticeable share of a call that allocates them anew.
  static constexpr std::size_t kLargeBlockBytes = std::size_t{1} << 22;

  explicit Arena(std::pmr::memory_resource* memory);
  ~Arena() { release_blocks(); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Uninitialized memory for n objects, 64-byte aligned, valid until the arena is rewound past it.
  // Throws std::bad_alloc or MemoryLimitExceeded.
  template <class T>
  std::span<T> make(std::size_t n) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= kAlignBytes);
    if (n > (SIZE_MAX - kAlignBytes) / sizeof(T)) throw_bad_alloc();
    return {static_cast<T*>(take(n * sizeof(T))), n};
  }

  // Without exceptions: makes sure that the next calls of make(), for n objects in all, find
  // memory. With them make() reports the missing bytes.
#ifdef NUMPACT_NO_EXCEPTIONS
  template <class T>
  Status ensure(std::uint64_t n) {
    return n <= SIZE_MAX / 2 / sizeof(T) ? ensure_bytes(static_cast<std::size_t>(n) * sizeof(T))
                                         : out_of_memory();
  }
#else
  template <class T>
  Status ensure(std::uint64_t) {
    return {};
  }
#endif

  struct Mark {
    std::size_t block = 0;
    std::size_t used = 0;
    std::size_t total = 0;
  };
  Mark mark() const { return {current_, used_, total_used_}; }
  void rewind(const Mark& mark) {
    current_ = mark.block;
    used_ = mark.used;
    total_used_ = mark.total;
  }

  // Frees all allocations; several blocks are merged into one of their total size. The limit is in
  // bytes.
  void reset(std::uint64_t limit = ~std::uint64_t{0});

  std::size_t capacity() const { return capacity_; }
  // Bytes that the limit leaves for further objects.
  std::uint64_t bytes_left() const { return limit_ - std::min<std::uint64_t>(limit_, total_used_); }

 private:
  struct Block {
    std::byte* data;
    std::size_t size;
  };

  void* take(std::size_t bytes);
  void add_block(std::size_t bytes);
#ifdef NUMPACT_NO_EXCEPTIONS
  // Rounding of the objects that are made after one call of ensure().
  static constexpr std::size_t kEnsureSlackBytes = 64 * kAlignBytes;

  Status ensure_bytes(std::size_t bytes);
  bool try_add_block(std::size_t bytes);
#endif
  void release_blocks();

  std::pmr::memory_resource* memory_;
  bool may_hint_;  // only for memory from operator new, not for a caller's resource
  std::pmr::vector<Block> blocks_;
  std::size_t current_ = 0;     // current block
  std::size_t used_ = 0;        // bytes used in it
  std::size_t total_used_ = 0;  // bytes allocated
  std::size_t capacity_ = 0;    // bytes of all blocks
  std::uint64_t limit_ = ~std::uint64_t{0};
};

// Rewinds the arena to its state at construction.
class ArenaScope {
 public:
  explicit ArenaScope(Arena& arena) : arena_(arena), mark_(arena.mark()) {}
  ~ArenaScope() { arena_.rewind(mark_); }
  ArenaScope(const ArenaScope&) = delete;
  ArenaScope& operator=(const ArenaScope&) = delete;

 private:
  Arena& arena_;
  Arena::Mark mark_;
};

}  // namespace numpact::internal
