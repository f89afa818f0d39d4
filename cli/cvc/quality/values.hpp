// SPDX-License-Identifier: Apache-2.0
// Values of any type as floats.
#ifndef NUMPACT_CLI_CVC_QUALITY_VALUES_HPP
#define NUMPACT_CLI_CVC_QUALITY_VALUES_HPP

#include <cstddef>
#include <span>

#include "numpact/cvc/types.hpp"

namespace numpact::cli {

// As many as there is room for. int64 is rounded.
void doubles_of(std::span<const std::byte> values, cvc::Dtype dtype, std::span<double> out);
void floats_of(std::span<const std::byte> values, cvc::Dtype dtype, std::span<float> out);

}  // namespace numpact::cli

#endif
