// SPDX-License-Identifier: Apache-2.0
// What follows the terminator of a file: nothing, its trailer, or other bytes
// (docs/format/trailer.md, "Bytes that follow").
#pragma once

#include <optional>
#include <span>

#include "base/internal.hpp"
#include "numpact/config.hpp"
#include "numpact/error.hpp"
#include "pco/trailer/layout.hpp"

namespace numpact {

// `rest`: the bytes from file_bytes on, at least as many as a trailer of the file can have. `view`
// is set if they begin with an intact trailer of a file that ends there.
FileEnd end_of_file(std::span<const std::byte> rest, std::uint64_t file_bytes,
                    trailer::View* view = nullptr);

// For functions with a DecodeConfig: notes the end of `file`.
void note_end(const DecodeConfig& config, std::span<const std::byte> file,
              std::uint64_t file_bytes);

// A file that is extended, or gets another trailer, loses the bytes behind its end. These are
// refused unless they are its trailer or an unfinished one. A damaged trailer may be the only
// evidence of damage to the file. Errors: kCorrupt, kChecksum; kUnsupportedVersion for a trailer of
// a newer version.
Status check_end(const FileEnd& end);

// The same before the end of the file is known: sets `view` to the trailer at the end of `file`, if
// there is an intact one. Otherwise the caller finds the end, for check_end().
Status find_own_trailer(std::span<const std::byte> file, std::optional<trailer::View>& view);

}  // namespace numpact
