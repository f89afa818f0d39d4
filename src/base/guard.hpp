// SPDX-License-Identifier: Apache-2.0
// The border of the library, and of its tasks: what was thrown inside becomes a Status.
#ifndef NUMPACT_BASE_GUARD_HPP
#define NUMPACT_BASE_GUARD_HPP

#include <stdexcept>

#include "base/arena.hpp"
#include "numpact/error.hpp"

namespace numpact {

// The library's own code throws nothing else than what guarded() names.
inline Status thrown_by_caller() noexcept {
  return Status(ErrorKind::kIo,
                "a function or object of the caller threw an exception (memory resource, source, "
                "sink, executor or progress function)");
}

// Runs f, which returns a Status.
template <class F>
Status guarded(F&& f) noexcept {
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
