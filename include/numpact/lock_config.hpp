// SPDX-License-Identifier: Apache-2.0
// How long to wait for a file that somebody else is writing.
#ifndef NUMPACT_LOCK_CONFIG_HPP
#define NUMPACT_LOCK_CONFIG_HPP

#include <chrono>
#include <functional>
#include <optional>

namespace numpact {

struct LockConfig {
  // The longest wait; none: without end; 0: not at all.
  std::optional<std::chrono::milliseconds> timeout;
  // Called several times a second during the wait with how long it has lasted; false ends it
  // (kCancelled). Must not throw.
  std::function<bool(std::chrono::milliseconds waited)> while_waiting;
};

}  // namespace numpact

#endif
