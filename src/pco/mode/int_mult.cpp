// SPDX-License-Identifier: Apache-2.0
#include "pco/mode/int_mult.hpp"

namespace numpact::internal {

Status IntMult::check_request(const ModeSpec& spec, NumberType type) {
  const std::uint64_t base = spec.parameter();
  const unsigned bits = latent_bits(type);
  if (kind_of(type) == NumberKind::kFloat) {
    return invalid_request("int-mult does not apply to floats");
  }
  if (base == 0) return invalid_request("int-mult base must be at least 1");
  if (bits < 64 && base >> bits != 0) {
    return invalid_request("int-mult base does not fit the number type");
  }
  return {};
}

Status IntMult::parse(BitReader& reader, const ModeContext& context, IntMult& out) {
  if (context.version < kFirstVersion) {
    return reader.corrupt("IntMult does not exist in format version 0");
  }
  if (kind_of(context.type) == NumberKind::kFloat) return reader.corrupt("IntMult on floats");
  out.base = reader.read(latent_bits(context.type));
  if (out.base == 0) return reader.corrupt("IntMult base is 0");
  return {};
}

}  // namespace numpact::internal
