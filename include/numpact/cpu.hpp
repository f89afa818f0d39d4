// SPDX-License-Identifier: Apache-2.0
// Runtime choice of the SIMD instruction set. The library contains all targets and uses the best
// that the processor supports, unless the environment variable NUMPACT_TARGET names another when
// the library is first used. Every target gives the same bytes and numbers. Thread-safe, except
// that force_cpu_target() must not run concurrently with itself.
#pragma once

#include <string_view>
#include <vector>

#include "numpact/error.hpp"
#include "numpact/version.hpp"

namespace numpact {

struct CpuTarget {
  std::string_view name;   // as accepted by NUMPACT_TARGET; a static string
  bool supported = false;  // by this processor
  bool active = false;     // in use
};

// The compiled targets, best first; the last is "scalar", portable code.
NUMPACT_API std::vector<CpuTarget> cpu_targets();

// The name of the target in use.
NUMPACT_API std::string_view active_cpu_target() noexcept;

// The value of NUMPACT_TARGET when it was read; empty if unset. Unknown or unsupported names are
// ignored: this then differs from active_cpu_target().
NUMPACT_API std::string_view requested_cpu_target() noexcept;

// Uses the named target for all later calls of the process; "auto": the best. For tests and
// benchmarks: calls that run in other threads may switch or not, with the same results.
// kInvalidArgument, without effect: the target is not compiled in or not supported.
NUMPACT_API Status force_cpu_target(std::string_view name) noexcept;

}  // namespace numpact
