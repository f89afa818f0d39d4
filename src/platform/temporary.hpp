// SPDX-License-Identifier: Apache-2.0
// Names of temporary files, and files without a name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace numpact::internal::platform {

// A hidden name in `folder`, which ends with a separator or is empty, for what will be called
// `name`. The pattern is the same everywhere, so that leftovers of killed processes are recognized.
std::string hidden_name(std::string_view folder, std::string_view name, std::uint32_t number);
// What all these names begin with, whatever their process and number.
std::string hidden_prefix(std::string_view folder, std::string_view name);

// A file for reading and writing in the temporary folder that is removed when its descriptor is
// closed. On failure `name` is the path that was tried.
int open_unnamed_file(std::string& name);

}  // namespace numpact::internal::platform
