// SPDX-License-Identifier: Apache-2.0
// Numbers of few significant bits end in zeros.
#include <algorithm>
#include <bit>

#include "number/ordered.hpp"
#include "pco/choose/bids.hpp"

namespace numpact {
namespace {

// Fewer trailing zeros are not worth a second variable, unless nearly all have them.
constexpr unsigned kMinK = 3;

template <FloatLatent L>
void bid(std::span<const L> latents, Candidates& candidates) {
  constexpr unsigned kMost = FloatTraits<L>::kMantissaBits;
  std::array<std::size_t, kMost + 1> counts{};  // latents by trailing zeros of the mantissa
  for (const L latent : latents) {
    const L bits = from_ordered(latent, NumberKind::kFloat);
    const unsigned zeros =
        std::min(kMost, static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(bits) |
                                                               (std::uint64_t{1} << kMost))));
    ++counts[zeros];
  }
  // The widest k that nearly all have; and the one that saves most if those that don't have it pay
  // for k bits.
  const std::size_t nearly_all = 19 * latents.size() / 20;
  unsigned widest = 0;
  unsigned best = 0;
  std::size_t best_saved = 0;
  std::size_t having = 0;
  for (unsigned k = kMost; k >= 1; --k) {
    having += counts[k];
    if (widest == 0 && having >= nearly_all) widest = k;
    if (k >= kMinK && k * having > best_saved) {
      best_saved = k * having;
      best = k;
    }
  }
  if (widest != 0) candidates.add(FloatQuant{widest});
  if (best != widest && 2 * best_saved > best * latents.size()) candidates.add(FloatQuant{best});
}

}  // namespace

void bid_float_quant(NumberType type, const Sample& sample, Candidates& candidates) {
  if (type == NumberType::kF16) bid<std::uint16_t>(sample.latents.as<std::uint16_t>(), candidates);
  if (type == NumberType::kF32) bid<std::uint32_t>(sample.latents.as<std::uint32_t>(), candidates);
  if (type == NumberType::kF64) bid<std::uint64_t>(sample.latents.as<std::uint64_t>(), candidates);
}

}  // namespace numpact
