// SPDX-License-Identifier: Apache-2.0
// Whole files on every instruction set: the same bytes, the same numbers.
#include "targets.hpp"

#include <gtest/gtest.h>

#include "support/distributions.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

struct Case {
  std::string name;
  Numbers numbers;
  EncodeConfig config;
};

std::vector<Case> cases() {
  Random random(31);
  std::vector<Case> result;
  for (const NumberType type : kNumberTypes) {
    for (const ModeSpec& mode : mode_specs(type)) {
      for (const DeltaSpec& delta : delta_specs(type)) {
        Case one;
        const std::string_view distribution = random.pick(distribution_names());
        one.numbers = make_numbers(distribution, type, random.between(200, 2000), random);
        one.config.mode = mode;
        one.config.delta = delta;
        one.name = text(name_of(type), " x ", one.numbers.count(), " ", distribution, ", ",
                        describe(one.config), ", seed ", seed());
        result.push_back(std::move(one));
      }
    }
  }
  return result;
}

TEST(Targets, MoreThanOne) {
  // On a machine with one only, the others say nothing: to be seen in the log.
  for (const std::int64_t target : all_targets()) std::puts(hwy::TargetName(target));
  EXPECT_GE(all_targets().size(), 1u);
}

TEST(Targets, AreReallyChosen) {
  for (const std::int64_t target : all_targets()) {
    const TargetScope scope(target);
    EXPECT_EQ(hwy::SupportedTargets(), target);
  }
}

TEST(Targets, SameBytes) {
  std::vector<Case> all = cases();
  std::vector<Bytes> expected;
  {
    const TargetScope scope(all_targets().back());
    for (const Case& one : all) expected.push_back(compressed(one.numbers, one.config));
  }
  for_each_target([&] {
    for (std::size_t i = 0; i < all.size(); ++i) {
      ASSERT_TRUE(same_bytes(compressed(all[i].numbers, all[i].config), expected[i]))
          << all[i].name;
      ASSERT_TRUE(same_numbers(decompressed(expected[i]), all[i].numbers)) << all[i].name;
    }
  });
}

TEST(Targets, SameNumbersFromFixtures) {
  const std::vector<Fixture> fixtures = good_fixtures();
  for_each_target([&] {
    for (const Fixture& fixture : fixtures) {
      ASSERT_TRUE(same_numbers(decompressed(fixture.file), fixture.numbers)) << fixture.name;
      std::uint64_t count = 0;
      ASSERT_OK(try_count_numbers(fixture.file, count));
      ASSERT_EQ(count, fixture.numbers.count());
    }
  });
}

}  // namespace
}  // namespace numpact::testing
