// SPDX-License-Identifier: Apache-2.0
#include "pco/choose/weigh.hpp"

#include <algorithm>

#include "pco/choose/binning.hpp"

namespace numpact {
namespace {

constexpr float kGoOnShare = 0.97f;

}  // namespace

float weigh_consecutive(const Sample& sample, const LatentArray& latents, unsigned order,
                        Arena& arena) {
  const ArenaScope scratch(arena);
  const std::size_t run_n = sample.run_n;
  if (run_n <= order) return static_cast<float>(latents.bits);
  return latents.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    const std::size_t kept = run_n - order;
    const std::size_t runs = span.size() / run_n;
    const std::span<L> deltas = arena.make<L>(span.size());
    std::copy(span.begin(), span.end(), deltas.begin());
    if (order > 0) {
      L moments[kMaxConsecutiveOrder];
      for (std::size_t run = 0; run < runs; ++run) {
        L* const from = deltas.data() + run * run_n;
        encode_consecutive(std::span<L>(moments, order), from, run_n);
        if (run > 0) std::copy_n(from, kept, deltas.data() + run * kept);
      }
    }
    const LatentArray stored(deltas.first(runs * kept));
    return estimate_bits(stored, sample.scale, arena) / static_cast<float>(stored.n);
  });
}

WeighedDelta pick_order(const Sample& sample, const LatentArray& latents, Arena& arena) {
  WeighedDelta best{0, weigh_consecutive(sample, latents, 0, arena)};
  for (unsigned order = 1; order <= kMaxConsecutiveOrder; ++order) {
    const float bits = weigh_consecutive(sample, latents, order, arena);
    if (bits >= best.bits) break;
    // The next order pays on smooth latents only, where this one pays a lot.
    const bool go_on = bits < kGoOnShare * best.bits;
    best = {order, bits};
    if (!go_on) break;
  }
  return best;
}

}  // namespace numpact
