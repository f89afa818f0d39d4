// SPDX-License-Identifier: Apache-2.0
// The names of parts, by which a writer knows the files that others have left.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "numpact/table.hpp"

namespace numpact::internal {

// The names of the columns' files without endings, in the order of the table.
std::vector<std::string> stems_of(const table::Manifest& manifest);

// "STEM.pNUMBER-TAG", where the tag has eight hexadecimal digits. The number counts appends, for
// people; the tag makes that no other writer has the name, also where there are no locks.
std::string part_name(const std::string& stem, std::uint64_t number, std::uint32_t tag);
bool is_part_name(const std::string& name);
// More than that of any part of the table.
std::uint64_t next_part_number(const table::Manifest& manifest);

// All files that a manifest names, without itself.
std::vector<std::string> files_of(const table::Manifest& manifest);

}  // namespace numpact::internal
