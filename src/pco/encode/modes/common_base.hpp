// SPDX-License-Identifier: Apache-2.0
// Finds the base that measured magnitudes are integer multiples of: approximately by Euclid's
// algorithm on pairs, then exactly from ever larger multiples.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include "base/tuned.hpp"

namespace numpact::internal {

inline constexpr unsigned kDoubleMantissaBits = 52;  // stored ones

// Rounds magnitudes below 2^51 to an integer; returns some large number for others.
inline double round_to_integer(double value) { return (value + 0x1.8p52) - 0x1.8p52; }

// A magnitude, and the bound of its absolute error.
struct Measured {
  double value = 0;
  double error = 0;
};

// A base, and the share of it that it may be off by.
struct MeasuredBase {
  double value;
  double error_share;
};

// A remainder of Euclid's algorithm on a and b, as the combination p * a + q * b.
struct EuclidRemainder {
  double value;
  double p;
  double q;

  // The bound of its error.
  double error(const Measured& a, const Measured& b) const {
    return std::abs(p) * a.error + std::abs(q) * b.error;
  }
};

// The base that a and b, at most as large, are multiples of up to their errors; 0 if it is lost in
// the errors. The first remainder that may be 0 shows which multiples they are, so the base is as
// exact as a is. For example, a = 7.35 and b = 3.15:
//
//   7.35 - 2 * 3.15 = 1.05    =  1 * a - 2 * b
//   3.15 - 3 * 1.05 = 0       = -3 * a + 7 * b,  so a is 7 times the base: 7.35 / 7 = 1.05
inline double common_base(const Measured& a, const Measured& b) {
  // The last nonzero remainder must exceed its error by this factor. Numbers without a base seldom
  // have such a gap between two remainders.
  NUMPACT_TUNED(double, kMinRemainderErrors, 64);
  EuclidRemainder last{a.value, 1, 0};
  EuclidRemainder current{b.value, 0, 1};
  while (std::abs(current.value) > current.error(a, b)) {
    const double quotient = last.value / current.value;
    if (!(std::abs(quotient) < 0x1p50)) return 0;
    const double times = round_to_integer(quotient);
    const EuclidRemainder next{last.value - times * current.value, last.p - times * current.p,
                               last.q - times * current.q};
    last = current;
    current = next;
  }
  const bool is_lost = std::abs(last.value) < kMinRemainderErrors * last.error(a, b);
  if (is_lost || current.q == 0) return 0;
  return a.value / std::abs(current.q);
}

// The base that most pairs agree on; 0 if there is none. The halves of a pair are far apart:
// neighbours are often equal and have no difference then.
inline double most_common_base(std::span<const Measured> all) {
  // Pairs that are tried. More find bases of fewer numbers, and take longer.
  constexpr std::size_t kEuclidPairs = 48;
  // After this many pairs, a quarter of them must have had a base: numbers without one have none in
  // most pairs.
  NUMPACT_TUNED(std::size_t, kFirstEuclidPairs, 16);
  // Pairs that must have a base; fewer may agree by chance.
  NUMPACT_TUNED(std::size_t, kMinBases, 8);
  // Bases within this ratio are the same one, and one in kMinAgreeingOneIn must be.
  NUMPACT_TUNED(double, kSameBaseRatio, 1.001);
  NUMPACT_TUNED(std::size_t, kMinAgreeingOneIn, 5);
  std::array<double, kEuclidPairs> found{};
  std::size_t tried = 0;
  std::size_t n = 0;
  const std::size_t half = all.size() / 2;
  for (std::size_t i = 0; i < half && tried < kEuclidPairs; ++i) {
    const Measured& a = all[i];
    const Measured& b = all[i + half];
    if (a.value == b.value) continue;
    ++tried;
    const double base = a.value > b.value ? common_base(a, b) : common_base(b, a);
    if (base > 0) found[n++] = base;
    if (tried == kFirstEuclidPairs && n < kFirstEuclidPairs / 4) return 0;
  }
  if (n < kMinBases) return 0;
  std::sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(n));
  std::size_t best = 0;
  std::size_t best_count = 0;
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin;
    while (end < n && found[end] <= found[begin] * kSameBaseRatio) ++end;
    if (end - begin > best_count) {
      best = begin + (end - begin) / 2;
      best_count = end - begin;
    }
    begin = end;
  }
  return kMinAgreeingOneIn * best_count < n ? 0 : found[best];
}

// Makes a base more exact from ever larger multiples. If a magnitude is certain to be the k-th
// multiple, the base is the magnitude over k, with the relative error of the magnitude, which is
// smaller the larger it is. With that base larger multiples become certain, and so on. For example,
// a base of 0.01 that is off by at most 0.2 % makes 0.40 certain to be multiple 40, as 40 * 0.002
// is less than 0.1; 40.00 is certain to be multiple 4000 once the base is off by less than 0.0025
// %.
inline MeasuredBase refine_base(MeasuredBase base, std::span<const Measured> all) {
  // The median over this many of the largest certain multiples is the next base: more are more
  // robust, fewer allow larger multiples.
  constexpr std::size_t kTopMultiples = 9;
  // A multiple is certain if its error is at most this, in units of the base.
  NUMPACT_TUNED(double, kMaxCertainError, 0.1);
  for (;;) {
    // The largest certain multiples, descending; of equal ones the last comes first.
    struct MultipleBase {
      double multiple;
      MeasuredBase base;
    };
    std::array<MultipleBase, kTopMultiples> top;
    std::size_t n = 0;
    for (const Measured& one : all) {
      const double multiple = round_to_integer(one.value / base.value);
      if (multiple < 1) continue;
      if (multiple * base.error_share + one.error / base.value > kMaxCertainError) continue;
      if (std::abs(one.value / base.value - multiple) > 2 * kMaxCertainError) continue;
      if (n == kTopMultiples && multiple <= top[kTopMultiples - 1].multiple) continue;
      std::size_t at = n < kTopMultiples ? n++ : kTopMultiples - 1;
      for (; at > 0 && top[at - 1].multiple <= multiple; --at) top[at] = top[at - 1];
      top[at] = {multiple, {one.value / multiple, one.error / one.value}};
    }
    if (n < kTopMultiples) return base;
    double error_share = 0;
    for (const MultipleBase& one : top) {
      error_share = std::max(error_share, 2 * one.base.error_share);
    }
    if (!(error_share < base.error_share / 2)) return base;
    std::sort(top.begin(), top.end(), [](const MultipleBase& a, const MultipleBase& b) {
      return a.base.value < b.base.value;
    });
    base = {top[kTopMultiples / 2].base.value, error_share};
  }
}

// The value with the fewest binary digits within the error of a base.
inline double roundest(const MeasuredBase& base) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(base.value);
  for (unsigned unused = kDoubleMantissaBits; unused > 0; --unused) {
    const std::uint64_t half = std::uint64_t{1} << (unused - 1);
    const std::uint64_t rounded_bits = (bits + half) & ~(2 * half - 1);
    const double rounded = std::bit_cast<double>(rounded_bits);
    if (std::abs(rounded - base.value) <= base.error_share * base.value) return rounded;
  }
  return base.value;
}

}  // namespace numpact::internal
