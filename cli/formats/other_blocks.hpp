// SPDX-License-Identifier: Apache-2.0
// The blocks of a file of Arrow and their checksums, which a manifest of version 4 has
// (docs/format/table-folder.md). Needs no Arrow.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "numpact/table.hpp"

namespace numpact::cli {

// Messages about a block with another checksum, and a file with another size.
std::string wrong_block(const table::Part& part, std::size_t index);
std::string wrong_size(const table::Part& part, std::uint64_t bytes);

// Compares the whole file with a part that has checksums. Throws a Failure that names `place`.
void check_blocks(std::span<const std::byte> file, const table::Part& part,
                  const std::string& place);

}  // namespace numpact::cli
