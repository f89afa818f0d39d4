// SPDX-License-Identifier: Apache-2.0
// Reads files that are compressed as a whole by gzip or zstd.
#pragma once

#include <memory>
#include <string_view>

#include "io/files.hpp"
#include "numpact/stream.hpp"

namespace numpact::cli {

// Returns the bytes of a file, decompressed if it begins like a gzip or zstd file. Concatenated
// members and frames are read one after another. Damage is kCorrupt, a truncated file kTruncated.
// `input` must outlive the source. Throws Failure if this program was built without the library.
std::unique_ptr<ByteSource> decompressed(Input& input);
// True if the file is not compressed by one of these.
bool is_plain(Input& input);

// Returns ".gz" or ".zst" if the name ends so, else an empty string.
std::string_view compressed_ending(std::string_view name);

}  // namespace numpact::cli
