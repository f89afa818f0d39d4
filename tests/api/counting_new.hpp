// SPDX-License-Identifier: Apache-2.0
// The global operator new, counted and measured; any call of it can be made to fail.
#ifndef NUMPACT_TESTS_API_COUNTING_NEW_HPP
#define NUMPACT_TESTS_API_COUNTING_NEW_HPP

#include <atomic>
#include <cstddef>

namespace numpact::testing {

extern std::atomic<long> allocations;
extern std::atomic<long> fail_in;  // the call that fails, counted from 0; none if negative
extern std::atomic<bool> fail_on;  // all later ones fail too, until fail_in is set to -1
// Bytes as the system allocates them.
extern std::atomic<std::size_t> bytes_held;
extern std::atomic<std::size_t> most_held;

}  // namespace numpact::testing

#endif
