// SPDX-License-Identifier: Apache-2.0
// Differences of numbers with a common base have it as a divisor; so the greatest common divisors
// of random triples gather at the base and its small multiples.
#include <algorithm>
#include <bit>
#include <numeric>

#include "pco/choose/bids.hpp"

namespace numpact {
namespace {

constexpr std::size_t kTriples = 192;
// The share of triples below which a divisor is taken for chance. Two differences of random numbers
// share the divisor d with probability 1 / d^2.
constexpr std::size_t kMinTriples = kTriples / 12;

std::uint64_t binary_gcd(std::uint64_t a, std::uint64_t b) {
  if (a == 0 || b == 0) return a | b;
  const int shift = std::countr_zero(a | b);
  a >>= std::countr_zero(a);
  while (b != 0) {
    b >>= std::countr_zero(b);
    if (a > b) std::swap(a, b);
    b -= a;
  }
  return a << shift;
}

template <Latent L>
std::uint64_t triple_gcd(std::span<const L> latents, std::uint64_t& random) {
  const auto pick = [&]() -> std::uint64_t {
    random = random * 6364136223846793005u + 1442695040888963407u;
    return latents[static_cast<std::size_t>((random >> 33) % latents.size())];
  };
  const auto distance = [](std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; };
  const std::uint64_t first = pick();
  return binary_gcd(distance(first, pick()), distance(first, pick()));
}

}  // namespace

void bid_int_mult(const Sample& sample, Candidates& candidates) {
  if (sample.latents.n < 16) return;
  std::array<std::uint64_t, kTriples> divisors{};
  sample.latents.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    std::uint64_t random = 0x2545f4914f6cdd1du;
    for (std::uint64_t& divisor : divisors) divisor = triple_gcd(std::span<const L>(span), random);
  });
  std::sort(divisors.begin(), divisors.end());
  // The divisor that most triples have, and the one that saves most: often but not always one.
  std::uint64_t commonest = 0;
  std::size_t commonest_count = 0;
  std::uint64_t whole = 0;  // divides every difference
  for (std::size_t i = 0; i < kTriples;) {
    std::size_t end = i;
    while (end < kTriples && divisors[end] == divisors[i]) ++end;
    const std::size_t count = end - i;
    if (divisors[i] > 1 && count >= kMinTriples && count > commonest_count) {
      commonest = divisors[i];
      commonest_count = count;
    }
    whole = binary_gcd(whole, divisors[i]);
    i = end;
  }
  if (commonest > 1) candidates.add(IntMult{commonest});
  if (whole > 1 && whole != commonest) candidates.add(IntMult{whole});
}

}  // namespace numpact
