// SPDX-License-Identifier: Apache-2.0
// Checks and formats the callers' metadata for a header.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/internal.hpp"
#include "json/text.hpp"
#include "numpact/error.hpp"

namespace numpact::cvc::internal {

// Numbers of objects and arrays of the header that enclose metadata.
inline constexpr std::size_t kLevelsAboveFileMetadata = 1;   // {"metadata": ...}
inline constexpr std::size_t kLevelsAboveChunkMetadata = 3;  // {"chunks": [{"metadata": ...}]}
// Chunks repeat the sections that they overlap: {"chunks": [{"sections": [{"metadata": ...}]}]}
inline constexpr std::size_t kLevelsAboveSectionMetadata = 5;

// Formats the caller's JSON in the style of the version. kInvalidArgument if it is not JSON by
// RFC 8259, has values that cannot be kept (numbers past binary64, halves of surrogate pairs), or
// is nested so deeply that readers would reject a header with `levels` more levels.
Status restyle(std::string_view text, json::Style style, std::size_t levels, std::string& out);

}  // namespace numpact::cvc::internal
