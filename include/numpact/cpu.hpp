// SPDX-License-Identifier: Apache-2.0
// Runtime choice of the SIMD instruction set. The library contains all targets and uses the best
// that the processor supports. Every target gives the same bytes and numbers. Thread-safe, except
// that force_cpu_target() must not run concurrently with itself.
#pragma once

#include <string_view>
#include <vector>

#include "numpact/error.hpp"
#include "numpact/version.hpp"

namespace numpact {

struct CpuTarget {
  std::string_view name;   // a static string
  bool supported = false;  // by this processor
  bool active = false;     // in use
};

// The compiled targets, best first; the last is "scalar", portable code.
NUMPACT_API std::vector<CpuTarget> cpu_targets();

// The name of the target in use.
NUMPACT_API std::string_view active_cpu_target() noexcept;

// Uses the named target for all later calls of the process; "auto" or "": the best. The tool and
// the Python package take it from the variable NUMPACT_TARGET; the library reads no environment.
// Calls that run in other threads may switch or not, with the same results.
// kInvalidArgument, without effect: the target is not compiled in or not supported.
NUMPACT_API Status force_cpu_target(std::string_view name) noexcept;

}  // namespace numpact
