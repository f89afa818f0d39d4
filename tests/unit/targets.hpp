// SPDX-License-Identifier: Apache-2.0
// Running code under each instruction set that kernels were compiled for and the machine has.
#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "numpact/cpu.hpp"

namespace numpact::testing {

class TargetScope {
 public:
  explicit TargetScope(std::string_view name) { EXPECT_TRUE(force_cpu_target(name).ok()) << name; }
  ~TargetScope() { EXPECT_TRUE(force_cpu_target("auto").ok()); }
  TargetScope(const TargetScope&) = delete;
  TargetScope& operator=(const TargetScope&) = delete;
};

// The portable one last.
inline std::vector<std::string_view> all_targets() {
  std::vector<std::string_view> names;
  for (const CpuTarget& target : cpu_targets()) {
    if (target.supported) names.push_back(target.name);
  }
  return names;
}

template <class F>
void for_each_target(const F& f) {
  static const std::vector<std::string_view> targets = all_targets();
  for (const std::string_view target : targets) {
    SCOPED_TRACE(target);
    const TargetScope scope(target);
    f();
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace numpact::testing
