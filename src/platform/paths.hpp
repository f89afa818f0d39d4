// SPDX-License-Identifier: Apache-2.0
// Paths, which are UTF-8 text throughout numpact: on POSIX systems their bytes are passed on as
// they are, on Windows they become UTF-16.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace numpact::internal::platform {

// Where the last name of a path begins.
std::size_t name_start(std::string_view path);

// The parts of a path: the folder ("" if it names none), the last name, and that name before and
// from its last period, as std::filesystem divides them.
std::string folder_part(const std::string& path);
std::string name_part(const std::string& path);
std::string stem_part(const std::string& path);
std::string extension_part(const std::string& path);

// The path of a folder without separators at its end; the root keeps its own.
std::string without_end_separators(std::string path);

// Follows all links of a path; the last one may lead to a missing file. Returns false with ELOOP in
// errno if they lead back to themselves. Other errors are left to the users of the path.
bool follow_links(const std::string& path, std::string& target);

}  // namespace numpact::internal::platform
