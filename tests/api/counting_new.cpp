// SPDX-License-Identifier: Apache-2.0
#include "counting_new.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace numpact::testing {

std::atomic<long> allocations = 0;
std::atomic<long> fail_in = -1;

namespace {

void* allocate(std::size_t size, std::size_t align) {
  ++allocations;
  if (fail_in >= 0 && fail_in-- == 0) throw std::bad_alloc();
  void* memory = nullptr;
  const std::size_t least = std::max(align, sizeof(void*));
  if (::posix_memalign(&memory, least, std::max<std::size_t>(size, 1)) != 0) throw std::bad_alloc();
  return memory;
}

}  // namespace
}  // namespace numpact::testing

void* operator new(std::size_t size) { return numpact::testing::allocate(size, 16); }
void* operator new[](std::size_t size) { return numpact::testing::allocate(size, 16); }
void* operator new(std::size_t size, std::align_val_t align) {
  return numpact::testing::allocate(size, static_cast<std::size_t>(align));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
