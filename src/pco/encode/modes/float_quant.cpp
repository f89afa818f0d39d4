// SPDX-License-Identifier: Apache-2.0
// Numbers of few significant bits end in zeros, or nearly so if they were printed and read again.
#include <algorithm>
#include <bit>

#include "number/ordered.hpp"
#include "pco/encode/modes/propose.hpp"
#include "pco/stats/log2.hpp"

namespace numpact {
namespace {

// Fewer trailing zeros are not worth a second variable, unless nearly all have them.
constexpr unsigned kMinK = 3;
// Nor are fewer bits a number.
constexpr float kMinSaved = 0.5f;

// Numbers of other types that were printed with 15 digits and read again are off by a few units in
// the last place: their low bits are nearly zero, or nearly what would carry over. k: of single,
// half and brain floats in doubles.
constexpr unsigned kOtherTypesK[] = {45, 42, 29};
// Nearly: so many bits less tell.
constexpr unsigned kTellingBits = 10;
constexpr std::size_t kProbes = 256;

// Its k, or 0.
unsigned find_other_type(std::span<const std::uint64_t> latents) {
  const std::size_t step = latents.size() / kProbes + 1;
  for (const unsigned k : kOtherTypesK) {
    const std::uint64_t mask = (std::uint64_t{1} << k) - 1;
    const std::uint64_t near = std::uint64_t{1} << (k - kTellingBits);
    std::size_t looked = 0;
    std::size_t near_n = 0;
    std::size_t exact_n = 0;
    for (std::size_t i = 0; i < latents.size(); i += step, ++looked) {
      const std::uint64_t low = from_ordered(latents[i], NumberKind::kFloat) & mask;
      exact_n += low == 0 ? 1 : 0;
      near_n += low != 0 && std::min(low, mask + 1 - low) < near ? 1 : 0;
    }
    // Zeros and the like are whole in any type.
    if (2 * near_n > looked - exact_n && 8 * near_n > looked) return k;
  }
  return 0;
}

template <FloatLatent L>
void bid(std::span<const L> latents, Candidates& candidates) {
  constexpr unsigned kMost = FloatTraits<L>::kMantissaBits;
  const auto zeros_of = [](L latent) {
    const std::uint64_t bits = from_ordered(latent, NumberKind::kFloat);
    return static_cast<std::size_t>(std::countr_zero(bits | (std::uint64_t{1} << kMost)));
  };
  // Latents by trailing zeros of the mantissa. Several tables, so that those that have as many
  // don't wait for their own counter.
  constexpr std::size_t kTables = 4;
  std::array<std::array<std::uint32_t, kMost + 1>, kTables> tables{};
  std::size_t i = 0;
  for (; i + kTables <= latents.size(); i += kTables) {
    for (std::size_t t = 0; t < kTables; ++t) ++tables[t][zeros_of(latents[i + t])];
  }
  for (; i < latents.size(); ++i) ++tables[0][zeros_of(latents[i])];
  const auto count = [&](unsigned k) -> std::size_t {
    return tables[0][k] + tables[1][k] + tables[2][k] + tables[3][k];
  };
  // The widest k that nearly all have; and the one that saves most if those that have it pay for
  // being told from the others.
  const std::size_t nearly_all = 19 * latents.size() / 20;
  unsigned widest = 0;
  unsigned best = 0;
  float best_saved = kMinSaved;
  std::size_t best_having = 0;
  std::size_t having = 0;
  for (unsigned k = kMost; k >= 1; --k) {
    having += count(k);
    if (widest == 0 && having >= nearly_all) widest = k;
    if (k < kMinK || having == 0) continue;
    const float share = static_cast<float>(having) / static_cast<float>(latents.size());
    const float saved = share * static_cast<float>(k) - entropy(share);
    if (saved > best_saved) {
      best_saved = saved;
      best_having = having;
      best = k;
    }
  }
  if (widest != 0) candidates.add(FloatQuant{widest});
  const bool has_best = best != 0 && best != widest;
  if (has_best) {
    Candidate candidate{FloatQuant{best}};
    candidate.suits_few = 2 * best_having < latents.size();
    candidates.add(candidate);
  }
  if constexpr (sizeof(L) == 8) {
    const unsigned k = widest < kMost ? find_other_type(latents) : 0;
    if (k != 0 && k != widest && !(has_best && k == best)) candidates.add(FloatQuant{k});
  }
}

}  // namespace

void bid_float_quant(NumberType type, const Sample& sample, Candidates& candidates) {
  if (type == NumberType::kF16) bid<std::uint16_t>(sample.latents.as<std::uint16_t>(), candidates);
  if (type == NumberType::kF32) bid<std::uint32_t>(sample.latents.as<std::uint32_t>(), candidates);
  if (type == NumberType::kF64) bid<std::uint64_t>(sample.latents.as<std::uint64_t>(), candidates);
}

}  // namespace numpact
