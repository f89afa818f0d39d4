// SPDX-License-Identifier: Apache-2.0
// The parts of fp16 and bfloat16 that depend only on the size of their values, two bytes.
#pragma once

#include <cstdint>
#include <optional>

#include "base/internal.hpp"
#include "cvc/compression/codec.hpp"

namespace numpact::cvc::internal {

inline std::optional<std::uint64_t> two_byte_size(const Shape& shape, Dtype) {
  return 2 * shape.n();
}

inline std::uint64_t two_byte_code_bytes(std::uint64_t dimension, Dtype) { return 2 * dimension; }

inline Status prepare_two_byte(const Encoded& encoded, Prepared& prepared) {
  prepared.encoded = encoded;
  return check_size(encoded, 2 * encoded.shape.n());
}

inline Status plan_two_byte(const Source& source, const EncodeRules&, Plan& plan) {
  plan.bytes = 2 * source.n();
  return {};
}

}  // namespace numpact::cvc::internal
