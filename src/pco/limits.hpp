// SPDX-License-Identifier: Apache-2.0
// Bounds of the format (docs/format/pco.md, "Limits").
#pragma once

#include <cstddef>
#include <cstdint>

namespace numpact::internal {

// Latents per batch.
inline constexpr std::size_t kBatchN = 256;
// Numbers per chunk.
inline constexpr std::size_t kMaxChunkN = std::size_t{1} << 24;
// Log2 of the states of a tANS table.
inline constexpr unsigned kMaxAnsSizeLog = 14;
// Interleaved tANS streams.
inline constexpr unsigned kAnsStates = 4;
// Each bin has at least one state.
inline constexpr std::uint32_t kMaxBins = std::uint32_t{1} << kMaxAnsSizeLog;
// Orders of delta encodings.
inline constexpr unsigned kMaxConsecutiveOrder = 7;
inline constexpr unsigned kMaxConv1Order = 32;
// Right shift of the sum of a prediction, in bits.
inline constexpr unsigned kMaxConv1Quantization = 31;
// Log2 of the largest lookback distance.
inline constexpr unsigned kMaxWindowNLog = 24;

// Log2 of the numbers between restart points of a trailer (docs/format/trailer.md).
inline constexpr unsigned kMinRestartLog = 8;
inline constexpr unsigned kMaxRestartLog = 24;

}  // namespace numpact::internal
