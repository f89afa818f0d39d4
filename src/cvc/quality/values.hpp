// SPDX-License-Identifier: Apache-2.0
// Converts values of any type to floats.
#ifndef NUMPACT_CVC_QUALITY_VALUES_HPP
#define NUMPACT_CVC_QUALITY_VALUES_HPP

#include <cstddef>
#include <span>

#include "numpact/cvc/types.hpp"

namespace numpact::cvc::quality {

// Converts as many values as the output holds. int64 is rounded.
void doubles_of(std::span<const std::byte> values, Dtype dtype, std::span<double> out);
void floats_of(std::span<const std::byte> values, Dtype dtype, std::span<float> out);

}  // namespace numpact::cvc::quality

#endif
