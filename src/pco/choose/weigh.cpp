// SPDX-License-Identifier: Apache-2.0
#include "pco/choose/weigh.hpp"

#include <algorithm>

#include "pco/choose/binning.hpp"
#include "pco/choose/quick_score.hpp"

namespace numpact {
namespace {

// Orders from the third on pay on smooth latents only, where the one before pays a lot.
constexpr float kGoOnShare = 0.97f;
// Rough costs of modes are wrong by so much at most, hopefully; those of orders by more.
constexpr float kNearShare = 1.04f;
constexpr float kNearBits = 0.4f;
constexpr float kNearOrderShare = 1.05f;
constexpr float kNearOrderBits = 0.4f;
// A second latent variable costs time to decode: it must save this many bits a number, or this
// share where numbers take next to nothing. Delta encoding it as well must save the other share.
constexpr float kSecondaryToll = 0.02f;
constexpr float kSecondaryTollShare = 0.05f;
constexpr float kSecondaryDeltaShare = 0.005f;
constexpr float kFavoredShare = 0.05f;
// With less there is too little to gain from its delta encoding.
constexpr float kCheapSecondary = 0.15f;

AnyDelta consecutive(unsigned order, bool secondary) {
  if (order == 0) return NoDelta{};
  return Consecutive{order, secondary};
}

struct WeighedOrder {
  unsigned order = 0;
  float bits = HUGE_VALF;
};

// In place: of neighbours in runs of run_n. Centred.
template <Latent L>
std::span<L> differences(std::span<L> latents, std::size_t run_n) {
  std::size_t n = 0;
  for (std::size_t from = 0; from + run_n <= latents.size(); from += run_n) {
    for (std::size_t i = from + 1; i < from + run_n; ++i) {
      latents[n++] = static_cast<L>(latents[i] - latents[i - 1] + kMid<L>);
    }
  }
  return latents.first(n);
}

// The best order for a variable: tried one by one while it gets better.
WeighedOrder pick_order(const Sample& sample, const LatentArray& latents, const RoughCost& rough,
                        unsigned most, Arena& arena) {
  const float near = kNearOrderShare * rough.least_primary() + kNearOrderBits;
  WeighedOrder best;
  float before = HUGE_VALF;
  for (unsigned order = 0; order <= most; ++order) {
    if (order < rough.primary.size() && rough.primary[order] > near) {
      // Higher orders only follow good ones.
      if (order + 1 == rough.primary.size()) break;
      continue;
    }
    const float bits = weigh_consecutive(sample, latents, order, arena);
    const bool go_on = order < 2 || bits < kGoOnShare * before;
    if (bits < best.bits) best = {order, bits};
    const bool is_next_best =
        order + 1 < rough.primary.size() && rough.primary[order + 1] == rough.least_primary();
    if (order > 0 && (bits > before || !go_on) && !is_next_best) break;
    before = bits;
  }
  return best;
}

}  // namespace

bool is_near(float rough, float least) { return rough <= kNearShare * least + kNearBits; }

float weigh_consecutive(const Sample& sample, const LatentArray& latents, unsigned order,
                        Arena& arena) {
  const ArenaScope scratch(arena);
  const std::size_t run_n = sample.run_n;
  if (run_n <= order) return static_cast<float>(latents.bits);
  if (order == 0) {
    return estimate_bits(latents, sample.scale, arena) / static_cast<float>(latents.n);
  }
  return latents.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    const std::size_t kept = run_n - order;
    const std::size_t runs = span.size() / run_n;
    const std::span<L> deltas = arena.make<L>(span.size());
    std::copy(span.begin(), span.end(), deltas.begin());
    L moments[kMaxConsecutiveOrder];
    for (std::size_t run = 0; run < runs; ++run) {
      L* const from = deltas.data() + run * run_n;
      encode_consecutive(std::span<L>(moments, order), from, run_n);
      if (run > 0) std::copy_n(from, kept, deltas.data() + run * kept);
    }
    const LatentArray stored(deltas.first(runs * kept));
    return estimate_bits(stored, sample.scale, arena) / static_cast<float>(stored.n);
  });
}

RoughCost rough_cost(const AnyMode& mode, const Sample& few, Arena& arena) {
  const ArenaScope scratch(arena);
  const SplitLatents latents = split(mode, few.latents, arena);
  RoughCost cost;
  latents.primary.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    std::span<L> deltas = arena.make<L>(span.size());
    std::copy(span.begin(), span.end(), deltas.begin());
    cost.primary.fill(HUGE_VALF);
    for (std::size_t order = 0; order < cost.primary.size(); ++order) {
      // In few bits differences wrap around, those of differences may not.
      if (order == 2 && sizeof(L) > 1 && cost.primary[1] > cost.primary[0]) break;
      cost.primary[order] = rough_bits(std::span<const L>(deltas), order > 0, few.scale);
      if (few.run_n < order + 2) break;
      deltas = differences(deltas, few.run_n - order);
    }
  });
  if (latents.secondary.exists()) {
    cost.secondary = latents.secondary.visit([&](auto span) {
      using L = typename decltype(span)::value_type;
      return rough_bits(std::span<const L>(span), true, few.scale);
    });
  }
  return cost;
}

Weighed weigh_mode(const AnyMode& mode, const Sample& sample, const RoughCost& rough,
                   const DeltaSpec& delta, const ChooseEffort& effort, Arena& arena) {
  const ArenaScope scratch(arena);
  const SplitLatents latents = split(mode, sample.latents, arena);
  const bool is_auto = delta.kind() == DeltaSpec::Kind::kAuto;
  WeighedOrder primary;
  if (is_auto) {
    primary = pick_order(sample, latents.primary, rough, effort.max_order, arena);
  } else {
    primary.order = delta.kind() == DeltaSpec::Kind::kConsecutive ? delta.order() : 0;
    primary.bits = weigh_consecutive(sample, latents.primary, primary.order, arena);
  }
  Weighed weighed{mode, consecutive(primary.order, false), primary.bits, 0};
  if (!latents.secondary.exists()) return weighed;
  float secondary = weigh_consecutive(sample, latents.secondary, 0, arena);
  if (is_auto && primary.order > 0 && secondary > kCheapSecondary && effort.secondary_deltas) {
    const float deltas = weigh_consecutive(sample, latents.secondary, primary.order, arena);
    const float share = effort.favors_decoding ? kFavoredShare : kSecondaryDeltaShare;
    if (deltas < secondary - share * (primary.bits + secondary)) {
      secondary = deltas;
      weighed.delta = consecutive(primary.order, true);
    }
  }
  weighed.secondary_bits = secondary;
  weighed.bits += secondary;
  weighed.bits += std::min(kSecondaryToll, kSecondaryTollShare * weighed.bits);
  return weighed;
}

}  // namespace numpact
