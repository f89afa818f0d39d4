// SPDX-License-Identifier: Apache-2.0
// Files that are compressed as a whole by gzip or zstd, read as what is inside.
#ifndef NUMPACT_CLI_DECOMPRESSED_SOURCE_HPP
#define NUMPACT_CLI_DECOMPRESSED_SOURCE_HPP

#include <memory>
#include <string_view>

#include "files.hpp"
#include "numpact/stream.hpp"

namespace numpact::cli {

// The bytes of a file, decompressed if it begins as gzip or zstd files do. Members and frames that
// follow each other are read one after another. Damage is kCorrupt, a cut file kTruncated. `input`
// must outlive the source. Throws Failure if this program was built without the library.
std::unique_ptr<ByteSource> decompressed(Input& input);
// The file is no such one.
bool is_plain(Input& input);

// ".gz" or ".zst" at the end of a name, else nothing.
std::string_view compressed_ending(std::string_view name);

}  // namespace numpact::cli

#endif
