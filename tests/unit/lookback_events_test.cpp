// SPDX-License-Identifier: Apache-2.0
// Periods of latents that mostly follow the usual step.
#include "base/internal.hpp"
#include "pco/encode/lookback/detect/events.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/random.hpp"

namespace numpact::testing {
namespace {

template <class T>
class EventPeriods : public ::testing::Test {
 protected:
  static std::vector<std::uint32_t> periods_of(std::vector<T>& latents) {
    Arena arena(std::pmr::new_delete_resource());
    const Periods periods = find_event_periods(LatentArray(std::span<T>(latents)), arena);
    const std::span<const std::uint32_t> all = periods.all();
    return {all.begin(), all.end()};
  }
};
using Latents = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(EventPeriods, Latents);

TYPED_TEST(EventPeriods, StepsThatWrap) {
  std::vector<TypeParam> latents(20'000);
  for (std::size_t i = 0; i < latents.size(); ++i) latents[i] = static_cast<TypeParam>(i % 21 * 5);
  const auto periods = this->periods_of(latents);
  ASSERT_FALSE(periods.empty());
  EXPECT_EQ(periods[0], 21u);
}

TYPED_TEST(EventPeriods, CodesThatStay) {
  std::vector<TypeParam> latents(20'000);
  for (std::size_t i = 0; i < latents.size(); ++i) {
    latents[i] = static_cast<TypeParam>(i / 40 % 3 * 7);
  }
  const auto periods = this->periods_of(latents);
  ASSERT_FALSE(periods.empty());
  EXPECT_EQ(periods[0], 120u);
}

TYPED_TEST(EventPeriods, NoneWithoutRecurringEvents) {
  Random random(95);
  std::vector<TypeParam> latents(1, 5);
  EXPECT_TRUE(this->periods_of(latents).empty());
  latents.assign(20'000, 5);
  EXPECT_TRUE(this->periods_of(latents).empty());
  for (auto& latent : latents) latent = static_cast<TypeParam>(random.bits());
  EXPECT_TRUE(this->periods_of(latents).empty());
  TypeParam code = 0;
  for (auto& latent : latents) {
    if (random.one_in(30)) code = static_cast<TypeParam>(random.bits(7));
    latent = code;
  }
  EXPECT_TRUE(this->periods_of(latents).empty());
}

TYPED_TEST(EventPeriods, MatchesAreCounted) {
  std::vector<TypeParam> latents(10'000);
  for (std::size_t i = 0; i < latents.size(); ++i) latents[i] = static_cast<TypeParam>(i % 25);
  const LatentArray array{std::span<TypeParam>(latents)};
  const Matches all = count_matches(array, 50);
  EXPECT_GT(all.compared, 500u);
  EXPECT_EQ(all.equal, all.compared);
  EXPECT_EQ(count_matches(array, 51).equal, 0u);
  EXPECT_EQ(count_matches(array, latents.size()).compared, 0u);
  EXPECT_EQ(count_matches(array, latents.size() - 1).compared, 1u);
}

}  // namespace
}  // namespace numpact::testing
