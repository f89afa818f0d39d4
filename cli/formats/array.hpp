// SPDX-License-Identifier: Apache-2.0
// Numbers stored contiguously in a file, without framing.
#ifndef NUMPACT_CLI_FORMATS_ARRAY_HPP
#define NUMPACT_CLI_FORMATS_ARRAY_HPP

#include <cstdint>
#include <memory>
#include <optional>

#include "formats/table.hpp"
#include "io/files.hpp"

namespace numpact::cli {

struct ArrayLayout {
  NumberType type = NumberType::kU8;
  std::optional<std::uint64_t> count;  // none: up to the end of the file
  bool swap_bytes = false;             // the file's byte order differs from the machine's
};

std::unique_ptr<NumberInput> read_array(std::unique_ptr<Input> input, const ArrayLayout& layout);

}  // namespace numpact::cli

#endif
