// SPDX-License-Identifier: Apache-2.0
#include "pco/delta/consecutive.hpp"

namespace numpact::internal {

Status Consecutive::check_request(const DeltaSpec& spec, NumberType) {
  if (spec.order() <= kMaxConsecutiveOrder) return {};
  return invalid_request("consecutive order must be from 0 to 7");
}

Status Consecutive::parse(BitReader& reader, const DeltaContext&, Consecutive& out) {
  out.order = reader.read_small(wire::kOrderBits);
  out.secondary = reader.read_small(wire::kSecondaryDeltaBits) != 0;
  if (out.order == 0) return reader.corrupt("consecutive delta of order 0");
  return {};
}

}  // namespace numpact::internal
