// SPDX-License-Identifier: Apache-2.0
// Proposes FloatQuant: numbers of few significant bits end in zeros, or nearly so if they were
// printed and read again.
#include <algorithm>
#include <bit>

#include "base/tuned.hpp"
#include "number/ordered.hpp"
#include "pco/encode/modes/propose.hpp"
#include "pco/stats/log2.hpp"

namespace numpact::internal {
namespace {

// The fewest trailing zeros that are worth a secondary variable, unless nearly all numbers have
// them.
NUMPACT_TUNED(unsigned, kMinQuantK, 3);
// Nearly all numbers are all but one in this many: those few may need a secondary variable.
NUMPACT_TUNED(std::size_t, kOutlierOneIn, 20);
// The bits per number that a k must save, less the cost of marking which numbers have it.
NUMPACT_TUNED(float, kMinQuantSavingBitsPerNumber, 0.5f);

// Numbers of smaller types that were printed with 15 digits and read as doubles are off by a few
// units in the last place: their low bits are nearly zero, or nearly overflow. These are the k of
// bfloat16, half and single precision in doubles.
constexpr unsigned kSmallerTypesK[] = {45, 42, 29};
// The low k bits are nearly zero if they are within 2^(k - kNearlyZeroLeadingBits) of zero or of
// overflow. Ten equal leading bits are unlikely by chance, and the error of 15 digits fits in
// the others.
NUMPACT_TUNED(unsigned, kNearlyZeroLeadingBits, 10);
// Numbers that are looked at for that.
NUMPACT_TUNED(std::size_t, kQuantProbes, 256);

// The k of a smaller type that most numbers were printed from, or 0.
unsigned find_smaller_type(std::span<const std::uint64_t> latents) {
  const std::size_t step = latents.size() / kQuantProbes + 1;
  for (const unsigned k : kSmallerTypesK) {
    const std::uint64_t mask = (std::uint64_t{1} << k) - 1;
    const std::uint64_t near = std::uint64_t{1} << (k - kNearlyZeroLeadingBits);
    std::size_t looked_at = 0;
    std::size_t near_n = 0;
    std::size_t exact_n = 0;
    for (std::size_t i = 0; i < latents.size(); i += step, ++looked_at) {
      const std::uint64_t low = from_ordered(latents[i], NumberKind::kFloat) & mask;
      exact_n += low == 0 ? 1 : 0;
      near_n += low != 0 && std::min(low, mask + 1 - low) < near ? 1 : 0;
    }
    // Zeros and other values with no low bits at all are exact in any type: most of the others, and
    // an eighth of all numbers, must be nearly exact.
    if (2 * near_n > looked_at - exact_n && 8 * near_n > looked_at) return k;
  }
  return 0;
}

Candidate candidate_of(unsigned k) {
  Candidate candidate{FloatQuant{k}};
  candidate.is_independent = true;
  return candidate;
}

template <FloatLatent L>
void propose(std::span<const L> latents, Candidates& candidates) {
  // Stored bits of the mantissa.
  constexpr unsigned kMantissaBits = FloatTraits<L>::kMantissaBits;
  const auto zeros_of = [](L latent) {
    const std::uint64_t bits = from_ordered(latent, NumberKind::kFloat);
    return static_cast<std::size_t>(std::countr_zero(bits | (std::uint64_t{1} << kMantissaBits)));
  };
  // Counts latents by trailing zeros of the mantissa. Several tables avoid waiting for a counter
  // that was just incremented.
  constexpr std::size_t kTables = 4;
  std::array<std::array<std::uint32_t, kMantissaBits + 1>, kTables> tables{};
  std::size_t i = 0;
  for (; i + kTables <= latents.size(); i += kTables) {
    for (std::size_t t = 0; t < kTables; ++t) ++tables[t][zeros_of(latents[i + t])];
  }
  for (; i < latents.size(); ++i) ++tables[0][zeros_of(latents[i])];
  const auto count = [&](unsigned k) -> std::size_t {
    return tables[0][k] + tables[1][k] + tables[2][k] + tables[3][k];
  };
  // Two proposals: the largest k that nearly all numbers have, and the k that saves most if the
  // cost of marking the numbers that have it is subtracted.
  const std::size_t nearly_all = (kOutlierOneIn - 1) * latents.size() / kOutlierOneIn;
  unsigned largest = 0;
  unsigned best = 0;
  float best_saved = kMinQuantSavingBitsPerNumber;
  std::size_t best_count = 0;
  std::size_t having = 0;
  for (unsigned k = kMantissaBits; k >= 1; --k) {
    having += count(k);
    if (largest == 0 && having >= nearly_all) largest = k;
    if (k < kMinQuantK || having == 0) continue;
    const float share = static_cast<float>(having) / static_cast<float>(latents.size());
    const float saved = share * static_cast<float>(k) - entropy(share);
    if (saved > best_saved) {
      best_saved = saved;
      best_count = having;
      best = k;
    }
  }
  if (largest != 0) candidates.add(candidate_of(largest));
  const bool has_best = best != 0 && best != largest;
  if (has_best) {
    Candidate candidate = candidate_of(best);
    candidate.fits_minority = 2 * best_count < latents.size();
    candidates.add(candidate);
  }
  if constexpr (sizeof(L) == 8) {
    const unsigned k = largest < kMantissaBits ? find_smaller_type(latents) : 0;
    if (k != 0 && k != largest && !(has_best && k == best)) candidates.add(candidate_of(k));
  }
}

}  // namespace

void propose_float_quant(NumberType type, const Sample& sample, Candidates& candidates) {
  if (type == NumberType::kF16)
    propose<std::uint16_t>(sample.latents.as<std::uint16_t>(), candidates);
  if (type == NumberType::kF32)
    propose<std::uint32_t>(sample.latents.as<std::uint32_t>(), candidates);
  if (type == NumberType::kF64)
    propose<std::uint64_t>(sample.latents.as<std::uint64_t>(), candidates);
}

}  // namespace numpact::internal
