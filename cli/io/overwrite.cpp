// SPDX-License-Identifier: Apache-2.0
#include "io/overwrite.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "failure.hpp"

namespace numpact::cli {
namespace {

// Shorter waits are not reported.
constexpr std::chrono::milliseconds kMinReportedWait{2000};
// Longer than anyone waits, and small enough for milliseconds not to overflow.
constexpr double kMaxLockSeconds = 1e12;

}  // namespace

LockConfig Overwrite::lock_config(const std::string& name) const {
  LockConfig config;
  if (lock_timeout) {
    const double seconds = std::min(*lock_timeout, kMaxLockSeconds);
    config.timeout =
        std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(1000 * seconds)));
  }
  if (is_quiet) return config;
  const auto is_reported = std::make_shared<bool>(false);
  config.while_waiting = [name, is_reported](std::chrono::milliseconds waited) {
    if (!*is_reported && waited >= kMinReportedWait) {
      *is_reported = true;
      print_message(
          name + ": waiting for another process that is writing it (--lock-timeout limits this)");
    }
    return true;
  };
  return config;
}

}  // namespace numpact::cli
