// SPDX-License-Identifier: Apache-2.0
// Numbers, dates and times in texts, as the library reads them in filters, too.
#pragma once

#include "literal/float16.hpp"
#include "literal/literal.hpp"

namespace numpact::cli {

using internal::Fit;
using internal::is_exactly;
using internal::Literal;
using internal::LiteralKind;
using internal::nearest;
using internal::parse_literal;
using internal::to_float;
using internal::to_float16;
using internal::whole_magnitude;
using internal::without_blanks;

}  // namespace numpact::cli
