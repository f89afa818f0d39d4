// SPDX-License-Identifier: Apache-2.0
// Magic bytes, versions and field widths of the Pco format. Widths are in bits.
#pragma once

#include <cstdint>

namespace numpact::internal::wire {

inline constexpr unsigned char kMagic[4] = {'p', 'c', 'o', '!'};
inline constexpr char kTrailerMagic[4] = {'p', 'c', 'o', 'T'};
inline constexpr unsigned kStandaloneVersion = 3;
inline constexpr unsigned kFormatMajor = 4;
inline constexpr unsigned kFormatMinor = 1;

inline constexpr std::uint8_t kNoUniformType = 0;
inline constexpr std::uint8_t kTerminator = 0;
inline constexpr unsigned kVarintWidthBits = 6;
inline constexpr unsigned kNumberTypeBits = 8;
inline constexpr unsigned kChunkNBits = 24;

inline constexpr unsigned kModeBits = 4;
inline constexpr unsigned kQuantKBits = 8;
inline constexpr unsigned kDictLengthBits = 25;

inline constexpr unsigned kDeltaBits = 4;
inline constexpr unsigned kOrderBits = 3;
inline constexpr unsigned kSecondaryDeltaBits = 1;
inline constexpr unsigned kWindowNLogBits = 5;
inline constexpr unsigned kStateNLogBits = 4;

inline constexpr unsigned kAnsSizeLogBits = 4;
inline constexpr unsigned kBinCountBits = 15;

}  // namespace numpact::internal::wire
