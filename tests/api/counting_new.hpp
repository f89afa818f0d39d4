// SPDX-License-Identifier: Apache-2.0
// Counts and measures the global operator new; any call can be made to fail.
#pragma once

#include <atomic>
#include <cstddef>

namespace numpact::testing {

extern std::atomic<long> allocations;
extern std::atomic<long> fail_in;  // the call that fails, counted from 0; negative: none
extern std::atomic<bool> fail_on;  // all later ones fail too, until fail_in is set to -1
// Bytes as allocated by the system.
extern std::atomic<std::size_t> bytes_held;
extern std::atomic<std::size_t> peak_bytes_held;

}  // namespace numpact::testing
