// SPDX-License-Identifier: Apache-2.0
#include "platform/pages.hpp"

#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace numpact::internal::platform {

#ifdef __linux__

namespace {

// MADV_POPULATE_WRITE, from Linux 5.14; the C library's headers may be older.
constexpr int kPopulateWrite = 23;

void advise(std::span<std::byte> pages, int advice) {
  // If the system refuses, pages are mapped one by one when written.
  if (!pages.empty()) (void)::madvise(pages.data(), pages.size(), advice);
}

}  // namespace

std::span<std::byte> whole_pages(std::span<std::byte> memory) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto start = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::uintptr_t first = (start + page - 1) / page * page;
  const std::uintptr_t end = (start + memory.size()) / page * page;
  return first < end ? memory.subspan(first - start, end - first) : std::span<std::byte>();
}

void prefer_large_pages(std::span<std::byte> pages) { advise(pages, MADV_HUGEPAGE); }
void populate_pages(std::span<std::byte> pages) { advise(pages, kPopulateWrite); }

#else

std::span<std::byte> whole_pages(std::span<std::byte>) { return {}; }
void prefer_large_pages(std::span<std::byte>) {}
void populate_pages(std::span<std::byte>) {}

#endif

}  // namespace numpact::internal::platform
