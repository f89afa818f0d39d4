// SPDX-License-Identifier: Apache-2.0
#include "pco/mode/float_quant.hpp"
#include "pco/mode/refuse_integers.hpp"

namespace numpact::internal {

Status FloatQuant::check_request(const ModeSpec& spec, NumberType type) {
  if (kind_of(type) != NumberKind::kFloat) {
    return invalid_request("float-quant does not apply to integers");
  }
  if (spec.parameter() == 0 || spec.parameter() > mantissa_bits(latent_bits(type))) {
    return invalid_request("float-quant k must be from 1 to the mantissa's stored bits");
  }
  return {};
}

Status FloatQuant::parse(BitReader& reader, const ModeContext& context, FloatQuant& out) {
  if (kind_of(context.type) != NumberKind::kFloat) return refuse_integers(reader);
  out.k = reader.read_small(wire::kQuantKBits);
  if (out.k == 0 || out.k > mantissa_bits(latent_bits(context.type))) {
    return reader.corrupt("FloatQuant k is 0 or over the mantissa's bits");
  }
  return {};
}

}  // namespace numpact::internal
