// SPDX-License-Identifier: Apache-2.0
#include "base/memory.hpp"

#ifndef NUMPACT_NO_EXCEPTIONS

#include <stdexcept>

namespace numpact::internal {

void throw_bad_alloc() { throw std::bad_alloc(); }
void throw_length_error() { throw std::length_error("larger than memory can be"); }

}  // namespace numpact::internal

#else

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "base/mutex.hpp"

namespace numpact::internal {

constinit thread_local MemoryState memory_state;

// The most bytes drawn from a reserve so far.
static std::atomic<std::size_t> max_drawn = 0;

// A stack of blocks, popped when the last ones are given back, in any order.
class Reserve {
 public:
  // Null if there is no memory.
  static Reserve* make(std::size_t bytes) noexcept {
    void* const memory = std::malloc(sizeof(Reserve) + bytes);
    return memory != nullptr ? ::new (memory) Reserve(bytes) : nullptr;
  }

  std::size_t size() const { return size_; }
  bool is_drawn() const { return live_ > 0; }
  bool holds(const void* memory) const {
    const auto at = reinterpret_cast<std::uintptr_t>(memory);
    const auto begin = reinterpret_cast<std::uintptr_t>(bytes());
    return at >= begin && at < begin + size_;
  }

  void* take(std::size_t byte_count, std::size_t alignment) {
    const auto base = reinterpret_cast<std::uintptr_t>(bytes());
    const std::size_t mask = std::max(alignment, alignof(Block)) - 1;
    const std::uintptr_t place = (base + top_ + sizeof(Block) + mask) & ~std::uintptr_t{mask};
    const std::size_t at = place - base;
    if (at > size_ || byte_count > size_ - at) return nullptr;
    Block* const block = ::new (bytes() + at - sizeof(Block)) Block{last_, top_, false};
    last_ = block;
    top_ = at + byte_count;
    ++live_;
    return block + 1;
  }

  void give_back(void* memory) {
    (static_cast<Block*>(memory) - 1)->is_free = true;
    --live_;
    while (last_ != nullptr && last_->is_free) {
      top_ = last_->top_before;
      last_ = last_->before;
    }
  }

  std::size_t used() const { return top_; }

  Reserve* next = nullptr;  // in the list of those with blocks in use
  bool is_referred = true;  // a thread refers to it

 private:
  // In front of its memory.
  struct alignas(std::max_align_t) Block {
    Block* before;
    std::size_t top_before;
    bool is_free;
  };

  explicit Reserve(std::size_t bytes) : size_(bytes) {}
  std::byte* bytes() const {
    return const_cast<std::byte*>(reinterpret_cast<const std::byte*>(this + 1));
  }

  std::size_t size_;
  std::size_t top_ = 0;
  std::size_t live_ = 0;
  Block* last_ = nullptr;
};

namespace {

// Reserves with blocks in use: hardly ever any.
Mutex drawn_mutex;
Reserve* drawn_list = nullptr;          // guarded by the mutex
std::atomic<unsigned> drawn_count = 0;  // its length
// The value that a resource returns to try_allocate() if it has no memory; allocate() must not
// return null.
alignas(64) std::byte refused[64];

void* allocate_plain(std::size_t bytes, std::size_t alignment) noexcept {
  if (alignment <= alignof(std::max_align_t)) return std::malloc(std::max<std::size_t>(bytes, 1));
  if (bytes > SIZE_MAX - alignment) return nullptr;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  return std::aligned_alloc(alignment, std::max(rounded, alignment));
}

class PlainMemory final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* const memory = allocate_plain(bytes, alignment);
    return memory != nullptr ? memory : memory_refused(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t, std::size_t) override {
    if (!give_back(memory)) std::free(memory);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

// Never destroyed, since objects may be destroyed after it.
union Plain {
  constexpr Plain() : memory() {}
  ~Plain() {}
  PlainMemory memory;
};
constinit Plain plain;

// The mutex is held.
void unlist(const Reserve* reserve) {
  Reserve** link = &drawn_list;
  while (*link != reserve) link = &(*link)->next;
  *link = reserve->next;
  --drawn_count;
}

// The thread no longer refers to it.
void let_go(Reserve* reserve) {
  if (reserve == nullptr) return;
  {
    const Lock lock(drawn_mutex);
    reserve->is_referred = false;
    if (reserve->is_drawn()) return;
  }
  std::free(reserve);
}

#ifndef NUMPACT_ONE_THREAD
// Releases the reserve of a thread that ends.
struct ThreadEnd {
  ~ThreadEnd() {
    let_go(memory_state.reserve);
    memory_state.reserve = nullptr;
  }
};
#endif

bool hold(std::size_t bytes) noexcept {
  Reserve*& own = memory_state.reserve;
  if (own != nullptr && own->size() >= bytes) return true;
  Reserve* const made = Reserve::make(bytes);
  if (made == nullptr) return false;
  let_go(own);
  own = made;
#ifndef NUMPACT_ONE_THREAD
  static thread_local ThreadEnd end;
  (void)end;
#endif
  return true;
}

}  // namespace

void throw_bad_alloc() noexcept { std::abort(); }
void throw_length_error() noexcept { std::abort(); }

void* draw(std::size_t bytes, std::size_t alignment, MemoryFailure failure) noexcept {
  Reserve* const reserve = memory_state.reserve;
  if (memory_state.depth == 0 || reserve == nullptr) std::abort();
  if (memory_state.failure == MemoryFailure::kNone) memory_state.failure = failure;
  const Lock lock(drawn_mutex);
  const bool was_drawn = reserve->is_drawn();
  void* const memory = reserve->take(bytes, alignment);
  if (memory == nullptr) std::abort();
  if (!was_drawn) {
    reserve->next = drawn_list;
    drawn_list = reserve;
    ++drawn_count;
  }
  max_drawn = std::max<std::size_t>(max_drawn, reserve->used());
  return memory;
}

bool give_back(void* memory) noexcept {
  if (drawn_count.load(std::memory_order_relaxed) == 0) return false;
  const Lock lock(drawn_mutex);
  for (Reserve* reserve = drawn_list; reserve != nullptr; reserve = reserve->next) {
    if (!reserve->holds(memory)) continue;
    reserve->give_back(memory);
    if (reserve->is_drawn()) return true;
    unlist(reserve);
    if (!reserve->is_referred) std::free(reserve);
    return true;
  }
  return false;
}

void* memory_refused(std::size_t bytes, std::size_t alignment) noexcept {
  return memory_state.is_trying ? refused : draw(bytes, alignment, MemoryFailure::kMemory);
}

std::pmr::memory_resource* plain_memory() noexcept { return &plain.memory; }

void* try_allocate(std::pmr::memory_resource& memory, std::size_t bytes, std::size_t alignment) {
  memory_state.is_trying = true;
  void* const made = memory.allocate(bytes, alignment);
  memory_state.is_trying = false;
  return made != refused ? made : nullptr;
}

Status ensure_memory(std::uint64_t bytes) noexcept {
  if (memory_has_failed()) return memory_failure();
  if (bytes > SIZE_MAX / 2 || !hold(static_cast<std::size_t>(bytes) + kReserveBytes)) {
    return out_of_memory();
  }
  return {};
}

Status memory_failure() noexcept {
  switch (memory_state.failure) {
    case MemoryFailure::kMemory:
      return out_of_memory();
    case MemoryFailure::kLimit:
      return memory_limit_exceeded();
    default:
      return {};
  }
}

bool note_failure(const Status& status) noexcept {
  if (status.ok()) return true;
  if (!memory_has_failed()) {
    const bool is_limit = status.kind() == ErrorKind::kLimitExceeded;
    memory_state.failure = is_limit ? MemoryFailure::kLimit : MemoryFailure::kMemory;
  }
  return false;
}

CallScope::CallScope() noexcept {
  if (memory_state.depth++ > 0) return;
  memory_state.failure = MemoryFailure::kNone;
  (void)hold(kReserveBytes);
}

// A reserve that grew, or of which blocks are in use, is not kept for the next call.
CallScope::~CallScope() {
  if (--memory_state.depth > 0) return;
  memory_state.failure = MemoryFailure::kNone;
  Reserve*& own = memory_state.reserve;
  if (own == nullptr || (own->size() == kReserveBytes && !own->is_drawn())) return;
  let_go(own);
  own = nullptr;
}

}  // namespace numpact::internal

// Operators new and delete of this library: see memory_symbols.inc.
extern "C" {

void* numpact_operator_new(std::size_t bytes) {
  return numpact::internal::plain_memory()->allocate(bytes);
}
void* numpact_operator_new_aligned(std::size_t bytes, std::size_t alignment) {
  return numpact::internal::plain_memory()->allocate(bytes, alignment);
}
void* numpact_operator_new_array(std::size_t bytes) { return numpact_operator_new(bytes); }
void* numpact_operator_new_array_aligned(std::size_t bytes, std::size_t alignment) {
  return numpact_operator_new_aligned(bytes, alignment);
}
void numpact_operator_delete(void* memory) {
  if (memory != nullptr) numpact::internal::plain_memory()->deallocate(memory, 0);
}

#define NUMPACT_DELETE(name, ...) \
  void numpact_operator_##name(void* memory, __VA_ARGS__) { numpact_operator_delete(memory); }
void numpact_operator_delete_array(void* memory) { numpact_operator_delete(memory); }
NUMPACT_DELETE(delete_sized, std::size_t)
NUMPACT_DELETE(delete_aligned, std::size_t)
NUMPACT_DELETE(delete_sized_aligned, std::size_t, std::size_t)
NUMPACT_DELETE(delete_array_sized, std::size_t)
NUMPACT_DELETE(delete_array_aligned, std::size_t)
NUMPACT_DELETE(delete_array_sized_aligned, std::size_t, std::size_t)
#undef NUMPACT_DELETE

// For tests.
std::size_t numpact_max_drawn_bytes() { return numpact::internal::max_drawn; }

}  // extern "C"

#endif
