// SPDX-License-Identifier: Apache-2.0
// Numbers stored contiguously in a file, without framing.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>

#include "formats/table.hpp"
#include "io/files.hpp"

namespace numpact::cli {

// Whether files with little-endian numbers differ from the machine.
inline constexpr bool kSwapsBytes = std::endian::native != std::endian::little;

struct ArrayLayout {
  NumberType type = NumberType::kU8;
  std::optional<std::uint64_t> rows;  // none: up to the end of the file
  std::uint64_t dimension = 1;        // numbers in a row, at least 1
  bool swap_bytes = false;            // the file's byte order differs from the machine's
  const char* row_noun = "number";    // what errors call a row
  bool is_whole_file = false;         // bytes behind the last row are an error
};

// Reads from the current position of the input.
std::unique_ptr<NumberInput> read_array(std::unique_ptr<Input> input, const ArrayLayout& layout);

// Reverses the bytes of each number.
void swap_bytes(std::span<std::byte> numbers, std::size_t size);

}  // namespace numpact::cli
