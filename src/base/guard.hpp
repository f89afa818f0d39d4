// SPDX-License-Identifier: Apache-2.0
// The exception boundary of the library and its tasks: converts exceptions to a Status and restores
// the thread state of the caller.
#pragma once

#include <cerrno>
#include <stdexcept>

#include "base/arena.hpp"
#include "base/float_environment.hpp"
#include "base/memory.hpp"
#include "numpact/error.hpp"

namespace numpact::internal {

// While it lives, the default floating-point environment is active. The destructor restores errno
// and the caller's environment.
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

#ifndef NUMPACT_NO_EXCEPTIONS

// The library itself throws only the exceptions that guarded() handles by name.
inline Status thrown_by_caller() noexcept {
  return Status(ErrorKind::kIo,
                "a function or object of the caller threw an exception (memory resource, source, "
                "sink, executor or progress function)");
}

// Runs f, which returns a Status. The caller's code that f calls (sources, sinks, allocators,
// progress) also runs in the default floating-point environment.
template <class F>
Status guarded(F&& f) noexcept {
  const CallerState state;
  try {
    return f();
  } catch (const MemoryLimitExceeded&) {
    return memory_limit_exceeded();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::length_error&) {
    return Status(ErrorKind::kOutOfMemory, "the output is larger than memory can be");
  } catch (const Error& error) {
    // An error without a kind would look like success.
    return error.status().ok() ? thrown_by_caller() : error.status();
  } catch (...) {
    return thrown_by_caller();
  }
}

#else

// Runs f, which returns a Status. What it returns does not count if memory has failed.
template <class F>
Status guarded(F&& f) noexcept {
  const CallerState state;
  const CallScope call;
  if (!call.has_reserve()) return out_of_memory();
  const Status status = f();
  return memory_has_failed() ? memory_failure() : status;
}

#endif

// The value that `fill`, which returns a Status, fills.
template <class T, class F>
Result<T> guarded_value(const F& fill) noexcept {
  T value{};
  const Status status = guarded([&] { return fill(value); });
  if (!status.ok()) return status;
  return value;
}

}  // namespace numpact::internal
