// SPDX-License-Identifier: Apache-2.0
// Environment of the process. Only the command reads it.
#pragma once

#include <string>

namespace numpact::internal::platform {

// The folder for temporary files; it may not exist.
std::string temporary_folder();

// The value of a variable of the environment; "" if it is not set.
std::string environment_value(const char* variable);

}  // namespace numpact::internal::platform
