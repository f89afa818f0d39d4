// SPDX-License-Identifier: Apache-2.0
// Handling of failed allocations.
//
// With exceptions std::bad_alloc is thrown, which guarded() turns into a Status.
//
// Without them (NUMPACT_NO_EXCEPTIONS) each thread holds a reserve of memory while it calls the
// library:
// 1. A call begins by making sure of kReserveBytes. If they cannot be had, it fails at once.
// 2. An allocation that fails within the call gets a block of the reserve, and the call is marked
//    as failed. NUMPACT_TRY then returns at the next status, and guarded() turns whatever the call
//    returns into kOutOfMemory. All destructors run.
// 3. Memory whose size depends on the data is asked for in advance, by ensure_memory() or
//    Arena::ensure(), which return a Status.
// So between two statuses a call may take kReserveBytes that it did not ask for. One that takes
// more is an error of this library and ends the program.
// Blocks of a reserve may outlive the call, in an object that failed and was not destroyed yet: the
// reserve is released with the last of them, and the thread makes a new one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>

#include "numpact/error.hpp"

namespace numpact::internal {

inline Status out_of_memory() { return Status(ErrorKind::kOutOfMemory, "out of memory"); }
inline Status memory_limit_exceeded() {
  return Status(ErrorKind::kLimitExceeded, "scratch memory would pass the limit max_memory");
}

#ifndef NUMPACT_NO_EXCEPTIONS

// Not in the header, which kernels without exceptions include.
[[noreturn]] void throw_bad_alloc();
[[noreturn]] void throw_length_error();
// Called by a memory resource whose memory is used up.
[[noreturn]] inline void* memory_refused(std::size_t, std::size_t) { throw_bad_alloc(); }
// The resource of calls without a context.
inline std::pmr::memory_resource* default_memory() { return std::pmr::get_default_resource(); }
// Whether the memory is that of operator new, not a caller's.
inline bool is_plain(const std::pmr::memory_resource& memory) {
  return memory.is_equal(*std::pmr::new_delete_resource());
}
// The memory of objects for which the caller has no allocator.
inline std::pmr::memory_resource* plain_memory() { return std::pmr::new_delete_resource(); }
constexpr bool give_back(const void*) { return false; }
inline Status ensure_memory(std::uint64_t) { return {}; }
constexpr bool memory_has_failed() { return false; }
inline Status memory_failure() { return {}; }
constexpr bool note_failure(const Status&) { return true; }

#else

// The largest need between two statuses that is not asked for is that of encoding: some lists of
// segments and of candidates. The tests print the largest amount that was ever drawn.
inline constexpr std::size_t kReserveBytes = std::size_t{1} << 20;

class Reserve;

enum class MemoryFailure : std::uint8_t { kNone, kMemory, kLimit };

struct MemoryState {
  Reserve* reserve = nullptr;                    // of this thread; made by the first call
  unsigned depth = 0;                            // calls within calls
  MemoryFailure failure = MemoryFailure::kNone;  // of the outermost call
  bool is_trying = false;                        // within try_allocate()
};
extern constinit thread_local MemoryState memory_state;

// They end the program.
[[noreturn]] void throw_bad_alloc() noexcept;
[[noreturn]] void throw_length_error() noexcept;
void* memory_refused(std::size_t bytes, std::size_t alignment) noexcept;
std::pmr::memory_resource* plain_memory() noexcept;
inline std::pmr::memory_resource* default_memory() noexcept { return plain_memory(); }
inline bool is_plain(const std::pmr::memory_resource& memory) noexcept {
  return &memory == plain_memory();
}
// Null if there is none.
void* try_allocate(std::pmr::memory_resource& memory, std::size_t bytes, std::size_t alignment);
// A block of the reserve; marks the call as failed.
void* draw(std::size_t bytes, std::size_t alignment, MemoryFailure failure) noexcept;
// Takes a block of any reserve back. False: the memory is of none.
bool give_back(void* memory) noexcept;
// Makes sure that allocations of at most `bytes` in all, beyond kReserveBytes, do not end the
// program in this call.
Status ensure_memory(std::uint64_t bytes) noexcept;

inline bool memory_has_failed() noexcept { return memory_state.failure != MemoryFailure::kNone; }
Status memory_failure() noexcept;
// Marks the call as failed if the status, of ensure(), is an error. False: it is one.
bool note_failure(const Status& status) noexcept;

// A call, or a call within it.
class CallScope {
 public:
  CallScope() noexcept;
  ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

  bool has_reserve() const { return memory_state.reserve != nullptr; }
};

#endif

}  // namespace numpact::internal
