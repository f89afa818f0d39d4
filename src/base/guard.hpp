// SPDX-License-Identifier: Apache-2.0
// The border of the library, and of its tasks: what was thrown inside becomes a Status, and the
// thread's own state is the caller's again.
#ifndef NUMPACT_BASE_GUARD_HPP
#define NUMPACT_BASE_GUARD_HPP

#include <cerrno>
#include <stdexcept>

#include "base/arena.hpp"
#include "base/float_environment.hpp"
#include "numpact/error.hpp"

namespace numpact {

// While it lives, floats are computed as the format has them. At its end errno and the environment
// of floats are those that the caller had.
class CallerState {
 public:
  CallerState() noexcept : error_number_(errno) {}
  ~CallerState() { errno = error_number_; }
  CallerState(const CallerState&) = delete;
  CallerState& operator=(const CallerState&) = delete;

 private:
  DefaultFloatEnvironment floats_;
  int error_number_;
};

// The library's own code throws nothing else than what guarded() names.
inline Status thrown_by_caller() noexcept {
  return Status(ErrorKind::kIo,
                "a function or object of the caller threw an exception (memory resource, source, "
                "sink, executor or progress function)");
}

// Runs f, which returns a Status. What f calls of the caller's (sources, sinks, allocators,
// progress) runs in the default environment of floats too.
template <class F>
Status guarded(F&& f) noexcept {
  const CallerState state;
  try {
    return f();
  } catch (const MemoryLimitExceeded&) {
    return Status(ErrorKind::kLimitExceeded, "scratch memory would pass the limit max_memory");
  } catch (const std::bad_alloc&) {
    return Status(ErrorKind::kOutOfMemory, "out of memory");
  } catch (const std::length_error&) {
    return Status(ErrorKind::kOutOfMemory, "the output is larger than memory can be");
  } catch (const Error& error) {
    // An error without a kind would pass for success.
    return error.status().ok() ? thrown_by_caller() : error.status();
  } catch (...) {
    return thrown_by_caller();
  }
}

}  // namespace numpact

#endif
