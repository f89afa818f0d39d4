// SPDX-License-Identifier: Apache-2.0
// Differences of numbers with a common base have it as a divisor; so the greatest common divisors
// of random triples gather at the base and its small multiples.
#include <algorithm>
#include <bit>

#include "pco/encode/modes/gcd.hpp"
#include "pco/encode/modes/propose.hpp"

namespace numpact {
namespace {

constexpr std::size_t kTriples = 64;
// After so many it is plain where there is no base, and where one divides all.
constexpr std::size_t kFirstTriples = 32;
// To find a number that is another one.
constexpr std::size_t kTries = 6;

template <Latent L>
std::uint64_t triple_gcd(std::span<const L> latents, std::uint64_t& random) {
  const auto pick = [&]() -> std::uint64_t {
    random = random * 6364136223846793005u + 1442695040888963407u;
    return latents[static_cast<std::size_t>((random >> 32) * latents.size() >> 32)];
  };
  const auto distance = [](std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; };
  // Where most numbers are the same, others are sought for a while: what equals another one has no
  // difference to tell of.
  const auto pick_other = [&](std::uint64_t a, std::uint64_t b) {
    std::uint64_t other = pick();
    for (std::size_t tries = 1; tries < kTries && (other == a || other == b); ++tries) {
      other = pick();
    }
    return other;
  };
  const std::uint64_t first = pick();
  const std::uint64_t second = pick_other(first, first);
  return binary_gcd(distance(first, second), distance(first, pick_other(first, second)));
}

// The two divisors that save most: a bit for each power of two in every triple that has them. And
// the one of every difference.
struct Bases {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  std::uint64_t whole = 0;
};

// Whether more triples have the divisor than by chance: two differences of random numbers have it
// with a probability of 0.6 / d^2.
bool is_telling(std::uint64_t divisor, std::size_t count, std::size_t triples) {
  const std::uint64_t square = divisor < 64 ? divisor * divisor : 4096;
  return divisor > 1 && count > triples / 12 + triples * 5 / (8 * square);
}

// divisors: sorted.
Bases pick_bases(std::span<const std::uint64_t> divisors) {
  Bases bases;
  std::size_t most_saved = 0;
  std::size_t next_saved = 0;
  for (std::size_t i = 0; i < divisors.size();) {
    const std::uint64_t divisor = divisors[i];
    std::size_t end = i;
    while (end < divisors.size() && divisors[end] == divisor) ++end;
    const std::size_t saved = (end - i) * static_cast<std::size_t>(std::bit_width(divisor));
    if (is_telling(divisor, end - i, divisors.size()) && saved > next_saved) {
      const bool is_most = saved > most_saved;
      bases.second = is_most ? bases.first : divisor;
      next_saved = is_most ? most_saved : saved;
      if (is_most) bases.first = divisor;
      if (is_most) most_saved = saved;
    }
    bases.whole = binary_gcd(bases.whole, divisor);
    i = end;
  }
  return bases;
}

template <Latent L>
Bases find_bases(std::span<const L> latents) {
  std::array<std::uint64_t, kTriples> divisors;
  std::uint64_t random = 0x2545f4914f6cdd1du;
  for (std::size_t i = 0; i < kTriples; ++i) {
    if (i == kFirstTriples) {
      std::sort(divisors.begin(), divisors.begin() + kFirstTriples);
      const Bases early = pick_bases(std::span(divisors).first(kFirstTriples));
      if (early.first == 0 && early.whole <= 1) return {};
      if (early.first > 1 && early.first == early.whole) return early;
    }
    divisors[i] = triple_gcd(latents, random);
  }
  std::sort(divisors.begin(), divisors.end());
  return pick_bases(divisors);
}

}  // namespace

void bid_int_mult(const Sample& sample, Candidates& candidates) {
  if (sample.latents.n < 16) return;
  const Bases bases = sample.latents.visit([](auto span) {
    using L = typename decltype(span)::value_type;
    return find_bases(std::span<const L>(span));
  });
  if (bases.first > 1) candidates.add(IntMult{bases.first});
  if (bases.second > 1 && bases.second % bases.first != 0) candidates.add(IntMult{bases.second});
  if (bases.whole > 1 && bases.whole != bases.first && bases.whole != bases.second) {
    candidates.add(IntMult{bases.whole});
  }
}

}  // namespace numpact
