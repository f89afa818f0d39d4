// SPDX-License-Identifier: Apache-2.0
// Roundings as Python hands them over.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string_view>

#include "buffers.hpp"
#include "numpact/lossy.hpp"

namespace numpact::python {

// "max_error", "keep_bits" or "decimals"; `fill`: an array of one number.
RoundingSpec rounding_spec(std::string_view kind, double value,
                           const std::optional<ConstArray>& fill);
// (count, changed, kept, max_error, step)
nb::tuple rounding_tuple(const RoundingReport& report);

}  // namespace numpact::python
