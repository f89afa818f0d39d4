// SPDX-License-Identifier: Apache-2.0
// Which instruction set the inner loops use. One library carries all; the best that the processor
// has is taken, unless the environment variable NUMPACT_TARGET names another when the library is
// first used. Every choice gives the same bytes and the same numbers.
#ifndef NUMPACT_CPU_HPP
#define NUMPACT_CPU_HPP

#include <string_view>
#include <vector>

#include "numpact/error.hpp"
#include "numpact/version.hpp"

namespace numpact {

struct CpuTarget {
  std::string_view name;   // as NUMPACT_TARGET takes it; a static string
  bool supported = false;  // by this processor
  bool active = false;     // in use
};

// The instruction sets that were compiled in, best first; the last is "scalar", portable code.
// Thread-safe.
NUMPACT_API std::vector<CpuTarget> cpu_targets();

// The name of the one in use. Thread-safe.
NUMPACT_API std::string_view active_cpu_target() noexcept;

// What NUMPACT_TARGET said when it was read; empty if it was not set. A name that is unknown or not
// supported is not followed: then this differs from active_cpu_target().
NUMPACT_API std::string_view requested_cpu_target() noexcept;

// Uses the named instruction set from now on; "auto" for the best. kInvalidArgument, without
// effect, if it was not compiled in or the processor lacks it. Meant for tests and measurements:
// calls of other threads that are running go on with what they started with or change over, with
// the same results.
NUMPACT_API Status try_force_cpu_target(std::string_view name) noexcept;

}  // namespace numpact

#endif
