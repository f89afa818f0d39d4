// SPDX-License-Identifier: Apache-2.0
// How long to wait for a file that another writer has locked.
#ifndef NUMPACT_LOCK_CONFIG_HPP
#define NUMPACT_LOCK_CONFIG_HPP

#include <chrono>
#include <functional>
#include <optional>

namespace numpact {

struct LockConfig {
  // Maximum wait; none: unlimited; 0: do not wait.
  std::optional<std::chrono::milliseconds> timeout;
  // Called several times per second during the wait; returning false stops it with kCancelled. Must
  // not throw.
  std::function<bool(std::chrono::milliseconds waited)> while_waiting;
};

}  // namespace numpact

#endif
