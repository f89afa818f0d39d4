// SPDX-License-Identifier: Apache-2.0
// Proposes bases of floats: decimals and divisors of them; the base that Euclid's algorithm finds
// between numbers or between the steps from one to another; the power of two that most numbers are
// multiples of; the finest bases. For a base that needs many corrections, divisors of it whose
// multiples round to the numbers more often (docs/decisions.md, 15).
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>

#include "base/tuned.hpp"
#include "number/ordered.hpp"
#include "pco/encode/modes/common_base.hpp"
#include "pco/encode/modes/gcd.hpp"
#include "pco/encode/modes/propose.hpp"
#include "pco/mode/float_mult.hpp"
#include "pco/stats/histogram.hpp"
#include "pco/stats/log2.hpp"
#include "pco/stats/sort.hpp"

namespace numpact::internal {
namespace {

// Numbers of the sample that bases are tested on. More recognise bases of fewer numbers, and take
// longer.
constexpr std::size_t kMaxProbes = 256;
// With fewer probes a fit may be chance, and nothing is proposed.
NUMPACT_TUNED(std::size_t, kMinProbes, 8);
// One in this many probes is tested first, to stop early if far too few fit. Odd, since the lengths
// of rows of tables are often even.
NUMPACT_TUNED(std::size_t, kPretestOneIn, 7);
// One in this many numbers may fail to be a multiple of a divisor or a decimal that suits.
NUMPACT_TUNED(std::size_t, kMaxMisfitOneIn, 10);
// If at most one probe in this many does not fit, finer bases are not tried: fewer corrections take
// next to nothing.
NUMPACT_TUNED(std::size_t, kNegligibleMisfitOneIn, 100);

// Powers of ten; exact as doubles up to 10^22.
constexpr double kPowersOfTen[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
// Decimal bases range from 10^-kMaxBaseDecimals, about the precision of doubles, to
// 10^kMaxBaseZeros; multiples of coarser ones are found by their common divisor.
NUMPACT_TUNED(int, kMaxBaseDecimals, 15);
NUMPACT_TUNED(int, kMaxBaseZeros, 6);

// Finite and nonzero numbers of the sample.
struct Probes {
  std::array<double, kMaxProbes> values;
  std::size_t n = 0;
  unsigned mantissa_digits = 53;  // of the number type, in bits
};

template <FloatLatent L>
double to_double(L latent) {
  const L bits = from_ordered(latent, NumberKind::kFloat);
  return static_cast<double>(FloatTraits<L>::to_arithmetic(bits));
}

// Zeros are multiples of everything, so they say nothing, however common they are.
bool is_probe(double value) { return std::isfinite(value) && value != 0; }

template <FloatLatent L>
Probes take_probes(std::span<const L> latents) {
  Probes probes;
  probes.mantissa_digits = FloatTraits<L>::kMantissaBits + 1;
  // Takes each latent once, evenly spread ones first.
  const std::size_t step = std::max<std::size_t>(1, latents.size() / kMaxProbes);
  for (std::size_t first = 0; first < step; ++first) {
    for (std::size_t i = first; i < latents.size(); i += step) {
      const double value = to_double(latents[i]);
      if (!is_probe(value)) continue;
      probes.values[probes.n++] = value;
      if (probes.n == kMaxProbes) return probes;
    }
  }
  return probes;
}

// Whether a number is an integer multiple of a base, given their quotient: up to a few units in the
// last place, and only if the multiple has fewer digits than the number, so that a chance fit is
// rare.
class Fit {
 public:
  explicit Fit(unsigned mantissa_digits)
      : max_multiple_(static_cast<double>(std::uint64_t{1} << (mantissa_digits - 2))),
        rounding_(1 / max_multiple_) {}

  bool operator()(double quotient) const {
    const double magnitude = std::abs(quotient);
    const double error = std::abs(quotient - round_to_integer(quotient));
    return magnitude < max_multiple_ && error <= std::min(rounding_ * magnitude, 0.125);
  }

 private:
  double max_multiple_;
  double rounding_;
};

// Counts the probes that are integers when multiplied by the factor; 0 if more than max_misfits are
// not.
std::size_t count_fitting(const Probes& probes, double factor, std::size_t max_misfits) {
  const Fit fits(probes.mantissa_digits);
  std::size_t misfits = 0;
  // Evenly spread probes usually suffice to reject a factor.
  for (std::size_t i = 0; i < probes.n; i += kPretestOneIn) {
    misfits += fits(probes.values[i] * factor) ? 0 : 1;
  }
  if (kPretestOneIn * misfits > max_misfits + probes.n / 4) return 0;
  misfits = 0;
  for (std::size_t i = 0; i < probes.n; ++i) {
    misfits += fits(probes.values[i] * factor) ? 0 : 1;
    if (misfits > max_misfits) return 0;
  }
  return probes.n - misfits;
}

// Adds a base unless it is invalid or a candidate already. denominator: 0 if divisors of the base
// are not worth proposing.
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

// The greatest divisor that nine of ten multiples have in common, from the greatest common divisors
// of pairs.
CommonDivisor common_divisor(const Probes& probes, double factor) {
  // More pairs find divisors that fewer multiples have.
  constexpr std::size_t kGcdPairs = 16;
  const Fit fits(probes.mantissa_digits);
  std::array<std::uint64_t, kMaxProbes> multiples;
  std::size_t n = 0;
  for (std::size_t i = 0; i < probes.n; ++i) {
    const double quotient = probes.values[i] * factor;
    if (fits(quotient))
      multiples[n++] = static_cast<std::uint64_t>(std::abs(round_to_integer(quotient)));
  }
  if (n < kMinProbes) return {};
  std::array<std::uint64_t, kGcdPairs> divisors;
  for (std::size_t i = 0; i < kGcdPairs; ++i) {
    divisors[i] = binary_gcd(multiples[i * 2 % n], multiples[(i * 2 + 1 + n / 2) % n]);
  }
  std::sort(divisors.begin(), divisors.end(), std::greater<>());
  for (std::size_t i = 0; i < kGcdPairs && divisors[i] > 1; ++i) {
    const std::uint64_t divisor = divisors[i];
    if (i > 0 && divisor == divisors[i - 1]) continue;
    std::size_t misfits = 0;
    for (std::size_t k = 0; k < n && kMaxMisfitOneIn * misfits <= n; ++k) {
      misfits += multiples[k] % divisor != 0 ? 1 : 0;
    }
    if (kMaxMisfitOneIn * misfits <= n) return {divisor, misfits == 0};
  }
  return {};
}

// Adds 10^-decimals / divisor, and its largest multiple that divides nine of ten numbers, if there
// is one; only the multiple if it divides all.
void add_decimal(NumberType type, const Probes& probes, int decimals, double divisor,
                 Candidates& candidates) {
  const double scale = kPowersOfTen[std::abs(decimals)];
  const double numerator = decimals >= 0 ? 1 : scale;
  const double denominator = decimals >= 0 ? scale * divisor : divisor;
  const CommonDivisor common = common_divisor(probes, denominator / numerator);
  if (common.divisor == 1 || !common.is_of_all) add_base(type, numerator, denominator, candidates);
  if (common.divisor == 1) return;
  add_base(type, static_cast<double>(common.divisor) * numerator, denominator, candidates);
}

// The number of probes that the best decimal so far does not fit.
struct DecimalFit {
  std::size_t min_misfits;  // of the probes; all of them before a decimal is found

  bool is_good(const Probes& probes) const { return kMaxMisfitOneIn * min_misfits <= probes.n; }
};

// Proposes the coarsest power of ten, over a divisor, that at least half of the probes are
// multiples of, and each finer one that halves the misfits. The misfits take corrections, which may
// cost less than a finer base costs all numbers.
void propose_decimals(NumberType type, const Probes& probes, double divisor, DecimalFit& found,
                      Candidates& candidates) {
  const std::size_t negligible = probes.n / kNegligibleMisfitOneIn;
  for (int decimals = -kMaxBaseZeros; decimals <= kMaxBaseDecimals; ++decimals) {
    const double factor =
        decimals >= 0 ? kPowersOfTen[decimals] * divisor : divisor / kPowersOfTen[-decimals];
    const std::size_t count = count_fitting(probes, factor, found.min_misfits / 2);
    if (count == 0) continue;
    add_decimal(type, probes, decimals, divisor, candidates);
    found.min_misfits = probes.n - count;
    if (found.min_misfits <= negligible) return;
  }
}

class MeasuredList {
 public:
  void add(const Measured& one) {
    if (n_ < all_.size()) all_[n_++] = one;
  }
  std::span<const Measured> all() const { return std::span(all_).first(n_); }

 private:
  std::array<Measured, kMaxProbes> all_;
  std::size_t n_ = 0;
};

// Two units in the last place of a number near 1.
double rounding_of(unsigned mantissa_digits) {
  return 2 / static_cast<double>(std::uint64_t{1} << mantissa_digits);
}

// The distance of two numbers, each rounded by the given share of itself.
Measured distance(double from, double to, double rounding) {
  return {std::abs(to - from), rounding * std::max(std::abs(from), std::abs(to))};
}

MeasuredList measured(const Probes& probes) {
  MeasuredList list;
  // The last two bits may be wrong.
  const double rounding = 2 * rounding_of(probes.mantissa_digits);
  for (std::size_t i = 0; i < probes.n; ++i) {
    const double magnitude = std::abs(probes.values[i]);
    list.add({magnitude, rounding * magnitude});
  }
  return list;
}

// Adds a base that may be off by error_share. If 1 over an integer is within the error, that is
// taken to be the intended base.
void add_common_base(NumberType type, double base, double error_share, Candidates& candidates) {
  // The inverse must be this close to an integer: for small bases, the error covers an integer by
  // chance.
  NUMPACT_TUNED(double, kMaxInverseError, 0.05);
  const double inverse = 1 / base;
  const double integer = inverse < 0x1p50 ? round_to_integer(inverse) : 0;
  const bool is_inverse = integer >= 1 && std::abs(integer * base - 1) < error_share &&
                          std::abs(inverse - integer) < kMaxInverseError;
  add_base(type, is_inverse ? 1 : base, is_inverse ? integer : 1, candidates);
}

// Finds the base of the numbers themselves. False if there is none.
bool propose_euclidean(NumberType type, const Probes& probes, Candidates& candidates) {
  // Relative error allowed to the base from a pair. Larger values take more bases for 1 over an
  // integer.
  NUMPACT_TUNED(double, kEuclidErrorShare, 1e-5);
  const double base = most_common_base(measured(probes).all());
  if (base == 0 || count_fitting(probes, 1 / base, probes.n / 2) == 0) return false;
  add_common_base(type, base, kEuclidErrorShare, candidates);
  return true;
}

// The kMaxProbes smallest of the list, or all, in the order of the list; of equal ones the first.
MeasuredList smallest(std::span<const Measured> all, Arena& arena) {
  MeasuredList list;
  double max_value = HUGE_VAL;
  std::size_t ties = 0;  // how many magnitudes equal to max_value may still be taken
  if (all.size() > kMaxProbes) {
    const ArenaScope scratch(arena);
    const std::span<double> values = arena.make<double>(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) values[i] = all[i].value;
    const auto last = values.begin() + static_cast<std::ptrdiff_t>(kMaxProbes - 1);
    std::nth_element(values.begin(), last, values.end());
    max_value = *last;
    ties = kMaxProbes;
    for (const Measured& one : all) ties -= one.value < max_value ? 1 : 0;
  }
  for (const Measured& one : all) {
    if (one.value > max_value || (one.value == max_value && ties == 0)) continue;
    ties -= one.value == max_value ? 1 : 0;
    list.add(one);
  }
  return list;
}

// The smallest steps between some of the numbers, sorted, that are clearly more than rounding
// errors.
template <FloatLatent L>
MeasuredList measured_steps(std::span<const L> latents, unsigned mantissa_digits, Arena& arena) {
  // Numbers that are sorted: a quarter of the sample within these bounds. More have smaller steps,
  // and take longer to sort.
  NUMPACT_TUNED(std::size_t, kMinSorted, 256);
  NUMPACT_TUNED(std::size_t, kMaxSorted, 1024);
  // A step is used if it exceeds its rounding error by this factor.
  NUMPACT_TUNED(double, kMinStepErrors, 16);
  const ArenaScope scratch(arena);
  const std::size_t some_n = std::clamp(latents.size() / 4, kMinSorted, kMaxSorted);
  // Odd, as the length of a sample's runs is even.
  const std::size_t stride = (latents.size() / some_n) | 1;
  const std::span<L> some = arena.make<L>(latents.size() / stride);
  for (std::size_t i = 0; i < some.size(); ++i) some[i] = latents[i * stride];
  const Range<L> range = range_of(std::span<const L>(some));
  const std::span<const L> sorted =
      sorted_copy(std::span<const L>(some), range.lower, range.upper, arena);
  const double rounding = rounding_of(mantissa_digits);
  const std::span<Measured> steps = arena.make<Measured>(sorted.size());
  std::size_t n = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] == sorted[i - 1]) continue;
    const Measured step = distance(to_double(sorted[i - 1]), to_double(sorted[i]), rounding);
    if (std::isfinite(step.value) && step.value > kMinStepErrors * step.error) steps[n++] = step;
  }
  return smallest(steps.first(n), arena);
}

// The distances of the probes to one of them, which are larger multiples than steps.
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

// Finds a base from the steps between numbers, then refines it. Euclid's algorithm runs out of
// digits on numbers that are large multiples of their base, but not on small steps between them.
template <FloatLatent L>
void propose_from_steps(NumberType type, std::span<const L> latents, const Probes& probes,
                        Candidates& candidates, Arena& arena) {
  // Relative error allowed to the first base: the steps are multiples of few digits.
  NUMPACT_TUNED(double, kStepErrorShare, 0.002);
  const MeasuredList steps = measured_steps(latents, probes.mantissa_digits, arena);
  const double approximate = most_common_base(steps.all());
  if (approximate == 0) return;
  MeasuredBase base = refine_base({approximate, kStepErrorShare}, steps.all());
  base = refine_base(base, measured_distances(probes).all());
  base = refine_base(base, measured(probes).all());
  add_common_base(type, roundest(base), base.error_share, candidates);
}

// Proposes the power of two that most numbers are multiples of, if it saves bits: for fixed-point
// numbers of different magnitudes, where a common number of mantissa bits leaves small numbers more
// digits than they use.
void propose_binary(NumberType type, const Probes& probes, Candidates& candidates) {
  // Biased exponents of finite doubles, and the bit before the stored mantissa.
  constexpr std::size_t kDoubleExponents = 2047;
  constexpr std::uint64_t kLeadingBit = std::uint64_t{1} << kDoubleMantissaBits;
  // For each exponent (as doubles store it) of the last bit in use: how many probes have it, and
  // the sum of the exponents of their mantissas' last places.
  struct Count {
    std::uint32_t n = 0;
    std::uint32_t places = 0;
  };
  std::array<Count, kDoubleExponents> counts{};
  for (std::size_t i = 0; i < probes.n; ++i) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(std::abs(probes.values[i]));
    const auto exponent = static_cast<unsigned>(bits >> kDoubleMantissaBits);
    if (exponent <= kDoubleMantissaBits) continue;
    const std::uint64_t mantissa = (bits & (kLeadingBit - 1)) | kLeadingBit;
    const unsigned zeros = static_cast<unsigned>(std::countr_zero(mantissa));
    Count& count = counts[exponent - kDoubleMantissaBits + zeros];
    ++count.n;
    count.places += exponent - (probes.mantissa_digits - 1);
  }
  // A base at the last bit `last` saves each probe that fits the bits between the base and the last
  // place of its mantissa. That must exceed the cost of corrections, a bit per probe, or if all
  // probes fit, a quarter of a bit.
  std::size_t n = 0;
  std::size_t places = 0;
  std::size_t max_saved = 0;
  std::uint64_t best = 0;
  for (std::size_t last = kDoubleExponents - 1; last >= 1; --last) {
    if (counts[last].n == 0) continue;
    n += counts[last].n;
    places += counts[last].places;
    const std::size_t penalty = n < probes.n ? probes.n : probes.n / 4;
    if (2 * n < probes.n || n * last <= places + penalty + max_saved) continue;
    max_saved = n * last - places - penalty;
    best = last;
  }
  if (best != 0) add_base(type, std::bit_cast<double>(best << kDoubleMantissaBits), 0, candidates);
}

// Proposes the finest powers of ten and of two for which all multiples are exact integers.
// Differences of multiples are uniform, while those of floats change at every exponent. Divisors of
// these bases would be too fine.
void propose_finest(NumberType type, const Probes& probes, Candidates& candidates) {
  double max_value = 0;
  for (std::size_t i = 0; i < probes.n; ++i) {
    max_value = std::max(max_value, std::abs(probes.values[i]));
  }
  const double limit = static_cast<double>(std::uint64_t{1} << probes.mantissa_digits);
  int decimals = kMaxBaseDecimals;
  while (decimals >= 0 && max_value * kPowersOfTen[decimals] >= limit) --decimals;
  if (decimals > 0 && max_value * kPowersOfTen[decimals] >= 1) {
    add_base(type, 1 / kPowersOfTen[decimals], 0, candidates, true);
  }
  // The power of two that is the last place of a number as large as the largest probe.
  const std::uint64_t exponent = std::bit_cast<std::uint64_t>(max_value) >> kDoubleMantissaBits;
  const std::uint64_t below = probes.mantissa_digits - 1;
  if (exponent <= below) return;
  const double base = std::bit_cast<double>((exponent - below) << kDoubleMantissaBits);
  add_base(type, base, 0, candidates, true);
}

// Whether most of some evenly spread numbers are close to the number before.
template <FloatLatent L>
bool is_smooth(std::span<const L> latents) {
  // Distance allowed between neighbours, relative to the first. Larger values propose the finest
  // bases for more columns.
  NUMPACT_TUNED(double, kMaxSmoothStepShare, 0.25);
  const std::size_t step = latents.size() / kMaxProbes + 1;
  std::size_t looked_at = 0;
  std::size_t near = 0;
  for (std::size_t i = 1; i < latents.size(); i += step, ++looked_at) {
    const double last = to_double(latents[i - 1]);
    near += std::abs(to_double(latents[i]) - last) <= kMaxSmoothStepShare * std::abs(last) ? 1 : 0;
  }
  return 2 * near > looked_at;
}

template <FloatLatent L>
void propose(NumberType type, std::span<const L> latents, Candidates& candidates, Arena& arena) {
  const Probes probes = take_probes(latents);
  if (probes.n < kMinProbes) return;
  // Means and rates are thirds, sevenths, ... of decimals. Their multiples are often too large for
  // Euclid's algorithm.
  DecimalFit found{probes.n};
  for (const double divisor : {1.0, 3.0, 7.0, 9.0, 11.0, 13.0}) {
    propose_decimals(type, probes, divisor, found, candidates);
    if (found.is_good(probes)) return;
  }
  const bool found_base = propose_euclidean(type, probes, candidates);
  if (!found_base) propose_from_steps(type, latents, probes, candidates, arena);
  propose_binary(type, probes, candidates);
  if (is_smooth(latents)) propose_finest(type, probes, candidates);
}

// Counts the latents whose rounded multiple of the base is not the number itself.
template <FloatLatent L>
std::size_t count_corrections(std::span<const L> latents, const FloatMult& mult) {
  std::array<L, kMaxProbes> primary;
  std::array<L, kMaxProbes> secondary;
  split_float_mult(static_cast<L>(mult.base_bits), latents.data(), latents.size(), primary.data(),
                   secondary.data());
  std::size_t count = 0;
  for (std::size_t i = 0; i < latents.size(); ++i) count += secondary[i] != kMid<L> ? 1 : 0;
  return count;
}

// The median of the exact multiples, as a primary latent; 0 if there are none.
template <FloatLatent L>
L median_multiple(std::span<const L> probes, const FloatMult& mult) {
  std::array<L, kMaxProbes> primary;
  std::array<L, kMaxProbes> secondary;
  split_float_mult(static_cast<L>(mult.base_bits), probes.data(), probes.size(), primary.data(),
                   secondary.data());
  const auto end =
      std::partition(primary.begin(), primary.begin() + static_cast<std::ptrdiff_t>(probes.size()),
                     is_exact_multiple<L>);
  const auto median = primary.begin() + (end - primary.begin()) / 2;
  std::nth_element(primary.begin(), median, end);
  return end == primary.begin() ? L{0} : *median;
}

// Evenly spread latents, in the memory of `probes`.
template <FloatLatent L>
std::span<const L> take_latents(std::span<const L> latents, std::array<L, kMaxProbes>& probes) {
  const std::size_t step = std::max<std::size_t>(1, latents.size() / kMaxProbes);
  std::size_t n = 0;
  for (std::size_t i = 0; i < latents.size() && n < kMaxProbes; i += step) probes[n++] = latents[i];
  return std::span<const L>(probes.data(), n);
}

// Bits per number of a correction that `count` of n numbers need: whether it is needed, and if so
// its direction.
float correction_bits(std::size_t count, std::size_t n) {
  if (count == 0) return 0;
  const float share = static_cast<float>(count) / static_cast<float>(n);
  const float rest = 1 - share;
  return share * (1 - fast_log2(share)) - (rest > 0 ? rest * fast_log2(rest) : 0);
}

// Proposes the base over odd integers, where that needs clearly fewer corrections. For example, 0.3
// needs one with base 0.1, as 3 * 0.1 rounds to 0.30000000000000004. Of 0.1, 0.2, ..., 199.9 as
// doubles, 701 need one with base 1/10, 98 with 1/30, and none with 1/310.
template <FloatLatent L>
void propose_divisors(NumberType type, std::span<const L> latents, const Candidate& base,
                      Candidates& candidates) {
  // The largest divisor that is tried, and the number of proposals: larger divisors make larger
  // multiples, and each proposal is estimated.
  NUMPACT_TUNED(unsigned, kMaxBaseDivisor, 31);
  NUMPACT_TUNED(std::size_t, kMaxDivisorProposals, 3);
  // Bits of corrections that a divisor must save over all smaller ones: less is chance, as there
  // are at most kMaxProbes probes.
  NUMPACT_TUNED(float, kMinCorrectionSavingBitsPerNumber, 0.1f);
  // Corrections that the first quarter of the probes may need beyond its share, to allow for
  // chance.
  NUMPACT_TUNED(std::size_t, kPretestSlackN, 4);
  std::array<L, kMaxProbes> memory{};
  const std::span<const L> probes = take_latents(latents, memory);
  const std::size_t n = probes.size();
  std::size_t count = count_corrections(probes, std::get<FloatMult>(base.mode));
  std::size_t proposals = 0;
  // A larger divisor must need fewer corrections than all smaller ones.
  for (unsigned divisor = 3; divisor <= kMaxBaseDivisor && proposals < kMaxDivisorProposals;
       divisor += 2) {
    const double denominator = base.denominator * divisor;
    FloatMult mult = FloatMult::of(base.numerator / denominator, type);
    if (!mult.is_valid(type)) return;
    if (std::get<FloatMult>(base.mode).substitute != 0) {
      mult.substitute = median_multiple(probes, mult);
    }
    // The first probes suffice to reject most divisors that are no better.
    if (count_corrections(probes.first(n / 4), mult) > count / 4 + kPretestSlackN) continue;
    const std::size_t fewer = count_corrections(probes, mult);
    if (correction_bits(fewer, n) > correction_bits(count, n) - kMinCorrectionSavingBitsPerNumber)
      continue;
    candidates.add(Candidate{mult, base.numerator, denominator, false});
    ++proposals;
    count = fewer;
  }
}

// The largest magnitude, that of a NaN being the largest of all.
template <FloatLatent L>
L max_magnitude(std::span<const L> latents) {
  L max = 0;
  for (const L latent : latents) {
    max = std::max(max, static_cast<L>(from_ordered(latent, NumberKind::kFloat) & (kMid<L> - 1)));
  }
  return max;
}

// Adds the bases once more with a substitute, if numbers are beyond their exact multiples.
template <FloatLatent L>
void propose_substitutes(NumberType type, std::span<const L> latents, Candidates& candidates) {
  const L max = max_magnitude(latents);
  const double max_value = static_cast<double>(FloatTraits<L>::to_arithmetic(max));
  std::array<L, kMaxProbes> memory{};
  const std::span<const L> probes = take_latents(latents, memory);
  for (std::size_t i = 0, n = candidates.size(); i < n; ++i) {
    Candidate candidate = candidates.begin()[i];
    auto* const mult = std::get_if<FloatMult>(&candidate.mode);
    if (mult == nullptr) continue;
    const double limit = static_cast<double>(kFirstSparse<L>) * std::abs(mult->base(type));
    if (max <= kInfinityBits<L> && max_value < limit) continue;
    mult->substitute = median_multiple(probes, *mult);
    if (mult->substitute != 0) candidates.add(candidate);
  }
}

template <class F>
void visit_floats(NumberType type, const LatentArray& latents, F&& f) {
  if (type == NumberType::kF16) f(std::span<const std::uint16_t>(latents.as<std::uint16_t>()));
  if (type == NumberType::kF32) f(std::span<const std::uint32_t>(latents.as<std::uint32_t>()));
  if (type == NumberType::kF64) f(std::span<const std::uint64_t>(latents.as<std::uint64_t>()));
}

}  // namespace

void propose_float_mult(NumberType type, const Sample& sample, Candidates& candidates,
                        Arena& arena) {
  visit_floats(type, sample.latents,
               [&](auto latents) { propose(type, latents, candidates, arena); });
}

void propose_float_mult_substitutes(NumberType type, const Sample& sample, Candidates& candidates) {
  visit_floats(type, sample.latents,
               [&](auto latents) { propose_substitutes(type, latents, candidates); });
}

void propose_float_mult_divisors(NumberType type, const Sample& sample, const Candidate& base,
                                 Candidates& candidates) {
  visit_floats(type, sample.latents,
               [&](auto latents) { propose_divisors(type, latents, base, candidates); });
}

}  // namespace numpact::internal
