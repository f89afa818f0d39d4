// SPDX-License-Identifier: Apache-2.0
// Bases of floats: decimals, multiples of them, whatever base Euclid's algorithm finds between the
// numbers or the steps between them; powers of two that most fit; the finest ones; and parts of a
// base whose multiples round to the numbers more often.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>

#include "number/ordered.hpp"
#include "pco/encode/modes/gcd.hpp"
#include "pco/encode/modes/propose.hpp"
#include "pco/mode/float_mult.hpp"
#include "pco/stats/histogram.hpp"
#include "pco/stats/log2.hpp"
#include "pco/stats/sort.hpp"

namespace numpact {
namespace {

constexpr std::size_t kProbes = 256;
constexpr std::size_t kFewProbes = 8;
// One in so many probes, odd as rows of tables are even, tells whether far too few fit.
constexpr std::size_t kOneFittedIn = 7;

// Powers of ten are exact as doubles up to 10^22.
constexpr double kPowersOfTen[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
constexpr int kMaxDecimals = 15;
constexpr int kMaxZeros = 6;

// Numbers of the sample that tell something about bases.
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
  // Each latent once, evenly spread ones first.
  const std::size_t step = std::max<std::size_t>(1, latents.size() / kProbes);
  for (std::size_t first = 0; first < step; ++first) {
    for (std::size_t i = first; i < latents.size(); i += step) {
      const double value = to_double(latents[i]);
      if (!is_telling(value)) continue;
      probes.values[probes.n++] = value;
      if (probes.n == kProbes) return probes;
    }
  }
  return probes;
}

// Rounded to a whole number, for magnitudes below 2^51; some large number for others.
double round_whole(double value) { return (value + 0x1.8p52) - 0x1.8p52; }

// Whether numbers are whole multiples of a base, given the number over the base: up to a few units
// in the last place, of a multiple with fewer digits than the number, so that a chance hit is rare.
class Fit {
 public:
  explicit Fit(unsigned mantissa_digits)
      : most_multiple_(static_cast<double>(std::uint64_t{1} << (mantissa_digits - 2))),
        rounding_(1 / most_multiple_) {}

  bool operator()(double quotient) const {
    const double magnitude = std::abs(quotient);
    const double error = std::abs(quotient - round_whole(quotient));
    return magnitude < most_multiple_ && error <= std::min(rounding_ * magnitude, 0.125);
  }

 private:
  double most_multiple_;
  double rounding_;
};

// How many probes times the factor are whole. Stops where more than most_misfits are not: 0.
std::size_t count_fitting(const Probes& probes, double factor, std::size_t most_misfits) {
  const Fit fits(probes.mantissa_digits);
  std::size_t misfits = 0;
  // Evenly spread ones mostly tell.
  for (std::size_t i = 0; i < probes.n; i += kOneFittedIn) {
    misfits += fits(probes.values[i] * factor) ? 0 : 1;
  }
  if (kOneFittedIn * misfits > most_misfits + probes.n / 4) return 0;
  misfits = 0;
  for (std::size_t i = 0; i < probes.n; ++i) {
    misfits += fits(probes.values[i] * factor) ? 0 : 1;
    if (misfits > most_misfits) return 0;
  }
  return probes.n - misfits;
}

// denominator: 0 if parts of the base are of no use.
void add_base(NumberType type, double numerator, double denominator, Candidates& candidates,
              bool is_finest = false) {
  const double base = denominator == 0 ? numerator : numerator / denominator;
  const FloatMult mult = FloatMult::of(base, type);
  if (!mult.is_valid(type)) return;
  for (const Candidate& other : candidates) {
    const auto* same = std::get_if<FloatMult>(&other.mode);
    if (same != nullptr && same->base_bits == mult.base_bits) return;
  }
  candidates.add(Candidate{mult, numerator, denominator, is_finest});
}

struct CommonDivisor {
  std::uint64_t divisor = 1;
  bool is_of_all = false;
};

// The greatest divisor that nine of ten multiples have in common.
CommonDivisor common_divisor(const Probes& probes, double factor) {
  constexpr std::size_t kPairs = 16;
  const Fit fits(probes.mantissa_digits);
  std::array<std::uint64_t, kProbes> multiples;
  std::size_t n = 0;
  for (std::size_t i = 0; i < probes.n; ++i) {
    const double quotient = probes.values[i] * factor;
    if (fits(quotient))
      multiples[n++] = static_cast<std::uint64_t>(std::abs(round_whole(quotient)));
  }
  if (n < kFewProbes) return {};
  std::array<std::uint64_t, kPairs> divisors;
  for (std::size_t i = 0; i < kPairs; ++i) {
    divisors[i] = binary_gcd(multiples[i * 2 % n], multiples[(i * 2 + 1 + n / 2) % n]);
  }
  std::sort(divisors.begin(), divisors.end(), std::greater<>());
  for (std::size_t i = 0; i < kPairs && divisors[i] > 1; ++i) {
    const std::uint64_t divisor = divisors[i];
    if (i > 0 && divisor == divisors[i - 1]) continue;
    std::size_t misfits = 0;
    for (std::size_t k = 0; k < n && 10 * misfits <= n; ++k) {
      misfits += multiples[k] % divisor != 0 ? 1 : 0;
    }
    if (10 * misfits <= n) return {divisor, misfits == 0};
  }
  return {};
}

void add_decimal(NumberType type, const Probes& probes, int decimals, double parts,
                 Candidates& candidates) {
  const double scale = kPowersOfTen[std::abs(decimals)];
  const double numerator = decimals >= 0 ? 1 : scale;
  const double denominator = decimals >= 0 ? scale * parts : parts;
  const CommonDivisor common = common_divisor(probes, denominator / numerator);
  if (common.divisor == 1 || !common.is_of_all) add_base(type, numerator, denominator, candidates);
  if (common.divisor == 1) return;
  add_base(type, static_cast<double>(common.divisor) * numerator, denominator, candidates);
}

// How well the best of the decimals so far suits.
struct Decimals {
  std::size_t least_misfits;  // of the probes; all before any was found

  bool suit(const Probes& probes) const { return 10 * least_misfits <= probes.n; }
};

// The coarsest powers of ten, or parts of them, that at least half of the numbers are multiples of,
// and finer ones as long as each leaves half as many misfits: these pay for their corrections,
// which may be less than all would pay for a finer base.
void bid_decimal(NumberType type, const Probes& probes, double parts, Decimals& found,
                 Candidates& candidates) {
  const std::size_t hardly_any = probes.n / 100;
  for (int decimals = -kMaxZeros; decimals <= kMaxDecimals; ++decimals) {
    const double factor =
        decimals >= 0 ? kPowersOfTen[decimals] * parts : parts / kPowersOfTen[-decimals];
    const std::size_t count = count_fitting(probes, factor, found.least_misfits / 2);
    if (count == 0) continue;
    add_decimal(type, probes, decimals, parts, candidates);
    found.least_misfits = probes.n - count;
    if (found.least_misfits <= hardly_any) return;
  }
}

// A magnitude that may be off by so much.
struct Measured {
  double value = 0;
  double error = 0;
};

// A rest of Euclid's algorithm on a and b, which is p * a + q * b, and how far off it may be.
struct Rest {
  double value;
  double p;
  double q;

  double error(const Measured& a, const Measured& b) const {
    return std::abs(p) * a.error + std::abs(q) * b.error;
  }
};

// The base that two magnitudes are multiples of, up to their errors: the first rest that may be
// none tells which multiples, so the base is as exact as they are. 0 if it is lost in the errors.
double common_base(const Measured& a, const Measured& b) {
  // Of numbers without a base, few have a rest so clear before one that is none.
  constexpr double kClear = 64;
  Rest last{a.value, 1, 0};
  Rest rest{b.value, 0, 1};
  while (std::abs(rest.value) > rest.error(a, b)) {
    const double quotient = last.value / rest.value;
    if (!(std::abs(quotient) < 0x1p50)) return 0;
    const double times = round_whole(quotient);
    const Rest next{last.value - times * rest.value, last.p - times * rest.p,
                    last.q - times * rest.q};
    last = rest;
    rest = next;
  }
  if (std::abs(last.value) < kClear * last.error(a, b) || rest.q == 0) return 0;
  return a.value / std::abs(rest.q);
}

// The base that most pairs agree on; 0 if they don't. Pairs are far apart: neighbours are often the
// same, which tells nothing.
double commonest_base(std::span<const Measured> all) {
  constexpr std::size_t kPairs = 48;
  constexpr std::size_t kFirstPairs = 16;
  std::array<double, kPairs> found{};
  std::size_t tried = 0;
  std::size_t n = 0;
  const std::size_t half = all.size() / 2;
  for (std::size_t i = 0; i < half && tried < kPairs; ++i) {
    const Measured& a = all[i];
    const Measured& b = all[i + half];
    if (a.value == b.value) continue;
    ++tried;
    const double base = a.value > b.value ? common_base(a, b) : common_base(b, a);
    if (base > 0) found[n++] = base;
    // Numbers without a base have no divisor to speak of.
    if (tried == kFirstPairs && n < kFirstPairs / 4) return 0;
  }
  if (n < kFewProbes) return 0;
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
  return 5 * best_count < n ? 0 : found[best];
}

class MeasuredList {
 public:
  void add(const Measured& one) {
    if (n_ < all_.size()) all_[n_++] = one;
  }
  std::span<const Measured> all() const { return std::span(all_).first(n_); }

 private:
  std::array<Measured, kProbes> all_;
  std::size_t n_ = 0;
};

// One in the digit before the last of a number near 1.
double rounding_of(unsigned mantissa_digits) {
  return 2 / static_cast<double>(std::uint64_t{1} << mantissa_digits);
}

Measured distance(double from, double to, double rounding) {
  return {std::abs(to - from), rounding * std::max(std::abs(from), std::abs(to))};
}

MeasuredList measured(const Probes& probes) {
  MeasuredList list;
  // The last two digits may be wrong.
  const double rounding = 2 * rounding_of(probes.mantissa_digits);
  for (std::size_t i = 0; i < probes.n; ++i) {
    const double magnitude = std::abs(probes.values[i]);
    list.add({magnitude, rounding * magnitude});
  }
  return list;
}

// share: by which the base may be off. One that is one over a whole number then is meant to be.
void add_common_base(NumberType type, double base, double share, Candidates& candidates) {
  // By chance many are nearly so.
  constexpr double kNearlyWhole = 0.05;
  const double inverse = 1 / base;
  const double whole = inverse < 0x1p50 ? round_whole(inverse) : 0;
  const bool is_inverse =
      whole >= 1 && std::abs(whole * base - 1) < share && std::abs(inverse - whole) < kNearlyWhole;
  add_base(type, is_inverse ? 1 : base, is_inverse ? whole : 1, candidates);
}

// False if there is no base.
bool bid_euclidean(NumberType type, const Probes& probes, Candidates& candidates) {
  constexpr double kShare = 1e-5;
  const double base = commonest_base(measured(probes).all());
  if (base == 0 || count_fitting(probes, 1 / base, probes.n / 2) == 0) return false;
  add_common_base(type, base, kShare, candidates);
  return true;
}

// As many of the smallest as there is room for, in their order; of equal ones the first.
MeasuredList smallest(std::span<const Measured> all, Arena& arena) {
  MeasuredList list;
  double most = HUGE_VAL;
  std::size_t ties = 0;  // of the largest, that there is room for
  if (all.size() > kProbes) {
    const ArenaScope scratch(arena);
    const std::span<double> values = arena.make<double>(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) values[i] = all[i].value;
    const auto last = values.begin() + static_cast<std::ptrdiff_t>(kProbes - 1);
    std::nth_element(values.begin(), last, values.end());
    most = *last;
    ties = kProbes;
    for (const Measured& one : all) ties -= one.value < most ? 1 : 0;
  }
  for (const Measured& one : all) {
    if (one.value > most || (one.value == most && ties == 0)) continue;
    ties -= one.value == most ? 1 : 0;
    list.add(one);
  }
  return list;
}

// The smallest steps between some of the numbers that are no mere errors.
template <FloatLatent L>
MeasuredList measured_steps(std::span<const L> latents, unsigned mantissa_digits, Arena& arena) {
  constexpr std::size_t kLeast = 256;
  constexpr std::size_t kMost = 1024;
  constexpr double kClear = 16;
  const ArenaScope scratch(arena);
  const std::size_t some_n = std::clamp(latents.size() / 4, kLeast, kMost);
  // Odd, as runs of a sample are even.
  const std::size_t share = (latents.size() / some_n) | 1;
  const std::span<L> some = arena.make<L>(latents.size() / share);
  for (std::size_t i = 0; i < some.size(); ++i) some[i] = latents[i * share];
  const Range<L> range = range_of(std::span<const L>(some));
  const std::span<const L> sorted =
      sorted_copy(std::span<const L>(some), range.lower, range.upper, arena);
  const double rounding = rounding_of(mantissa_digits);
  const std::span<Measured> steps = arena.make<Measured>(sorted.size());
  std::size_t n = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] == sorted[i - 1]) continue;
    const Measured step = distance(to_double(sorted[i - 1]), to_double(sorted[i]), rounding);
    if (std::isfinite(step.value) && step.value > kClear * step.error) steps[n++] = step;
  }
  return smallest(steps.first(n), arena);
}

// How far the probes are from one of them: larger multiples.
MeasuredList measured_distances(const Probes& probes) {
  MeasuredList list;
  const double rounding = rounding_of(probes.mantissa_digits);
  const double from = probes.values[probes.n / 2];
  for (std::size_t i = 0; i < probes.n; ++i) {
    const double to = probes.values[i];
    if (to != from) list.add(distance(from, to, rounding));
  }
  return list;
}

// A base, and which share of it it may be off by.
struct RoughBase {
  double value;
  double share;
};

// From ever larger multiples: as long as it is told which ones they are, they tell more of the
// base.
RoughBase refine(RoughBase base, std::span<const Measured> all) {
  constexpr std::size_t kTop = 9;
  constexpr double kSure = 0.1;
  for (;;) {
    // The largest multiples that are sure, descending; of equal ones the last first.
    struct Told {
      double multiple;
      RoughBase base;
    };
    std::array<Told, kTop> top;
    std::size_t n = 0;
    for (const Measured& one : all) {
      const double multiple = round_whole(one.value / base.value);
      if (multiple < 1 || multiple * base.share + one.error / base.value > kSure) continue;
      if (std::abs(one.value / base.value - multiple) > 2 * kSure) continue;
      if (n == kTop && multiple <= top[kTop - 1].multiple) continue;
      std::size_t at = n < kTop ? n++ : kTop - 1;
      for (; at > 0 && top[at - 1].multiple <= multiple; --at) top[at] = top[at - 1];
      top[at] = {multiple, {one.value / multiple, one.error / one.value}};
    }
    if (n < kTop) return base;
    double share = 0;
    for (const Told& one : top) share = std::max(share, 2 * one.base.share);
    if (!(share < base.share / 2)) return base;
    std::sort(top.begin(), top.end(),
              [](const Told& a, const Told& b) { return a.base.value < b.base.value; });
    base = {top[kTop / 2].base.value, share};
  }
}

// The one of the fewest digits that it may be.
double roundest(const RoughBase& base) {
  constexpr unsigned kDigits = 52;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(base.value);
  for (unsigned unused = kDigits; unused > 0; --unused) {
    const std::uint64_t half = std::uint64_t{1} << (unused - 1);
    const std::uint64_t rounded_bits = (bits + half) & ~(2 * half - 1);
    const double rounded = std::bit_cast<double>(rounded_bits);
    if (std::abs(rounded - base.value) <= base.share * base.value) return rounded;
  }
  return base.value;
}

// Numbers that are too large multiples for Euclid to find their base by: small steps between
// them are not.
template <FloatLatent L>
void bid_step(NumberType type, std::span<const L> latents, const Probes& probes,
              Candidates& candidates, Arena& arena) {
  constexpr double kFirstShare = 0.002;
  const MeasuredList steps = measured_steps(latents, probes.mantissa_digits, arena);
  const double rough = commonest_base(steps.all());
  if (rough == 0) return;
  RoughBase base = refine({rough, kFirstShare}, steps.all());
  base = refine(base, measured_distances(probes).all());
  base = refine(base, measured(probes).all());
  add_common_base(type, roundest(base), base.share, candidates);
}

// Of numbers of few binary digits behind the point the power of two that most are multiples of, as
// FloatQuant leaves what smaller ones have more of.
void bid_binary(NumberType type, const Probes& probes, Candidates& candidates) {
  constexpr unsigned kDigits = 53;
  constexpr std::size_t kExponents = 2047;
  constexpr std::uint64_t kLeading = std::uint64_t{1} << (kDigits - 1);
  // By the exponents of the last digits in use, as the format of doubles has them: how many probes,
  // and the exponents of their mantissas' last places.
  struct Count {
    std::uint32_t n = 0;
    std::uint32_t places = 0;
  };
  std::array<Count, kExponents> counts{};
  for (std::size_t i = 0; i < probes.n; ++i) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(std::abs(probes.values[i]));
    const auto exponent = static_cast<unsigned>(bits >> (kDigits - 1));
    if (exponent < kDigits) continue;
    const std::uint64_t mantissa = (bits & (kLeading - 1)) | kLeading;
    const unsigned zeros = static_cast<unsigned>(std::countr_zero(mantissa));
    Count& count = counts[exponent - (kDigits - 1) + zeros];
    ++count.n;
    count.places += exponent - (probes.mantissa_digits - 1);
  }
  // All that use no more digits save those from their mantissa's last place to the base: more than
  // the corrections cost, a bit a number, or where there are none so much that it is worth a look.
  std::size_t n = 0;
  std::size_t places = 0;
  std::size_t most_saved = 0;
  std::uint64_t best = 0;
  for (std::size_t last = kExponents - 1; last >= 1; --last) {
    if (counts[last].n == 0) continue;
    n += counts[last].n;
    places += counts[last].places;
    const std::size_t toll = n < probes.n ? probes.n : probes.n / 4;
    if (2 * n < probes.n || n * last <= places + toll + most_saved) continue;
    most_saved = n * last - places - toll;
    best = last;
  }
  if (best != 0) add_base(type, std::bit_cast<double>(best << (kDigits - 1)), 0, candidates);
}

// The finest powers of ten and of two whose multiples are all whole: differences of multiples are
// as alike as those of the numbers, which those of floats are not where the exponent changes. Parts
// of them are too fine.
void bid_finest(NumberType type, const Probes& probes, Candidates& candidates) {
  double most = 0;
  for (std::size_t i = 0; i < probes.n; ++i) most = std::max(most, std::abs(probes.values[i]));
  const double limit = static_cast<double>(std::uint64_t{1} << probes.mantissa_digits);
  int decimals = kMaxDecimals;
  while (decimals >= 0 && most * kPowersOfTen[decimals] >= limit) --decimals;
  if (decimals > 0 && most * kPowersOfTen[decimals] >= 1) {
    add_base(type, 1 / kPowersOfTen[decimals], 0, candidates, true);
  }
  // The power of two below the most, of a number with as many digits.
  constexpr unsigned kExponentShift = 52;
  const std::uint64_t exponent = std::bit_cast<std::uint64_t>(most) >> kExponentShift;
  const std::uint64_t below = probes.mantissa_digits - 1;
  if (exponent <= below) return;
  const double base = std::bit_cast<double>((exponent - below) << kExponentShift);
  add_base(type, base, 0, candidates, true);
}

// Whether most of some evenly spread numbers are near the one before.
template <FloatLatent L>
bool is_smooth(std::span<const L> latents) {
  constexpr double kNear = 0.25;
  const std::size_t step = latents.size() / kProbes + 1;
  std::size_t looked = 0;
  std::size_t near = 0;
  for (std::size_t i = 1; i < latents.size(); i += step, ++looked) {
    const double before = to_double(latents[i - 1]);
    near += std::abs(to_double(latents[i]) - before) <= kNear * std::abs(before) ? 1 : 0;
  }
  return 2 * near > looked;
}

template <FloatLatent L>
void bid(NumberType type, std::span<const L> latents, Candidates& candidates, Arena& arena) {
  const Probes probes = take_probes(latents);
  if (probes.n < kFewProbes) return;
  // Means and rates: thirds, sevenths, ... of decimals. Their multiples are often too large for
  // Euclid to find the base by.
  Decimals found{probes.n};
  for (const double parts : {1.0, 3.0, 7.0, 9.0, 11.0, 13.0}) {
    bid_decimal(type, probes, parts, found, candidates);
    if (found.suit(probes)) return;
  }
  const bool found_base = bid_euclidean(type, probes, candidates);
  if (!found_base) bid_step(type, latents, probes, candidates, arena);
  bid_binary(type, probes, candidates);
  if (is_smooth(latents)) bid_finest(type, probes, candidates);
}

// Corrections that some evenly spread latents need.
template <FloatLatent L>
std::size_t count_corrections(std::span<const L> latents, const FloatMult& mult) {
  std::array<L, kProbes> primary;
  std::array<L, kProbes> secondary;
  split_float_mult(static_cast<L>(mult.base_bits), latents.data(), latents.size(), primary.data(),
                   secondary.data());
  std::size_t count = 0;
  for (std::size_t i = 0; i < latents.size(); ++i) count += secondary[i] != kMid<L> ? 1 : 0;
  return count;
}

// Bits of a correction that is needed `count` times of n: whether, and up or down.
float correction_bits(std::size_t count, std::size_t n) {
  if (count == 0) return 0;
  const float share = static_cast<float>(count) / static_cast<float>(n);
  const float rest = 1 - share;
  return share * (1 - fast_log2(share)) - (rest > 0 ? rest * fast_log2(rest) : 0);
}

template <FloatLatent L>
void bid_divided(NumberType type, std::span<const L> latents, const Candidate& base,
                 Candidates& candidates) {
  constexpr unsigned kMostParts = 63;
  constexpr std::size_t kMostBids = 3;
  constexpr float kWorthwhile = 0.1f;
  constexpr std::size_t kFewMore = 4;
  std::array<L, kProbes> picked{};
  const std::size_t step = std::max<std::size_t>(1, latents.size() / kProbes);
  std::size_t n = 0;
  for (std::size_t i = 0; i < latents.size() && n < kProbes; i += step) picked[n++] = latents[i];
  const std::span<const L> probes(picked.data(), n);
  std::size_t count = count_corrections(probes, std::get<FloatMult>(base.mode));
  std::size_t bids = 0;
  // Larger parts must need fewer corrections than all smaller ones: they make larger multiples.
  for (unsigned parts = 3; parts <= kMostParts && bids < kMostBids; parts += 2) {
    const double denominator = base.denominator * parts;
    const FloatMult mult = FloatMult::of(base.numerator / denominator, type);
    if (!mult.is_valid(type)) return;
    // The first few tell most of those that are no better.
    if (count_corrections(probes.first(n / 4), mult) > count / 4 + kFewMore) continue;
    const std::size_t fewer = count_corrections(probes, mult);
    if (correction_bits(fewer, n) > correction_bits(count, n) - kWorthwhile) continue;
    candidates.add(Candidate{mult, base.numerator, denominator, false});
    ++bids;
    count = fewer;
  }
}

template <class F>
void visit_floats(NumberType type, const LatentArray& latents, F&& f) {
  if (type == NumberType::kF16) f(std::span<const std::uint16_t>(latents.as<std::uint16_t>()));
  if (type == NumberType::kF32) f(std::span<const std::uint32_t>(latents.as<std::uint32_t>()));
  if (type == NumberType::kF64) f(std::span<const std::uint64_t>(latents.as<std::uint64_t>()));
}

}  // namespace

void bid_float_mult(NumberType type, const Sample& sample, Candidates& candidates, Arena& arena) {
  visit_floats(type, sample.latents, [&](auto latents) { bid(type, latents, candidates, arena); });
}

void bid_float_mult_divided(NumberType type, const Sample& sample, const Candidate& base,
                            Candidates& candidates) {
  visit_floats(type, sample.latents,
               [&](auto latents) { bid_divided(type, latents, base, candidates); });
}

}  // namespace numpact
