// SPDX-License-Identifier: Apache-2.0
// Converts values of any type to floats.
#pragma once

#include <cstddef>
#include <span>

#include "numpact/cvc/types.hpp"

namespace numpact::cvc::quality {

// Converts as many values as the output holds. int64 is rounded.
void doubles_of(std::span<const std::byte> values, Dtype dtype, std::span<double> out);
void floats_of(std::span<const std::byte> values, Dtype dtype, std::span<float> out);

}  // namespace numpact::cvc::quality
