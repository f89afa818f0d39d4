// SPDX-License-Identifier: Apache-2.0
#include "base/arena.hpp"

#include <gtest/gtest.h>

#include <cstring>

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

// Every array keeps what was written to it while others are made.
TEST(Arena, ArraysAreApartAndAligned) {
  Random random(1);
  Counting memory;
  Arena arena(&memory);
  for (int round = 0; round < 20; ++round) {
    arena.reset();
    std::vector<std::span<std::uint8_t>> arrays;
    for (int i = 0; i < 100; ++i) {
      const std::span<std::uint8_t> array = arena.make<std::uint8_t>(random.below(3000));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % Arena::kAlign, 0u);
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

}  // namespace
}  // namespace numpact::testing
