// SPDX-License-Identifier: Apache-2.0
// One way to encode a chunk.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "numpact/config.hpp"
#include "numpact/error.hpp"
#include "pco/delta/deltas.hpp"
#include "pco/mode/modes.hpp"

namespace numpact::internal {

// One way to encode a chunk.
struct Choice {
  AnyMode mode;
  AnyDelta delta;
  // The lookbacks found while Lookback was evaluated, for a chunk of one page; may be empty.
  std::span<std::uint32_t> lookbacks;
  float bits = 0;  // estimate per number, with decode_bits; 0: none was made
  // Encoded only if the smallest encoding so far takes more bits per number than this.
  float attempt_above_bits = 0;
  // If not 0, all numbers look back by this distance, the first ones to zeros before the page.
  std::uint32_t fixed_lookback = 0;
  float decode_bits = 0;  // the part of the bits that stands for the time to decode

  float size_bits() const { return bits - decode_bits; }
};

// Whether n numbers take more than max_bytes by the estimate, if there is a finite one.
inline bool is_estimated_above(const Choice& choice, std::size_t n, std::uint64_t max_bytes) {
  constexpr std::uint64_t kAny = ~std::uint64_t{0};  // the value of a budget that is not set
  return max_bytes != kAny && std::isfinite(choice.bits) &&
         static_cast<double>(choice.size_bits()) * static_cast<double>(n) >
             8 * static_cast<double>(max_bytes);
}

// kInvalidArgument if mode or delta do not apply to the type, or a parameter is out of range.
Status check_specs(NumberType type, const EncodeConfig& config);

// The outcome of an evaluation of Lookback. The order matters: later ones found more repetition.
enum class LookbackResult {
  kNotPromising,  // cheap tests found no sign of repetition
  kWorse,         // takes at least as many bits as the numbers do otherwise
  kBelowMargin,   // saves less than the penalty for its slower decoding
  kAccepted,
};

}  // namespace numpact::internal
