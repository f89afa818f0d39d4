// SPDX-License-Identifier: Apache-2.0
// Types of Arrow as its libraries print them, for messages.
#pragma once

#include <string>
#include <string_view>

#include "arrow_abi.hpp"

namespace numpact::python {

// "string" for the format "u", "timestamp[ns, tz=UTC]" for "tsn:UTC"; of types with children no
// more than their own name, "struct". A format that is not Arrow's is given in quotes.
std::string arrow_format_name(std::string_view format);

// The same with its children: "struct<a: int64, b: string>". What a producer may have got wrong,
// or nested too deeply, is left out.
std::string arrow_type_name(const ArrowSchema& schema);

}  // namespace numpact::python
