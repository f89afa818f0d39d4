// SPDX-License-Identifier: Apache-2.0
// Linked to programs of tests and benchmarks: they use the instruction set that the environment
// variable NUMPACT_TARGET names, as the tool does. The library reads no variables.
#include <cstdlib>

#include "numpact/cpu.hpp"

namespace {

// An unknown or unsupported name is ignored.
[[maybe_unused]] const bool is_used = [] {
  const char* const requested = std::getenv("NUMPACT_TARGET");
  return requested != nullptr && numpact::force_cpu_target(requested).ok();
}();

}  // namespace
