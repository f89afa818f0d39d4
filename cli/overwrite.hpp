// SPDX-License-Identifier: Apache-2.0
// What may become of a file that has the name of the output.
#ifndef NUMPACT_CLI_OVERWRITE_HPP
#define NUMPACT_CLI_OVERWRITE_HPP

#include <optional>
#include <string>

#include "numpact/lock_config.hpp"

namespace numpact::cli {

struct Overwrite {
  Overwrite(bool may = false) : is_allowed(may) {}  // NOLINT(google-explicit-constructor)

  bool is_allowed;
  std::optional<double> lock_timeout;  // seconds to wait for others who write it; none: no end
  bool is_quiet = false;               // no note on waiting

  // For the library; `name` is the file's for the note.
  LockConfig lock_config(const std::string& name) const;
};

}  // namespace numpact::cli

#endif
