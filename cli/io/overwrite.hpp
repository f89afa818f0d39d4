// SPDX-License-Identifier: Apache-2.0
// Treatment of output files that exist.
#pragma once

#include <optional>
#include <string>

#include "numpact/file_lock.hpp"

namespace numpact::cli {

struct Overwrite {
  Overwrite(bool may = false) : is_allowed(may) {}  // NOLINT(google-explicit-constructor)

  bool is_allowed;
  std::optional<double> lock_timeout;  // seconds to wait for other writers; none: unlimited
  bool is_quiet = false;               // do not report waiting

  // The lock configuration for the library. `name`: the file's name in messages.
  LockConfig lock_config(const std::string& name) const;
};

}  // namespace numpact::cli
