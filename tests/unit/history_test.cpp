// SPDX-License-Identifier: Apache-2.0
// Decoded latents stay available within the reach, and memory grows with what was decoded.
#include "pco/delta/history.hpp"
#include "base/internal.hpp"

#include <gtest/gtest.h>

#include "pco/delta/lookback_ring.hpp"
#include "support/random.hpp"

namespace numpact::testing {
namespace {

TEST(History, KeepsTheLastLatents) {
  Random random(24);
  for (int round = 0; round < 300; ++round) {
    Arena arena(std::pmr::new_delete_resource());
    const std::size_t reach = random.between(1, 3000);
    const std::size_t max_n = random.between(reach, 20000);
    std::vector<std::uint32_t> state(random.below(reach + 1));
    std::uint32_t next = 0;
    for (auto& latent : state) latent = next++;
    History<std::uint32_t> history;
    history.start(arena, reach, max_n, state);
    while (history.end() < max_n) {
      const std::size_t n = std::min<std::size_t>(random.between(1, 256), max_n - history.end());
      history.ensure_capacity(n);
      for (std::size_t i = 0; i < n; ++i) history.data()[next - history.first()] = next, ++next;
      history.advance(n);
      ASSERT_EQ(history.end(), next);
      ASSERT_LE(history.first(), next - std::min<std::size_t>(next, reach));
      const std::size_t kept = next - history.first();
      std::vector<std::uint32_t> copy(kept);
      history.copy(history.first(), kept, copy.data());
      for (std::size_t i = 0; i < kept; ++i) ASSERT_EQ(copy[i], history.first() + i);
    }
    EXPECT_LE(arena.capacity(), 4 * (std::size_t{1} << 14) + 64 * (reach + 2048));
  }
}

TEST(History, ALargeReachCostsNothingByItself) {
  Arena arena(std::pmr::new_delete_resource());
  const std::vector<std::uint64_t> state(1);
  History<std::uint64_t> history;
  history.start(arena, std::size_t{1} << 24, std::size_t{1} << 24, state);
  history.ensure_capacity(256);
  history.advance(256);
  EXPECT_LE(arena.capacity(), std::size_t{1} << 17);
}

TEST(LookbackRing, KeepsTheLastLatents) {
  Random random(39);
  for (int round = 0; round < 300; ++round) {
    Arena arena(std::pmr::new_delete_resource());
    const std::size_t reach = random.between(1, 3000);
    const std::size_t max_n = random.between(reach, 20000);
    std::vector<std::uint32_t> state(random.below(reach + 1));
    std::uint32_t next = 0;
    for (auto& latent : state) latent = next++;
    LookbackRing<std::uint32_t> ring;
    ring.start(arena, reach, max_n, state);
    while (ring.end() < max_n) {
      const std::size_t n = std::min<std::size_t>(random.between(1, kBatchN), max_n - ring.end());
      ring.ensure_capacity(n);
      for (std::size_t i = 0; i < n; ++i, ++next) ring.data()[next & ring.mask()] = next;
      ring.advance(n);
      ASSERT_EQ(ring.end(), next);
      // The history of the next batch's lookbacks, and a batch that is output later.
      const std::size_t kept = std::min<std::size_t>(next, reach + kBatchN);
      std::vector<std::uint32_t> copy(kept);
      ring.copy(next - kept, kept, copy.data());
      for (std::size_t i = 0; i < kept; ++i) ASSERT_EQ(copy[i], next - kept + i);
    }
  }
}

TEST(LookbackRing, ALargeReachCostsNothingByItself) {
  Arena arena(std::pmr::new_delete_resource());
  const std::vector<std::uint64_t> state(1);
  LookbackRing<std::uint64_t> ring;
  ring.start(arena, std::size_t{1} << 24, std::size_t{1} << 24, state);
  ring.ensure_capacity(256);
  ring.advance(256);
  EXPECT_LE(arena.capacity(), std::size_t{1} << 17);
}

}  // namespace
}  // namespace numpact::testing
