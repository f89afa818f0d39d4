// SPDX-License-Identifier: Apache-2.0
// What is taken for random, and above all what is not: anything that can be compressed.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/internal.hpp"
#include "numpact/numpact.hpp"
#include "pco/encode/randomness.hpp"
#include "support/random.hpp"

namespace numpact::testing {
namespace {

template <Latent L>
bool looks_random(std::vector<L> latents) {
  Arena arena(std::pmr::new_delete_resource());
  return internal::looks_random(LatentArray(std::span<L>(latents)), level_row(8).prefilter, arena);
}

template <Latent L>
std::vector<L> random_latents(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<L> latents(n);
  for (L& latent : latents) latent = static_cast<L>(random.bits(kBits<L>));
  return latents;
}

// Changes a latent of random ones, given its place and the latents.
template <Latent L>
using Change = std::function<L(std::size_t, const std::vector<L>&, Random&)>;

template <Latent L>
std::vector<std::pair<std::string, Change<L>>> structures() {
  using All = std::vector<L>;
  const auto sum_of_polynomial = [](std::size_t i, L factor, unsigned degree) {
    L value = factor;
    for (unsigned k = 0; k < degree; ++k) value = static_cast<L>(value * i);
    return value;
  };
  return {
      {"a tenth recurs",
       [](std::size_t i, const All& all, Random& random) {
         return i > 9 && random.below(10) == 0 ? all[random.below(i)] : all[i];
       }},
      {"a stretch of zeros",
       [](std::size_t i, const All& all, Random&) {
         return i >= all.size() / 3 && i < all.size() / 3 + all.size() / 16 ? L{0} : all[i];
       }},
      {"a stretch that counts",
       [](std::size_t i, const All& all, Random&) {
         const bool counts = i > all.size() / 2 && i < all.size() / 2 + all.size() / 16;
         return counts ? static_cast<L>(all[0] + i) : all[i];
       }},
      {"one in 50 equal", [](std::size_t i, const All& all,
                             Random& random) { return random.below(50) == 0 ? L{77} : all[i]; }},
      {"rows of a grid",
       [](std::size_t i, const All& all, Random& random) {
         return static_cast<L>(all[i % 100] + random.bits(kBits<L> / 2));
       }},
      {"multiples of 3",
       [](std::size_t i, const All& all, Random&) { return static_cast<L>(all[i] / 3 * 3); }},
      {"multiples of 1,000",
       [](std::size_t i, const All& all, Random&) { return static_cast<L>(all[i] / 1000 * 1000); }},
      {"low bits of zero",
       [](std::size_t i, const All& all, Random&) { return static_cast<L>(all[i] & ~L{15}); }},
      {"steps",
       [=](std::size_t i, const All&, Random&) {
         return sum_of_polynomial(i, static_cast<L>(0x9e3779b97f4a7c15u), 1);
       }},
      {"squares",
       [=](std::size_t i, const All&, Random&) {
         return sum_of_polynomial(i, static_cast<L>(0x9e3779b97f4a7c15u), 2);
       }},
      {"cubes",
       [=](std::size_t i, const All&, Random&) {
         return sum_of_polynomial(i, static_cast<L>(0x9e3779b97f4a7c15u), 3);
       }},
      {"200 values",
       [](std::size_t, const All& all, Random& random) { return all[random.below(200)]; }},
      {"gaps between values",
       [](std::size_t i, const All& all, Random&) {
         return static_cast<L>(all[i] & static_cast<L>(~(L{15} << (kBits<L> - 12))));
       }},
      {"a small range",
       [](std::size_t i, const All& all, Random&) { return static_cast<L>(all[i] >> 1); }},
  };
}

template <Latent L>
void expect_structures_are_seen() {
  for (const std::size_t n : {2048u, 8192u, 100'000u}) {
    for (const auto& [name, change] : structures<L>()) {
      const std::vector<L> random = random_latents<L>(n, n);
      Random choice(n + 1);
      std::vector<L> changed(n);
      for (std::size_t i = 0; i < n; ++i) changed[i] = change(i, random, choice);
      EXPECT_FALSE(looks_random(changed)) << name << ", " << n << " of " << kBits<L> << " bits";
    }
  }
}

TEST(Randomness, StructureIsSeen) {
  expect_structures_are_seen<std::uint32_t>();
  expect_structures_are_seen<std::uint64_t>();
}

TEST(Randomness, RandomLatentsAreKnown) {
  std::size_t known = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const std::size_t n : {2048u, 8192u, 100'000u}) {
      known += looks_random(random_latents<std::uint32_t>(n, seed)) ? 1 : 0;
      known += looks_random(random_latents<std::uint64_t>(n, seed)) ? 1 : 0;
    }
  }
  EXPECT_GE(known, 295u);
  EXPECT_TRUE(looks_random(random_latents<std::uint64_t>(std::size_t{1} << 20, 1)));
}

TEST(Randomness, FewAndNarrowLatentsAreNotTested) {
  EXPECT_FALSE(looks_random(random_latents<std::uint64_t>(2047, 1)));
  EXPECT_FALSE(looks_random(random_latents<std::uint16_t>(10'000, 1)));
  EXPECT_FALSE(looks_random(random_latents<std::uint8_t>(10'000, 1)));
}

// They take one bin at every level and in pages, and give up at a limit.
TEST(Randomness, RandomNumbersTakeOneBin) {
  const std::vector<std::uint64_t> numbers = random_latents<std::uint64_t>(20'000, 7);
  for (unsigned level = 0; level <= kMaxLevel; ++level) {
    EncodeConfig config;
    config.level = level;
    const auto file = compress(numbers, config);
    ASSERT_TRUE(file);
    EXPECT_LE(file->size(), 8 * numbers.size() + 40);
    const auto decoded = decompress<std::uint64_t>(*file);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(*decoded, numbers);
    config.max_bytes = 8 * numbers.size() - 8;
    EXPECT_EQ(compress(numbers, config).status().kind(), ErrorKind::kOutputTooSmall);
  }
}

}  // namespace
}  // namespace numpact::testing
