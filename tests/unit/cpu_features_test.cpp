// SPDX-License-Identifier: Apache-2.0
// The instruction sets that are found, compared with those of Highway's library.
#include "base/internal.hpp"
#include "simd/targets.hpp"
// After the list of targets.
#include <gtest/gtest.h>
#include <hwy/highway.h>

#include "numpact/cpu.hpp"
#include "simd/cpu_features.hpp"

namespace numpact::testing {
namespace {

TEST(CpuFeatures, AreThoseThatHighwayFinds) {
  EXPECT_EQ(simd::supported_targets(), hwy::SupportedTargets() & HWY_TARGETS);
}

// A program may always use what it was compiled for.
TEST(CpuFeatures, HoldWhatTheCompilerAssumes) {
  EXPECT_NE(simd::supported_targets() & HWY_STATIC_TARGET, 0);
}

TEST(CpuFeatures, EachSupportedTargetCanBeForced) {
  std::size_t supported = 0;
  for (const CpuTarget& target : cpu_targets()) {
    const Status forced = force_cpu_target(target.name);
    EXPECT_EQ(forced.ok(), target.supported) << target.name;
    if (!forced.ok()) continue;
    ++supported;
    EXPECT_EQ(active_cpu_target(), target.name);
  }
  EXPECT_GE(supported, 1u);
  EXPECT_TRUE(force_cpu_target("auto").ok());
}

}  // namespace
}  // namespace numpact::testing
