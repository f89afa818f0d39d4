// SPDX-License-Identifier: Apache-2.0
// Converts numbers from one type to another.
#pragma once

#include <memory>
#include <string>

#include "formats/table.hpp"

namespace numpact::cli {

enum class Conversion {
  kExact,  // a number that the new type cannot hold is an error
  kRound,  // floats are rounded to the new type
};

// `place` names the file and column in errors.
std::unique_ptr<NumberInput> convert_numbers(std::unique_ptr<NumberInput> input, NumberType from,
                                             NumberType to, Conversion conversion,
                                             std::string place);

}  // namespace numpact::cli
