// SPDX-License-Identifier: Apache-2.0
// Running code under each instruction set that kernels were compiled for and the machine has.
#ifndef NUMPACT_TESTS_UNIT_TARGETS_HPP
#define NUMPACT_TESTS_UNIT_TARGETS_HPP

#include "simd/targets.hpp"
// After the list of targets.
#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <string>
#include <vector>

namespace numpact::testing {

class TargetScope {
 public:
  explicit TargetScope(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
  ~TargetScope() {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().DeInit();
  }
  TargetScope(const TargetScope&) = delete;
  TargetScope& operator=(const TargetScope&) = delete;
};

// The portable one last.
inline std::vector<std::int64_t> all_targets() { return hwy::SupportedAndGeneratedTargets(); }

template <class F>
void for_each_target(const F& f) {
  for (const std::int64_t target : all_targets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    const TargetScope scope(target);
    f();
  }
}

}  // namespace numpact::testing

#endif
