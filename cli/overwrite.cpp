// SPDX-License-Identifier: Apache-2.0
#include "overwrite.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "failure.hpp"

namespace numpact::cli {
namespace {

// A shorter wait is nothing to speak of.
constexpr std::chrono::milliseconds kBeforeNote{2000};
// Longer than anybody waits, and far from where milliseconds overflow.
constexpr double kMostSeconds = 1e12;

}  // namespace

LockConfig Overwrite::lock_config(const std::string& name) const {
  LockConfig config;
  if (lock_timeout) {
    const double seconds = std::min(*lock_timeout, kMostSeconds);
    config.timeout =
        std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(1000 * seconds)));
  }
  if (is_quiet) return config;
  const auto has_said = std::make_shared<bool>(false);
  config.while_waiting = [name, has_said](std::chrono::milliseconds waited) {
    if (!*has_said && waited >= kBeforeNote) {
      *has_said = true;
      say(name + ": waiting for another process that is writing it (--lock-timeout limits this)");
    }
    return true;
  };
  return config;
}

}  // namespace numpact::cli
