// SPDX-License-Identifier: Apache-2.0
// Metadata of callers on its way into a header.
#ifndef NUMPACT_CVC_HEADER_METADATA_HPP
#define NUMPACT_CVC_HEADER_METADATA_HPP

#include <string>
#include <string_view>

#include "cvc/json/text.hpp"
#include "numpact/error.hpp"

namespace numpact::cvc {

// JSON of a caller in the style of the version; kInvalidArgument if it is none by RFC 8259, or has
// what JSON cannot carry: numbers past binary64, halves of surrogate pairs.
Status restyle(std::string_view text, json::Style style, std::string& out);

}  // namespace numpact::cvc

#endif
