// SPDX-License-Identifier: Apache-2.0
// The frame around the numbers of an Arrow column (docs/format/arrow-column.md).
#pragma once

#include <cstddef>
#include <cstdint>

namespace numpact::internal::arrow {

inline constexpr char kMagic[] = {'n', 'p', 'a', 'c'};
inline constexpr std::uint8_t kVersion = 1;
// Magic, version, reserved byte, 2 bytes for the size of the format, 4 fields of 8 bytes.
inline constexpr std::size_t kHeadBytes = 40;
inline constexpr std::size_t kCheckBytes = 4;

}  // namespace numpact::internal::arrow
