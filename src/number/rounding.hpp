// SPDX-License-Identifier: Apache-2.0
// Rounds arrays of numbers to multiples of a step, to decimals or to bits of the mantissa.
#pragma once

#include <cstdint>
#include <optional>

#include "numpact/types.hpp"

namespace numpact::internal {

struct RoundingTally {
  std::uint64_t changed = 0;
  std::uint64_t kept = 0;  // rounding them would break the bound, or give the fill value
  double max_error = 0;
};

// How numbers of one type are rounded.
struct RoundingRule {
  enum class Kind : std::uint8_t { kMultiple, kDecimal, kBits };
  Kind kind = Kind::kMultiple;
  // kMultiple: numbers become multiples of it. As FloatMult computes them, for floats: of a step in
  // the type, by a product in the type.
  double step = 0;
  double bound = 0;  // the error that no number exceeds
  int decimals = 0;
  unsigned bits = 0;
  // kMultiple of integers, of which doubles do not hold all.
  std::uint64_t whole_step = 0;
  std::uint64_t whole_bound = 0;
  std::optional<std::uint64_t> fill;  // the bits of the fill value
};

// The powers of ten that are exact in double.
inline constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// `out` holds as many numbers, and is the same memory or apart.
void round_numbers(const NumberView& numbers, void* out, const RoundingRule& rule,
                   RoundingTally& tally);

}  // namespace numpact::internal
