// SPDX-License-Identifier: Apache-2.0
// The columns of numbers of Arrow's C data interface.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "numpact/types.hpp"

namespace numpact::internal::arrow {

// Rows of which each has 8 bytes have addresses.
inline constexpr std::int64_t kMaxRows = INT64_MAX / 8;

// How the values of an Arrow type are stored in a file, and whether Arrow has them as bits.
struct Storage {
  NumberType type = NumberType::kU8;
  bool is_bits = false;
};

// Formats of numbers that have no other meaning, and their types.
inline constexpr std::string_view kLetters = "cCsSiIlLefg";
inline constexpr NumberType kLetterTypes[] = {NumberType::kI8,  NumberType::kU8,  NumberType::kI16,
                                              NumberType::kU16, NumberType::kI32, NumberType::kU32,
                                              NumberType::kI64, NumberType::kU64, NumberType::kF16,
                                              NumberType::kF32, NumberType::kF64};

constexpr char letter_of(NumberType type) {
  return kLetters[static_cast<std::size_t>(std::ranges::find(kLetterTypes, type) - kLetterTypes)];
}

// The numbers behind a format string; none: its values are others. Dates and times are integers.
inline std::optional<Storage> storage_of(std::string_view format) {
  using enum NumberType;
  if (format.size() == 1) {
    if (format == "b") return Storage{kU8, true};
    const std::size_t at = kLetters.find(format[0]);
    if (at == std::string_view::npos) return std::nullopt;
    return Storage{kLetterTypes[at]};
  }
  if (format == "tdD" || format == "tts" || format == "ttm") return Storage{kI32};
  if (format == "tdm" || format == "ttu" || format == "ttn") return Storage{kI64};
  constexpr std::string_view kUnits = "smun";
  if (format.size() < 3 || kUnits.find(format[2]) == std::string_view::npos) return std::nullopt;
  if (format.size() == 3 && format.starts_with("tD")) return Storage{kI64};
  // The time zone follows the colon, if there is one.
  if (format.size() > 3 && format.starts_with("ts") && format[3] == ':') return Storage{kI64};
  return std::nullopt;
}

}  // namespace numpact::internal::arrow
