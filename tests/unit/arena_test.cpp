// SPDX-License-Identifier: Apache-2.0
// Arenas: alignment, reuse, limits and large pages.
#include "base/arena.hpp"
#include "base/internal.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "support/random.hpp"

namespace numpact::testing {
namespace {

class Counting final : public std::pmr::memory_resource {
 public:
  ~Counting() override { EXPECT_EQ(held, 0u); }
  int requests = 0;
  std::size_t held = 0;

 private:
  void* do_allocate(std::size_t bytes, std::size_t align) override {
    ++requests;
    held += bytes;
    return std::pmr::new_delete_resource()->allocate(bytes, align);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t align) override {
    held -= bytes;
    std::pmr::new_delete_resource()->deallocate(memory, bytes, align);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

// Every array keeps its contents while others are made.
TEST(Arena, ArraysAreApartAndAligned) {
  Random random(1);
  Counting memory;
  Arena arena(&memory);
  for (int round = 0; round < 20; ++round) {
    arena.reset();
    std::vector<std::span<std::uint8_t>> arrays;
    for (int i = 0; i < 100; ++i) {
      const std::span<std::uint8_t> array = arena.make<std::uint8_t>(random.below(3000));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % Arena::kAlignBytes, 0u);
      std::fill(array.begin(), array.end(), static_cast<std::uint8_t>(i));
      arrays.push_back(array);
    }
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      for (const std::uint8_t value : arrays[i]) ASSERT_EQ(value, i);
    }
  }
}

TEST(Arena, SameShapeAllocatesNothingOnceWarm) {
  Counting memory;
  Arena arena(&memory);
  const auto use = [&] {
    for (std::size_t n = 1; n < 200000; n = n * 3 / 2 + 1) (void)arena.make<std::uint64_t>(n);
  };
  use();
  EXPECT_GT(memory.requests, 1);
  arena.reset();
  use();
  const int requests = memory.requests;
  for (int i = 0; i < 3; ++i) {
    arena.reset();
    use();
    EXPECT_EQ(memory.requests, requests);
  }
}

TEST(Arena, BlocksBecomeOne) {
  Counting memory;
  Arena arena(&memory);
  for (int i = 0; i < 20; ++i) (void)arena.make<char>(30000);
  const std::size_t capacity = arena.capacity();
  EXPECT_GE(capacity, 600000u);
  arena.reset();
  const int requests = memory.requests;
  EXPECT_EQ(arena.make<char>(capacity).size(), capacity);
  EXPECT_EQ(memory.requests, requests);
  EXPECT_EQ(arena.capacity(), capacity);
}

TEST(Arena, ScopesGiveBack) {
  Counting memory;
  Arena arena(&memory);
  (void)arena.make<char>(100);
  void* first = nullptr;
  for (int i = 0; i < 1000; ++i) {
    const ArenaScope scope(arena);
    void* const at = arena.make<char>(5000).data();
    if (i == 0) first = at;
    EXPECT_EQ(at, first);
  }
  EXPECT_LE(arena.capacity(), std::size_t{1} << 16);
}

TEST(Arena, ScopesGiveBackAcrossBlocks) {
  Counting memory;
  Arena arena(&memory);
  const std::span<int> kept = arena.make<int>(10);
  std::fill(kept.begin(), kept.end(), 7);
  for (int i = 0; i < 50; ++i) {
    const ArenaScope scope(arena);
    for (int j = 0; j < 10; ++j) {
      const std::span<char> array = arena.make<char>(20000);
      std::memset(array.data(), 1, array.size());
    }
  }
  for (const int value : kept) EXPECT_EQ(value, 7);
  EXPECT_LE(arena.capacity(), std::size_t{1} << 20);
}

TEST(Arena, LimitHolds) {
  for (const std::uint64_t limit : {0u, 1u, 64u, 1000u, 20000u, 300000u}) {
    Counting memory;
    Arena arena(&memory);
    arena.reset(limit);
    bool reached = false;
    for (int i = 0; i < 10000 && !reached; ++i) {
      try {
        (void)arena.make<char>(640);
      } catch (const MemoryLimitExceeded&) {
        reached = true;
      }
      ASSERT_LE(memory.held, limit + 4096) << "blocks' list included";
    }
    EXPECT_TRUE(reached) << limit;
    EXPECT_LE(arena.capacity(), limit);
    arena.reset();
    EXPECT_EQ(arena.make<char>(400000).size(), 400000u);
    arena.reset(limit);
    EXPECT_LE(arena.capacity(), limit) << "a smaller limit gives memory back";
  }
}

TEST(Arena, OversizeIsBadAlloc) {
  Arena arena(std::pmr::new_delete_resource());
  EXPECT_THROW((void)arena.make<std::uint64_t>(SIZE_MAX / 8), std::bad_alloc);
  EXPECT_THROW((void)arena.make<std::uint64_t>(SIZE_MAX), std::bad_alloc);
  EXPECT_THROW((void)arena.make<char>(SIZE_MAX - 10), std::bad_alloc);
  EXPECT_EQ(arena.make<char>(5).size(), 5u);
  EXPECT_EQ(arena.make<char>(0).size(), 0u);
}

#ifdef __linux__

// The flags of the mapping that contains an address, from /proc/self/smaps.
std::string flags_at(const void* address) {
  const auto target = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream list("/proc/self/smaps");
  bool is_here = false;
  for (std::string line; std::getline(list, line);) {
    std::istringstream fields(line);
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    if (fields >> std::hex >> begin >> dash >> end && dash == '-') {
      is_here = begin <= target && target < end;
    } else if (is_here && line.rfind("VmFlags:", 0) == 0) {
      return line + " ";
    }
  }
  return "";
}

// New memory pages, for which no hint was given before.
class Mapped final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t) override {
    return ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t) override {
    ::munmap(memory, bytes);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

bool has_large_pages(std::pmr::memory_resource* memory, std::size_t bytes) {
  Arena arena(memory);
  const std::span<std::byte> block = arena.make<std::byte>(bytes);
  return flags_at(block.data() + block.size() / 2).find(" hg ") != std::string::npos;
}

// Whether the system lists requests for large pages. Kernels without them do not; qemu accepts the
// request and ignores it.
bool lists_large_pages() {
  constexpr std::size_t kBytes = std::size_t{1} << 22;  // two large pages of most processors
  Mapped memory;
  void* const pages = memory.allocate(kBytes);
  (void)::madvise(pages, kBytes, MADV_HUGEPAGE);
  const bool is_listed = flags_at(pages).find(" hg ") != std::string::npos;
  memory.deallocate(pages, kBytes);
  return is_listed;
}

TEST(Arena, LargeBlocksAskForLargePages) {
  if (!lists_large_pages()) {
    GTEST_SKIP() << "this system does not show which memory is to have large pages";
  }
  // Larger than what the C library caches, so that the mapping is new.
  EXPECT_TRUE(has_large_pages(std::pmr::new_delete_resource(), std::size_t{1} << 26));
  Mapped own;
  EXPECT_FALSE(has_large_pages(&own, std::size_t{1} << 26)) << "a caller's memory is left alone";
}

#endif

}  // namespace
}  // namespace numpact::testing
