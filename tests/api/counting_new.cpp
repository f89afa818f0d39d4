// SPDX-License-Identifier: Apache-2.0
#include "api/counting_new.hpp"
#include "base/internal.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#ifdef __APPLE__
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

namespace numpact::testing {

std::atomic<long> allocations = 0;
std::atomic<long> fail_in = -1;
std::atomic<bool> fail_on = false;
std::atomic<std::size_t> bytes_held = 0;
std::atomic<std::size_t> peak_bytes_held = 0;

namespace {

constexpr long kFailed = -1000000000;

std::size_t bytes_of(void* memory) {
#ifdef __APPLE__
  return ::malloc_size(memory);
#else
  return ::malloc_usable_size(memory);
#endif
}

// fail_in is kFailed after the last allocation.
bool fails() {
  if (fail_in >= 0) {
    const long before = fail_in--;
    if (before == 0 && fail_on) fail_in = kFailed;
    return before == 0;
  }
  return fail_in <= kFailed;
}

void* allocate(std::size_t size, std::size_t align) {
  ++allocations;
  if (fails()) throw std::bad_alloc();
  void* memory = nullptr;
  const std::size_t min_align = std::max(align, sizeof(void*));
  if (::posix_memalign(&memory, min_align, std::max<std::size_t>(size, 1)) != 0)
    throw std::bad_alloc();
  const std::size_t held = bytes_held += bytes_of(memory);
  for (std::size_t peak = peak_bytes_held; peak < held;) {
    if (peak_bytes_held.compare_exchange_weak(peak, held)) break;
  }
  return memory;
}

void release(void* memory) {
  if (memory != nullptr) bytes_held -= bytes_of(memory);
  std::free(memory);
}

void* allocate_or_null(std::size_t size) noexcept {
  try {
    return allocate(size, 16);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace
}  // namespace numpact::testing

void* operator new(std::size_t size) { return numpact::testing::allocate(size, 16); }
void* operator new[](std::size_t size) { return numpact::testing::allocate(size, 16); }
void* operator new(std::size_t size, std::align_val_t align) {
  return numpact::testing::allocate(size, static_cast<std::size_t>(align));
}
// Sanitizers define these operators; their memory must not reach the deletes below.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return numpact::testing::allocate_or_null(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return numpact::testing::allocate_or_null(size);
}
void operator delete(void* memory) noexcept { numpact::testing::release(memory); }
void operator delete(void* memory, std::size_t) noexcept { numpact::testing::release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { numpact::testing::release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  numpact::testing::release(memory);
}
void operator delete[](void* memory) noexcept { numpact::testing::release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { numpact::testing::release(memory); }
