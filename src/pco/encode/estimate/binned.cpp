// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/estimate/binned.hpp"

#include <algorithm>

#include "pco/bins/binning.hpp"
#include "pco/encode/estimate/coarse.hpp"
#include "pco/wire.hpp"

namespace numpact {
namespace {

// Orders from the third on pay on smooth latents only, where the one before pays a lot.
constexpr float kGoOnShare = 0.97f;
// Of so few what each order keeps as it is hides what it saves.
constexpr float kFewForOrders = 128;
// Rough costs of modes are wrong by so much at most, hopefully; those of orders by more.
constexpr float kNearShare = 1.04f;
constexpr float kNearBits = 0.4f;
constexpr float kNearOrderShare = 1.05f;
constexpr float kNearOrderBits = 0.4f;
// And by the metadata of a bin or two of a whole chunk, which a rough look does not see.
constexpr float kUnseenMetaBits = 100;
// A second latent variable costs time to decode: it must save this many bits a number, or this
// share where numbers take next to nothing. Delta encoding it as well must save the other share.
constexpr float kSecondaryToll = 0.02f;
constexpr float kSecondaryTollShare = 0.05f;
constexpr float kSecondaryDeltaShare = 0.005f;
constexpr float kFavoredShare = 0.05f;
// With less there is too little to gain from its delta encoding.
constexpr float kCheapSecondary = 0.15f;
// Up to so many numbers of a chunk a rough look counts with it.
constexpr float kManyForSecondaryDeltas = 8192;

AnyDelta consecutive(unsigned order, bool secondary) {
  if (order == 0) return NoDelta{};
  return Consecutive{order, secondary};
}

struct WeighedOrder {
  unsigned order = 0;
  float bits = HUGE_VALF;
};

float chunk_n(const Sample& sample) { return sample.scale * static_cast<float>(sample.latents.n); }

// Of a page of a chunk that has one: its first `order` latents are stored as they are, the others
// take `bits` each.
float with_state(float bits, unsigned order, unsigned latent_bits, float n) {
  const float more = std::max(0.0f, static_cast<float>(latent_bits) - bits);
  return bits + static_cast<float>(order) * more / n;
}

// What a mode adds to a chunk's metadata: its parameters, but for a dictionary's entries, and a
// second variable without bins.
float mode_meta_bits(const AnyMode& mode, unsigned latent_bits) {
  constexpr unsigned kVariableBits = wire::kAnsSizeLogBits + wire::kBinCountBits;
  unsigned bits = 0;
  if (std::holds_alternative<IntMult>(mode) || std::holds_alternative<FloatMult>(mode)) {
    bits = latent_bits;
  } else if (std::holds_alternative<FloatQuant>(mode)) {
    bits = wire::kQuantKBits;
  }
  return static_cast<float>(bits + (has_secondary(mode) ? kVariableBits : 0));
}

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

struct BestOrders {
  WeighedOrder first;
  WeighedOrder second;

  void add(const WeighedOrder& way) {
    if (way.bits < first.bits) {
      second = first;
      first = way;
    } else if (way.bits < second.bits) {
      second = way;
    }
  }
};

// The best orders for a variable: tried one by one while it gets better.
BestOrders pick_orders(const Sample& sample, const LatentArray& latents, const RoughCost& rough,
                       unsigned most, Arena& arena) {
  const float near =
      kNearOrderShare * rough.least_primary() + kNearOrderBits + unseen_bits(chunk_n(sample));
  const bool is_short = chunk_n(sample) < kFewForOrders;
  BestOrders best;
  float before = HUGE_VALF;
  for (unsigned order = 0; order <= most; ++order) {
    if (order < rough.primary.size() && rough.primary[order] > near) {
      // Higher orders only follow good ones.
      if (order + 1 == rough.primary.size()) break;
      continue;
    }
    const float bits = weigh_consecutive(sample, latents, order, arena);
    const bool go_on = order < 2 || bits < (is_short ? 1 : kGoOnShare) * before;
    best.add({order, bits});
    const bool is_next_best =
        order + 1 < rough.primary.size() && rough.primary[order + 1] == rough.least_primary();
    if (order > 0 && (bits > before || !go_on) && !is_next_best) break;
    before = bits;
  }
  return best;
}

}  // namespace

float unseen_bits(float chunk_n) { return kUnseenMetaBits / chunk_n; }

bool is_near(float rough, float least, float chunk_n) {
  return rough <= kNearShare * least + kNearBits + unseen_bits(chunk_n);
}

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
    const float bits = estimate_bits(stored, sample.scale, arena) / static_cast<float>(stored.n);
    return with_state(bits, order, latents.bits, chunk_n(sample));
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
      const float bits = rough_bits(std::span<const L>(deltas), order > 0, few.scale);
      cost.primary[order] =
          with_state(bits, static_cast<unsigned>(order), latents.primary.bits, chunk_n(few));
      if (few.run_n < order + 2) break;
      deltas = differences(deltas, few.run_n - order);
    }
  });
  if (latents.secondary.exists()) {
    // Where the primary one is delta encoded, it may be as well. Of many numbers a few tell too
    // little of that, and a low guess keeps other modes out.
    const bool may_be_deltas = few.run_n > 1 && chunk_n(few) <= kManyForSecondaryDeltas &&
                               cost.least_primary() < cost.primary[0];
    cost.secondary = latents.secondary.visit([&](auto span) {
      using L = typename decltype(span)::value_type;
      const float bits = rough_bits(std::span<const L>(span), true, few.scale);
      if (!may_be_deltas || bits < kCheapSecondary) return bits;
      const std::span<const L> deltas = differences(span, few.run_n);
      return std::min(bits, rough_bits(deltas, true, few.scale));
    });
  }
  cost.secondary += mode_meta_bits(mode, few.latents.bits) / chunk_n(few);
  return cost;
}

Weighed weigh_mode(const AnyMode& mode, const Sample& sample, const RoughCost& rough,
                   const DeltaSpec& delta, const ChooseEffort& effort, Arena& arena) {
  const ArenaScope scratch(arena);
  const SplitLatents latents = split(mode, sample.latents, arena);
  const bool is_auto = delta.kind() == DeltaSpec::Kind::kAuto;
  WeighedOrder primary;
  WeighedOrder next;
  if (is_auto) {
    const BestOrders best = pick_orders(sample, latents.primary, rough, effort.max_order, arena);
    primary = best.first;
    next = best.second;
  } else {
    primary.order = delta.kind() == DeltaSpec::Kind::kConsecutive ? delta.order() : 0;
    primary.bits = weigh_consecutive(sample, latents.primary, primary.order, arena);
  }
  Weighed weighed{mode, consecutive(primary.order, false), primary.bits, 0};
  weighed.next_order = next.order;
  weighed.next_more_bits = next.bits - primary.bits;
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
  weighed.bits += secondary + mode_meta_bits(mode, sample.latents.bits) / chunk_n(sample);
  weighed.bits += std::min(kSecondaryToll, kSecondaryTollShare * weighed.bits);
  return weighed;
}

}  // namespace numpact
