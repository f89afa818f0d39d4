// SPDX-License-Identifier: Apache-2.0
// Proposes IntMult. A common base of all numbers divides their differences, so the greatest common
// divisors of the differences in random triples are the base or small multiples of it. The steps
// from number to number may have a base that the numbers lack: those of a timer that drifts by a
// unit now and then, or of a counter that starts again.
#include <algorithm>
#include <cmath>

#include "base/tuned.hpp"
#include "pco/encode/modes/gcd.hpp"
#include "pco/encode/modes/propose.hpp"
#include "pco/stats/log2.hpp"

namespace numpact::internal {
namespace {

// Random triples of numbers. More find bases of fewer numbers, and take longer.
constexpr std::size_t kGcdTriples = 64;
// After this many, the search ends if no divisor stands out, or if one divides all.
constexpr std::size_t kFirstGcdTriples = 32;
// Numbers drawn to find one that differs from those of the triple.
NUMPACT_TUNED(std::size_t, kMaxDraws, 6);
// Shorter bases of steps are left to deltas: the remainders take what they save.
NUMPACT_TUNED(std::uint64_t, kMinStepBase, 16);
// Samples of fewer numbers are too small for random triples.
NUMPACT_TUNED(std::size_t, kMinIntMultSampleN, 16);

// The greatest common divisor of two differences between three random ones of n values.
template <class ValueAt>
std::uint64_t triple_gcd(const ValueAt& value_at, std::size_t n, std::uint64_t& random) {
  const auto pick = [&]() -> std::uint64_t {
    random = random * 6364136223846793005u + 1442695040888963407u;
    return value_at(static_cast<std::size_t>((random >> 32) * n >> 32));
  };
  const auto distance = [](std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; };
  // If most numbers are equal, draws again a few times: a difference of 0 has every divisor.
  const auto pick_other = [&](std::uint64_t a, std::uint64_t b) {
    std::uint64_t other = pick();
    for (std::size_t draws = 1; draws < kMaxDraws && (other == a || other == b); ++draws) {
      other = pick();
    }
    return other;
  };
  const std::uint64_t first = pick();
  const std::uint64_t second = pick_other(first, first);
  return binary_gcd(distance(first, second), distance(first, pick_other(first, second)));
}

// The two divisors that save most, and the divisor of all triples.
struct Bases {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  std::uint64_t common = 0;
};

// Whether clearly more triples have the divisor than by chance: two differences of random numbers
// have the greatest common divisor d with a probability of 0.6 / d^2.
bool is_significant(std::uint64_t divisor, std::size_t count, std::size_t triples) {
  const std::uint64_t square = divisor < 64 ? divisor * divisor : 4096;
  return divisor > 1 && count > triples / 12 + triples * 5 / (8 * square);
}

// The cube root of a positive share, by Newton's method: the same on every platform.
float cube_root(float share) {
  float root = 1;
  for (int step = 0; step < 12; ++step) root = (2 * root + share / (root * root)) / 3;
  return root;
}

// Bits per number that a base saves if this many of the triples have it: a number that is no
// multiple costs what the base saves, and saying which are costs their entropy. All three numbers
// of a triple must be multiples.
float saved_bits(std::uint64_t divisor, std::size_t count, std::size_t triples) {
  const float multiples = cube_root(static_cast<float>(count) / static_cast<float>(triples));
  return multiples * fast_log2(static_cast<float>(divisor)) - entropy(multiples);
}

// divisors: sorted.
Bases pick_bases(std::span<const std::uint64_t> divisors) {
  Bases bases;
  float max_saved = 0;
  float second_saved = 0;
  for (std::size_t i = 0; i < divisors.size();) {
    const std::uint64_t divisor = divisors[i];
    std::size_t end = i;
    while (end < divisors.size() && divisors[end] == divisor) ++end;
    const std::size_t equal = end - i;
    bases.common = binary_gcd(bases.common, divisor);
    i = end;
    if (!is_significant(divisor, equal, divisors.size())) continue;
    // Triples with a multiple of it have it, too.
    const auto count = static_cast<std::size_t>(
        std::count_if(divisors.begin(), divisors.end(),
                      [&](std::uint64_t other) { return other % divisor == 0; }));
    const float saved = saved_bits(divisor, count, divisors.size());
    if (saved <= second_saved) continue;
    const bool is_max = saved > max_saved;
    bases.second = is_max ? bases.first : divisor;
    second_saved = is_max ? max_saved : saved;
    if (is_max) bases.first = divisor;
    if (is_max) max_saved = saved;
  }
  return bases;
}

template <class ValueAt>
Bases find_bases(const ValueAt& value_at, std::size_t n) {
  std::array<std::uint64_t, kGcdTriples> divisors;
  std::uint64_t random = 0x2545f4914f6cdd1du;
  for (std::size_t i = 0; i < kGcdTriples; ++i) {
    if (i == kFirstGcdTriples) {
      std::sort(divisors.begin(), divisors.begin() + kFirstGcdTriples);
      const Bases early = pick_bases(std::span(divisors).first(kFirstGcdTriples));
      if (early.first == 0 && early.common <= 1) return {};
      if (early.first > 1 && early.first == early.common) return early;
    }
    divisors[i] = triple_gcd(value_at, n, random);
  }
  std::sort(divisors.begin(), divisors.end());
  return pick_bases(divisors);
}

// Of the steps between numbers that follow each other in the sample. The few between its runs are
// like any others that have no base.
Bases bases_of_steps(const Sample& sample) {
  Bases bases = sample.latents.visit([](auto latents) {
    using L = typename decltype(latents)::value_type;
    // So that steps down are below steps up.
    constexpr L kHalf = L{1} << (8 * sizeof(L) - 1);
    return find_bases(
        [&](std::size_t i) { return static_cast<L>(latents[i + 1] - latents[i] + kHalf); },
        latents.size() - 1);
  });
  if (bases.first < kMinStepBase) return {};
  bases.common = 0;
  if (bases.second < kMinStepBase) bases.second = 0;
  return bases;
}

// The step of a clock whose ticks are late or early by chance, but do not drift: numbers near whole
// multiples of the step, from some number on. 0 if there is none. Differences of such numbers have
// the error of both; by multiples of the step each has its own alone.
//
// The step is measured over spans that double: a span of k steps shows it to 1/k of an error, which
// tells how many steps twice the span has.
template <Latent L>
std::uint64_t clock_step(std::span<const L> latents) {
  using S = std::make_signed_t<L>;
  // First steps, whose medians are the step and its error.
  constexpr std::size_t kProbes = 64;
  // Median errors of more than this share of a step leave nothing to gain.
  constexpr double kMaxErrorShare = 0.125;
  // With shorter steps an error is a number or two, for which deltas do as well.
  constexpr std::uint64_t kMinStep = 8;
  if (latents.size() < 2 * kProbes) return 0;
  std::array<double, kProbes> steps;
  const auto from_first = [&](std::size_t i) {
    return static_cast<double>(static_cast<S>(static_cast<L>(latents[i] - latents[0])));
  };
  for (std::size_t i = 0; i < kProbes; ++i) steps[i] = from_first(i + 1) - from_first(i);
  const auto median_of = [&] {
    std::nth_element(steps.begin(), steps.begin() + kProbes / 2, steps.end());
    return steps[kProbes / 2];
  };
  double step = median_of();
  for (double& one : steps) one = std::abs(one - step);
  const double error = median_of();
  if (!(std::abs(step) >= kMinStep) || error == 0 || error > kMaxErrorShare * std::abs(step)) {
    return 0;
  }
  for (std::size_t span = 2; span < latents.size(); span *= 2) {
    const double distance = from_first(span);
    const double times = std::round(distance / step);
    // An error of both numbers, at most.
    if (times < 1 || std::abs(distance - times * step) > 3 * kMaxErrorShare * std::abs(step)) {
      return 0;
    }
    step = distance / times;
  }
  const double whole = std::round(std::abs(step));
  const double n = static_cast<double>(latents.size());
  return std::abs(whole - std::abs(step)) * n < 8 * error ? static_cast<std::uint64_t>(whole) : 0;
}

}  // namespace

void propose_clock_step(const LatentArray& ordered, Candidates& candidates) {
  const std::uint64_t step = ordered.visit([](auto latents) {
    using L = typename decltype(latents)::value_type;
    return clock_step(std::span<const L>(latents));
  });
  if (step > 1) candidates.add(IntMult{step});
}

void propose_int_mult(const Sample& sample, Candidates& candidates) {
  if (sample.latents.n < kMinIntMultSampleN) return;
  Bases bases = sample.latents.visit([](auto latents) {
    return find_bases([&](std::size_t i) { return latents[i]; }, latents.size());
  });
  if (bases.first == 0) bases = bases_of_steps(sample);
  if (bases.first > 1) candidates.add(IntMult{bases.first});
  if (bases.second > 1) candidates.add(IntMult{bases.second});
  if (bases.common > 1 && bases.common != bases.first && bases.common != bases.second) {
    candidates.add(IntMult{bases.common});
  }
}

}  // namespace numpact::internal
