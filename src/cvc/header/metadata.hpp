// SPDX-License-Identifier: Apache-2.0
// Metadata of callers on its way into a header.
#ifndef NUMPACT_CVC_HEADER_METADATA_HPP
#define NUMPACT_CVC_HEADER_METADATA_HPP

#include <cstddef>
#include <string>
#include <string_view>

#include "cvc/json/text.hpp"
#include "numpact/error.hpp"

namespace numpact::cvc {

// Objects and arrays of the header that metadata lie in.
inline constexpr std::size_t kLevelsAboveFileMetadata = 1;   // {"metadata": ...}
inline constexpr std::size_t kLevelsAboveChunkMetadata = 3;  // {"chunks": [{"metadata": ...}]}
// Sections are named in the chunks that they lie in: {"chunks": [{"sections": [{"metadata":
// ...}]}]}
inline constexpr std::size_t kLevelsAboveSectionMetadata = 5;

// JSON of a caller in the style of the version; kInvalidArgument if it is none by RFC 8259, has
// what JSON cannot carry (numbers past binary64, halves of surrogate pairs), or is nested so deeply
// that no reader would take a header with `levels` more.
Status restyle(std::string_view text, json::Style style, std::size_t levels, std::string& out);

}  // namespace numpact::cvc

#endif
