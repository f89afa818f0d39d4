// SPDX-License-Identifier: Apache-2.0
// The columns of numbers of Arrow's C data interface.
#pragma once

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

// The numbers behind a format string; none: its values are others. Dates and times are integers.
inline std::optional<Storage> storage_of(std::string_view format) {
  using enum NumberType;
  if (format.size() == 1) {
    constexpr std::string_view kLetters = "bcCsSiIlLefg";
    constexpr NumberType kTypes[] = {kU8,  kI8,  kU8,  kI16, kU16, kI32,
                                     kU32, kI64, kU64, kF16, kF32, kF64};
    const std::size_t at = kLetters.find(format[0]);
    if (at == std::string_view::npos) return std::nullopt;
    return Storage{kTypes[at], at == 0};
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
