// SPDX-License-Identifier: Apache-2.0
// Every bound of the format and of this writer (docs/format/pco.md, "Limits").
#ifndef NUMPACT_PCO_LIMITS_HPP
#define NUMPACT_PCO_LIMITS_HPP

#include <cstddef>
#include <cstdint>

namespace numpact {

// The format's.
inline constexpr std::size_t kBatchN = 256;
inline constexpr std::size_t kMaxChunkN = std::size_t{1} << 24;
inline constexpr unsigned kMaxAnsSizeLog = 14;
inline constexpr unsigned kAnsStates = 4;
inline constexpr std::uint32_t kMaxBins = std::uint32_t{1} << kMaxAnsSizeLog;
inline constexpr unsigned kMaxConsecutiveOrder = 7;
inline constexpr unsigned kMaxConv1Order = 32;
inline constexpr unsigned kMaxConv1Quantization = 31;
inline constexpr unsigned kMaxWindowNLog = 24;

// Of trailers (docs/format/trailer.md).
inline constexpr unsigned kMinRestartLog = 8;
inline constexpr unsigned kMaxRestartLog = 24;

}  // namespace numpact

#endif
