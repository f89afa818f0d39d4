// SPDX-License-Identifier: Apache-2.0
// What readers of a format version know (docs/format/pco.md, "Wrapped header and versions").
#ifndef NUMPACT_PCO_ENCODE_MODES_ALLOWED_HPP
#define NUMPACT_PCO_ENCODE_MODES_ALLOWED_HPP

#include "pco/delta/deltas.hpp"
#include "pco/mode/modes.hpp"
#include "pco/version.hpp"

namespace numpact {

// Whether files of the version were ever written with it.
bool is_allowed(NumberType type, const FormatVersion& version);
bool is_allowed(const AnyMode& mode, const FormatVersion& version);
bool is_allowed(const AnyDelta& delta, const FormatVersion& version);

}  // namespace numpact

#endif
