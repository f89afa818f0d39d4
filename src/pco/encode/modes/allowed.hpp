// SPDX-License-Identifier: Apache-2.0
// The types, modes and delta encodings that readers of a format version support
// (docs/format/pco.md, "Wrapped header and versions").
#pragma once

#include "pco/delta/deltas.hpp"
#include "pco/mode/modes.hpp"
#include "pco/version.hpp"

namespace numpact::internal {

// Whether files of the version may use it.
bool is_allowed(NumberType type, const FormatVersion& version);
bool is_allowed(const AnyMode& mode, const FormatVersion& version);
bool is_allowed(const AnyDelta& delta, const FormatVersion& version);

}  // namespace numpact::internal
