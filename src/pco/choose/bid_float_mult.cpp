// SPDX-License-Identifier: Apache-2.0
// Bases of floats: powers of ten, divided where that leaves fewer corrections, and whatever base
// Euclid's algorithm finds between the numbers.
#include <algorithm>
#include <array>
#include <cmath>

#include "number/ordered.hpp"
#include "pco/choose/bids.hpp"

namespace numpact {
namespace {

constexpr std::size_t kProbes = 256;

// Powers of ten are exact as doubles up to 10^22.
constexpr double kPowersOfTen[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
constexpr int kMaxDecimals = 15;
constexpr int kMaxZeros = 6;

// Odd divisors m for which k * fl(10^-d / m) rounds to the decimal k' / 10^d for more of the
// multiples than 10^-d itself does, by d.
struct Divisors {
  std::array<std::uint8_t, 2> of_f64;
  std::array<std::uint8_t, 2> of_f32;
};
constexpr Divisors kDivisors[] = {{{0, 0}, {0, 0}},    {{3, 31}, {7, 0}},  {{7, 0}, {11, 13}},
                                  {{27, 49}, {3, 35}}, {{7, 15}, {3, 13}}, {{3, 0}, {3, 0}},
                                  {{9, 13}, {0, 0}},   {{3, 19}, {9, 0}},  {{11, 0}, {15, 0}}};

struct Probes {
  std::array<double, kProbes> values;
  std::size_t n = 0;
  unsigned mantissa_digits = 53;
};

template <FloatLatent L>
double to_double(L latent) {
  const L bits = from_ordered(latent, NumberKind::kFloat);
  return static_cast<double>(FloatTraits<L>::to_arithmetic(bits));
}

// Zeros fit everything and tell nothing, however common they are.
bool is_telling(double value) { return std::isfinite(value) && value != 0; }

template <FloatLatent L>
Probes take_probes(std::span<const L> latents) {
  Probes probes;
  probes.mantissa_digits = FloatTraits<L>::kMantissaBits + 1;
  std::size_t telling = 0;
  for (const L latent : latents) telling += is_telling(to_double(latent)) ? 1 : 0;
  const std::size_t step = std::max<std::size_t>(1, telling / kProbes);
  std::size_t index = 0;
  for (const L latent : latents) {
    const double value = to_double(latent);
    if (!is_telling(value) || index++ % step != 0 || probes.n == kProbes) continue;
    probes.values[probes.n++] = value;
  }
  return probes;
}

// How numbers of a float type fit a base.
struct Fit {
  explicit Fit(unsigned mantissa_digits)
      : most_multiple(std::ldexp(1.0, static_cast<int>(mantissa_digits) - 2)),
        rounding(std::ldexp(1.0, 2 - static_cast<int>(mantissa_digits))) {}

  // Within a few units in the last place of a multiple that has fewer digits than the number, so
  // that a chance hit is rare.
  bool operator()(double value, double base) const {
    const double multiple = std::rint(value / base);
    const double error = std::abs(value - multiple * base);
    return std::abs(multiple) < most_multiple &&
           error <= std::min(rounding * std::abs(value), base / 8);
  }

  double most_multiple;
  double rounding;
};

std::size_t count_fitting(const Probes& probes, double base) {
  const Fit fits(probes.mantissa_digits);
  std::size_t count = 0;
  for (std::size_t i = 0; i < probes.n; ++i) {
    count += fits(probes.values[i], base) ? 1 : 0;
    // Hopeless after the first few: most bases are.
    if (i == 31 && count == 0) return 0;
  }
  return count;
}

// Nine of ten; all but one in a hundred.
bool is_enough(std::size_t count, const Probes& probes) { return 10 * count >= 9 * probes.n; }
bool is_nearly_all(std::size_t count, const Probes& probes) { return 100 * count >= 99 * probes.n; }

void add_base(double base, NumberType type, Candidates& candidates) {
  const FloatMult mult = FloatMult::of(base, type);
  if (mult.is_valid(type)) candidates.add(mult);
}

// The coarsest powers of ten that most numbers are multiples of, and that nearly all are, where
// that is another one. Returns the first; 0 if there is none.
double bid_decimal(NumberType type, const Probes& probes, Candidates& candidates) {
  double first = 0;
  for (int zeros = kMaxZeros; zeros >= -kMaxDecimals; --zeros) {
    const double base = zeros >= 0 ? kPowersOfTen[zeros] : 1 / kPowersOfTen[-zeros];
    const std::size_t count = count_fitting(probes, base);
    if (!is_enough(count, probes)) continue;
    if (first == 0) {
      first = base;
      add_base(base, type, candidates);
      if (is_nearly_all(count, probes)) break;
    } else if (is_nearly_all(count, probes)) {
      add_base(base, type, candidates);
      break;
    }
  }
  return first;
}

// The greatest common divisor of two magnitudes, up to the rounding of their difference; 0 if it
// is lost in rounding.
double approximate_gcd(double a, double b, double tolerance) {
  if (a < b) std::swap(a, b);
  while (b > tolerance) {
    const double rest = a - std::rint(a / b) * b;
    a = b;
    b = std::abs(rest);
  }
  return a > 16 * tolerance ? a : 0;
}

// The base that most pairs of neighbouring probes agree on, made exact by the largest probes.
double euclidean_base(const Probes& probes) {
  std::array<double, kProbes / 2> found{};
  std::size_t n = 0;
  for (std::size_t i = 0; i + 1 < probes.n; i += 2) {
    const double a = std::abs(probes.values[i]);
    const double b = std::abs(probes.values[i + 1]);
    const double tolerance =
        std::ldexp(std::max(a, b), 6 - static_cast<int>(probes.mantissa_digits));
    const double base = approximate_gcd(a, b, tolerance);
    if (base > 0) found[n++] = base;
  }
  if (n < 8) return 0;
  std::sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(n));
  std::size_t best = 0;
  std::size_t best_count = 0;
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin;
    while (end < n && found[end] <= found[begin] * 1.001) ++end;
    if (end - begin > best_count) {
      best = begin + (end - begin) / 2;
      best_count = end - begin;
    }
    begin = end;
  }
  if (5 * best_count < n) return 0;
  double base = found[best];
  // Each larger number tells the base to more digits, if the multiple is known for certain.
  for (unsigned round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < probes.n; ++i) {
      const double multiple = std::rint(probes.values[i] / base);
      if (multiple == 0 || std::abs(multiple) > 1e3 * std::pow(32.0, round)) continue;
      const double better = probes.values[i] / multiple;
      if (std::abs(better - base) < base / (8 * std::abs(multiple))) base = better;
    }
  }
  // A base that is one over a whole number is probably meant so.
  const double inverse = std::rint(1 / base);
  if (inverse >= 1 && std::abs(inverse * base - 1) < 1e-5) base = 1 / inverse;
  return base;
}

template <FloatLatent L>
void bid(NumberType type, std::span<const L> latents, Candidates& candidates) {
  const Probes probes = take_probes(latents);
  if (probes.n < 8) return;
  const double decimal = bid_decimal(type, probes, candidates);
  const double base = euclidean_base(probes);
  // Beside a power of ten only what is clearly coarser, such as 25.
  if (base > 1.5 * decimal && 2 * count_fitting(probes, base) >= probes.n) {
    add_base(base, type, candidates);
  }
}

}  // namespace

void bid_float_mult_divided(NumberType type, const FloatMult& decimal, Candidates& candidates) {
  if (type == NumberType::kF16) return;
  for (std::size_t decimals = 0; decimals < std::size(kDivisors); ++decimals) {
    if (FloatMult::of(1 / kPowersOfTen[decimals], type).base_bits != decimal.base_bits) continue;
    const Divisors& divisors = kDivisors[decimals];
    for (const unsigned m : type == NumberType::kF64 ? divisors.of_f64 : divisors.of_f32) {
      if (m != 0) add_base(1 / (kPowersOfTen[decimals] * m), type, candidates);
    }
  }
}

void bid_float_mult(NumberType type, const Sample& sample, Candidates& candidates) {
  const LatentArray& latents = sample.latents;
  if (type == NumberType::kF16) bid<std::uint16_t>(type, latents.as<std::uint16_t>(), candidates);
  if (type == NumberType::kF32) bid<std::uint32_t>(type, latents.as<std::uint32_t>(), candidates);
  if (type == NumberType::kF64) bid<std::uint64_t>(type, latents.as<std::uint64_t>(), candidates);
}

}  // namespace numpact
