// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/modes/allowed.hpp"

namespace numpact {

bool is_allowed(NumberType type, const FormatVersion& version) {
  switch (size_of(type)) {
    case 1:
      return version.knows_8_bits();
    case 2:
      return version.knows_16_bits();
    default:
      return true;
  }
}

bool is_allowed(const AnyMode& mode, const FormatVersion& version) {
  if (std::holds_alternative<IntMult>(mode)) return version.has_int_mult();
  if (std::holds_alternative<FloatQuant>(mode)) return version.knows_float_quant();
  if (std::holds_alternative<Dict>(mode)) return version.knows_dict();
  return true;
}

bool is_allowed(const AnyDelta& delta, const FormatVersion& version) {
  // Formats before the delta's tag have no field for a delta-encoded secondary variable.
  if (encodes_secondary(delta)) return version.has_delta_variants();
  if (std::holds_alternative<Lookback>(delta)) return version.knows_lookback();
  if (std::holds_alternative<Conv1>(delta)) return version.knows_conv1();
  return true;
}

}  // namespace numpact
