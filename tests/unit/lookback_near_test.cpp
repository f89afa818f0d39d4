// SPDX-License-Identifier: Apache-2.0
// Interleaved streams in a sample.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/internal.hpp"
#include "pco/encode/estimate/binned.hpp"
#include "pco/encode/lookback/detect/near.hpp"
#include "pco/encode/lookback/match/periods.hpp"
#include "pco/encode/lookback/prefilter.hpp"
#include "support/random.hpp"

namespace numpact::testing {
namespace {

constexpr std::size_t kRunN = 128;
constexpr std::size_t kRuns = 32;
constexpr std::size_t kNearStreams = 3;

// Streams far apart, each of which moves by up to `step` either way, in every second run of a
// sample: those that are examined. The others are of other(random).
template <class F>
std::vector<std::uint32_t> streams_in_every_second_run(std::uint32_t step, F&& other) {
  Random random(91);
  std::array<std::uint32_t, kNearStreams> streams{};
  std::vector<std::uint32_t> latents(kRuns * kRunN);
  for (std::size_t i = 0; i < latents.size(); ++i) {
    const std::size_t stream = i % kRunN % kNearStreams;
    if (i % kRunN < kNearStreams) streams[stream] = static_cast<std::uint32_t>(random.bits(20));
    streams[stream] += static_cast<std::uint32_t>(random.below(2 * step + 1)) - step;
    latents[i] = i / kRunN % 2 == 0 ? streams[stream] : other(random);
  }
  return latents;
}

bool may_look_back_nearby(std::vector<std::uint32_t> latents, float max_bits) {
  Arena arena(std::pmr::new_delete_resource());
  Sample sample;
  sample.latents = LatentArray(std::span<std::uint32_t>(latents));
  sample.run_n = kRunN;
  sample.scale = 8;
  return look_back_nearby(sample, Classic{}, max_bits, arena).is_met;
}

TEST(LookbackNear, FindsInterleavedStreams) {
  const auto latents = streams_in_every_second_run(
      30, [](Random& random) { return static_cast<std::uint32_t>(random.bits(20)); });
  EXPECT_TRUE(may_look_back_nearby(latents, 19));
  EXPECT_FALSE(may_look_back_nearby(latents, 1));
}

// Two interleaved streams, each constant within 64 numbers but for the noise.
bool passes_prefilter(std::size_t n, std::uint64_t noise, unsigned level) {
  Random random(93);
  std::vector<std::uint32_t> latents(n);
  std::array<std::uint32_t, 2> streams{};
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t& stream = streams[i % 2];
    if (i % 64 < 2) stream = static_cast<std::uint32_t>(random.bits(12)) << 8;
    latents[i] = stream + static_cast<std::uint32_t>(random.below(noise));
  }
  Arena arena(std::pmr::new_delete_resource());
  const LatentArray page{std::span<std::uint32_t>(latents)};
  const Sample sample = take_sample(page, default_sample_n(n, 4096), arena);
  const float bits = estimate_consecutive(sample, sample.latents, 0, arena);
  const LookbackInput input{n, bits, true, &level_row(level)};
  return prefilter_lookback(sample, page, Choice{}, input, arena).passes;
}

// The time of a search is about the same for all short pages.
TEST(LookbackNear, ShortPagesMustSaveMore) {
  constexpr std::uint64_t kNoise = 120000;
  EXPECT_TRUE(passes_prefilter(1024, 256, 8));
  EXPECT_FALSE(passes_prefilter(1024, kNoise, 8));
  EXPECT_TRUE(passes_prefilter(4096, kNoise, 8));
  // Size counts for more than time.
  EXPECT_TRUE(passes_prefilter(1024, kNoise, 9));
}

// The first pass over distances applies to short windows, too.
TEST(LookbackPeriods, BarelyFrequentInAShortWindow) {
  constexpr std::size_t kPeriod = 100;
  Arena arena(std::pmr::new_delete_resource());
  for (const std::size_t n : {1023u, 1024u, 2048u, 4095u, 4096u}) {
    for (const std::size_t one_in : {20u, 1u << 20}) {
      Random random(94);
      std::vector<std::uint64_t> latents(n);
      for (std::size_t i = 0; i < n; ++i) {
        const bool is_repeated = i >= kPeriod && random.below(one_in) == 0;
        latents[i] = is_repeated ? latents[i - kPeriod] : random.bits(40);
      }
      const Periods periods = find_periods(std::span<const std::uint64_t>(latents), 33, arena);
      const auto all = periods.all();
      const bool is_found = std::find(all.begin(), all.end(), kPeriod) != all.end();
      EXPECT_EQ(is_found, one_in == 20) << n;
    }
  }
}

}  // namespace
}  // namespace numpact::testing
