// SPDX-License-Identifier: Apache-2.0
#include "pco/mode/int_mult.hpp"

namespace numpact {

Status IntMult::parse(BitReader& reader, const ModeContext& context, IntMult& out) {
  if (!context.version.has_int_mult()) {
    return reader.corrupt("IntMult does not exist in format version 0");
  }
  if (kind_of(context.type) == NumberKind::kFloat) return reader.corrupt("IntMult on floats");
  out.base = reader.read(latent_bits(context.type));
  if (out.base == 0) return reader.corrupt("IntMult base is 0");
  return {};
}

}  // namespace numpact
