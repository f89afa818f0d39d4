// SPDX-License-Identifier: Apache-2.0
// Whole files on every instruction set: same bytes, same numbers.
#include "targets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

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
        Case test_case;
        const std::string_view distribution = random.pick(distribution_names());
        test_case.numbers = make_numbers(distribution, type, random.between(200, 2000), random);
        test_case.config.mode = mode;
        test_case.config.delta = delta;
        test_case.name = text(name_of(type), " x ", test_case.numbers.count(), " ", distribution,
                              ", ", describe(test_case.config), ", seed ", seed());
        result.push_back(std::move(test_case));
      }
    }
  }
  return result;
}

// ctest runs it once more with NUMPACT_TARGET=scalar. It comes before tests that change the target.
TEST(RequestedTarget, IsUsedByTestPrograms) {
  const char* const requested = std::getenv("NUMPACT_TARGET");
  const std::vector<std::string_view> targets = all_targets();
  const bool is_known =
      requested != nullptr && std::find(targets.begin(), targets.end(), requested) != targets.end();
  EXPECT_EQ(active_cpu_target(), is_known ? requested : targets.front());
}

TEST(Targets, MoreThanOne) {
  // On a machine with a single target the comparisons are trivial, so the log shows the list.
  for (const std::string_view target : all_targets()) {
    std::printf("%.*s\n", static_cast<int>(target.size()), target.data());
  }
  EXPECT_GE(all_targets().size(), 1u);
}

TEST(Targets, AreReallyChosen) {
  for (const std::string_view target : all_targets()) {
    const TargetScope scope(target);
    EXPECT_EQ(active_cpu_target(), target);
    for (const CpuTarget& listed : cpu_targets()) {
      EXPECT_EQ(listed.active, listed.name == target) << listed.name;
    }
  }
}

TEST(Targets, TheBestIsTheDefault) {
  EXPECT_OK(force_cpu_target("auto"));
  EXPECT_EQ(active_cpu_target(), all_targets().front());
  EXPECT_OK(force_cpu_target(""));
  EXPECT_EQ(active_cpu_target(), all_targets().front());
}

TEST(Targets, OthersAreRefused) {
  const std::string_view before = active_cpu_target();
  for (const std::string_view name : {"mmx", "AVX2", "avx2 ", "avx51", "Auto"}) {
    EXPECT_KIND(force_cpu_target(name), kInvalidArgument) << name;
  }
  for (const CpuTarget& target : cpu_targets()) {
    if (!target.supported) {
      EXPECT_KIND(force_cpu_target(target.name), kInvalidArgument);
    }
  }
  EXPECT_EQ(active_cpu_target(), before);
}

TEST(Targets, SameBytes) {
  std::vector<Case> all = cases();
  std::vector<Bytes> expected;
  {
    const TargetScope scope(all_targets().back());
    for (const Case& test_case : all)
      expected.push_back(compressed(test_case.numbers, test_case.config));
  }
  for_each_target([&] {
    for (std::size_t i = 0; i < all.size(); ++i) {
      ASSERT_TRUE(same_bytes(compressed(all[i].numbers, all[i].config), expected[i]))
          << all[i].name;
      ASSERT_TRUE(same_numbers(decompressed(expected[i]), all[i].numbers)) << all[i].name;
    }
  });
}

// Long enough for segments, Lookback over a whole run, and segments that are encoded again.
TEST(Targets, SameBytesOfSegmentedRuns) {
  Random random(42);
  std::vector<Case> all;
  for (const NumberType type : {NumberType::kI16, NumberType::kU32, NumberType::kF64}) {
    for (const unsigned level : {6u, 8u}) {
      Case test_case;
      test_case.numbers = zeros(type, 0);
      for (const std::string_view name : {"small", "repeats", "segments", "decimals", "sorted"}) {
        const Numbers part = make_numbers(name, type, random.between(5000, 30'000), random);
        test_case.numbers.storage().insert(test_case.numbers.storage().end(), raw(part).begin(),
                                           raw(part).end());
      }
      test_case.config.level = level;
      test_case.name = text(name_of(type), ", level ", level, ", seed ", seed());
      all.push_back(std::move(test_case));
    }
  }
  std::vector<Bytes> expected;
  std::size_t chunks = 0;
  {
    const TargetScope scope(all_targets().back());
    for (const Case& test_case : all) {
      expected.push_back(compressed(test_case.numbers, test_case.config));
      chunks += inspect(expected.back()).value().chunks.size();
    }
  }
  EXPECT_GT(chunks, 2 * all.size());
  for_each_target([&] {
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (const unsigned threads : {1u, 4u}) {
        all[i].config.threads = threads;
        ASSERT_TRUE(same_bytes(compressed(all[i].numbers, all[i].config), expected[i]))
            << all[i].name;
      }
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
      ASSERT_OK(count_numbers(fixture.file).into(count));
      ASSERT_EQ(count, fixture.numbers.count());
    }
  });
}

// Chunks that start under one target and continue under another.
TEST(Targets, ChangedWhileOthersDecode) {
  Random random(41);
  std::vector<Fixture> files;
  for (const NumberType type : {NumberType::kU16, NumberType::kI32, NumberType::kF64}) {
    Fixture file;
    file.numbers = make_numbers("repeats", type, 3000, random);
    EncodeConfig config;
    config.delta = DeltaSpec::try_lookback();
    config.mode =
        type == NumberType::kF64 ? ModeSpec::try_float_mult(0.01) : ModeSpec::try_int_mult(10);
    file.file = compressed(file.numbers, config);
    files.push_back(std::move(file));
  }
  std::atomic<bool> stop = false;
  std::thread changer([&] {
    const std::vector<std::string_view> targets = all_targets();
    for (std::size_t i = 0; !stop; ++i) {
      static_cast<void>(force_cpu_target(targets[i % targets.size()]));
    }
  });
  for (int round = 0; round < 300; ++round) {
    for (const Fixture& file : files) {
      EXPECT_TRUE(same_numbers(decompressed(file.file), file.numbers));
    }
  }
  stop = true;
  changer.join();
  EXPECT_OK(force_cpu_target("auto"));
}

}  // namespace
}  // namespace numpact::testing
