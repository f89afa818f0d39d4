// SPDX-License-Identifier: Apache-2.0
#include "pco/choose/allowed.hpp"

namespace numpact {
namespace {

bool is_since(const FormatVersion& version, unsigned major, unsigned minor) {
  return version.major != major ? version.major > major : version.minor >= minor;
}

}  // namespace

bool is_allowed(const AnyMode& mode, const FormatVersion& version) {
  if (std::holds_alternative<IntMult>(mode)) return is_since(version, 1, 0);
  if (std::holds_alternative<FloatQuant>(mode)) return is_since(version, 2, 0);
  if (std::holds_alternative<Dict>(mode)) return is_since(version, 4, 1);
  return true;
}

bool is_allowed(const AnyDelta& delta, const FormatVersion& version) {
  // Before the delta's tag there was no place to say that the secondary variable is encoded.
  if (encodes_secondary(delta)) return is_since(version, 3, 0);
  if (std::holds_alternative<Lookback>(delta)) return is_since(version, 3, 0);
  if (std::holds_alternative<Conv1>(delta)) return is_since(version, 4, 1);
  return true;
}

}  // namespace numpact
