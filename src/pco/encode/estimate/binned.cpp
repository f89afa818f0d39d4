// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/estimate/binned.hpp"

#include <algorithm>

#include "base/tuned.hpp"
#include "pco/bins/binning.hpp"
#include "pco/encode/estimate/coarse.hpp"
#include "pco/encode/estimate/decode_cost.hpp"
#include "pco/wire.hpp"

namespace numpact::internal {
namespace {

// The thresholds were set by the sizes of the shared columns (`./dev bench sizes`) against the time
// to encode them (`./dev bench levels`). Figures in comments are of the commit that set the value.

// From order 3 on, the next order is tried only if the last one took at most this ratio of the
// order before: high orders pay on smooth latents only. Higher values try more orders.
NUMPACT_TUNED(float, kMaxNextOrderRatio, 0.97f);
// Coarse estimates go on to the next order from 3 on if the last one took at most this ratio of the
// order before. Noise takes at least as many bits under each further order.
NUMPACT_TUNED(float, kCoarseNextOrderRatio, 0.9f);
// In chunks of fewer numbers any improvement goes on: the first latents of a page, which each order
// stores as they are, hide what the order saves.
NUMPACT_TUNED(float, kMinPrunedOrdersN, 128);
// Modes (orders of Consecutive) are estimated fully if their coarse estimate is at most this ratio
// of the best one plus these bits: the error of coarse estimates, larger between orders. Higher
// values cost encoding time.
NUMPACT_TUNED(float, kNearModeRatio, 1.04f);
NUMPACT_TUNED(float, kNearModeBitsPerNumber, 0.4f);
// The metadata of a bin or two, which a coarse estimate on a few hundred latents does not see, in
// bits per chunk.
NUMPACT_TUNED(float, kUnseenMetaBitsPerChunk, 100);
// Penalty for a secondary variable, which takes time to decode: this many bits per number, or this
// share if numbers take next to nothing. Half of it makes 0.031 % fewer bytes, twice of it as many.
NUMPACT_TUNED(float, kSecondaryPenaltyBitsPerNumber, 0.02f);
NUMPACT_TUNED(float, kMaxSecondaryPenaltyShare, 0.05f);
// Share of a number's bits that delta encoding the secondary variable must save.
NUMPACT_TUNED(float, kSecondaryDeltaMinSavingShare, 0.005f);
// A secondary variable of fewer bits per number has too little to gain from delta encoding.
NUMPACT_TUNED(float, kMinDeltaSecondaryBitsPerNumber, 0.15f);
// In chunks of at most this many numbers coarse estimates consider it. In longer ones a few latents
// show too little of it, and an estimate that is too low would exclude other modes.
NUMPACT_TUNED(float, kMaxCoarseSecondaryDeltaN, 8192);

struct OrderEstimate {
  unsigned order = 0;
  float bits = HUGE_VALF;
  float decode_ns = 0;
};

float chunk_n(const Sample& sample) { return sample.scale * static_cast<float>(sample.latents.n); }

// Adds the cost of a page's delta state for a chunk of one page: its first `order` latents are
// stored as they are, the others take `bits` each.
float with_state(float bits, unsigned order, unsigned latent_bits, float n) {
  const float extra_bits = std::max(0.0f, static_cast<float>(latent_bits) - bits);
  return bits + static_cast<float>(order) * extra_bits / n;
}

// The bits that a mode adds to a chunk's metadata: its parameters, except for a dictionary's
// entries, and a secondary variable without bins.
float mode_meta_bits(const AnyMode& mode, unsigned latent_bits) {
  // The header of a variable in the metadata.
  constexpr unsigned kVariableBits = wire::kAnsSizeLogBits + wire::kBinCountBits;
  return static_cast<float>(parameter_bits(mode, latent_bits) +
                            (has_secondary(mode) ? kVariableBits : 0));
}

// Replaces the latents by the differences of neighbours in each run of run_n, centred on kMid. In
// place; returns the differences.
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
  OrderEstimate first;
  OrderEstimate second;
  std::array<float, kMaxConsecutiveOrder + 1> by_order;

  BestOrders() { by_order.fill(HUGE_VALF); }
  void add(const OrderEstimate& estimate) {
    by_order[estimate.order] = estimate.bits;
    if (estimate.bits < first.bits) {
      second = first;
      first = estimate;
    } else if (estimate.bits < second.bits) {
      second = estimate;
    }
  }
};

// The best two orders for a variable. Tries orders in ascending order while the estimate falls.
BestOrders pick_orders(const Sample& sample, const LatentArray& latents,
                       const CoarseEstimate& coarse, unsigned max_order, Arena& arena) {
  const float near = coarse.error_ratio * coarse.min_primary() + coarse.error_bits +
                     unseen_meta_bits(chunk_n(sample));
  const bool is_short = chunk_n(sample) < kMinPrunedOrdersN;
  BestOrders best;
  float last_bits = HUGE_VALF;
  for (unsigned order = 0; order <= max_order; ++order) {
    if (order < coarse.orders && coarse.primary[order] > near) {
      // Higher orders are tried only after good ones.
      if (order + 1 == coarse.orders) break;
      continue;
    }
    float decode_ns = 0;
    const float bits = estimate_consecutive(sample, latents, order, arena, &decode_ns);
    const bool improves_enough =
        order < 2 || bits < (is_short ? 1 : kMaxNextOrderRatio) * last_bits;
    best.add({order, bits, decode_ns});
    const bool is_next_best =
        order + 1 < coarse.orders && coarse.primary[order + 1] == coarse.min_primary();
    if (order > 0 && (bits > last_bits || !improves_enough) && !is_next_best) break;
    last_bits = bits;
  }
  return best;
}

}  // namespace

AnyDelta consecutive(unsigned order, bool secondary) {
  if (order == 0) return NoDelta{};
  return Consecutive{order, secondary};
}

float unseen_meta_bits(float chunk_n) { return kUnseenMetaBitsPerChunk / chunk_n; }

float coarse_error_bits(float coarse, float chunk_n) {
  return (kNearModeRatio - 1) * coarse + kNearModeBitsPerNumber + unseen_meta_bits(chunk_n);
}

bool is_near_best(float coarse, float min_coarse, float chunk_n) {
  return coarse <= min_coarse + coarse_error_bits(min_coarse, chunk_n);
}

float estimate_consecutive(const Sample& sample, const LatentArray& latents, unsigned order,
                           Arena& arena, float* decode_ns) {
  const float codes_bits = sample.decode_weight * kCodesNs;
  const float order_ns = kOrderNs * static_cast<float>(order);
  bool has_codes = false;
  const auto priced = [&](float bits) {
    if (decode_ns != nullptr) *decode_ns = order_ns + (has_codes ? kCodesNs : 0);
    return bits + sample.decode_weight * order_ns;
  };
  const ArenaScope scratch(arena);
  const std::size_t run_n = sample.run_n;
  if (run_n <= order) return static_cast<float>(latents.bits);
  if (order == 0) {
    return priced(estimate_bits(latents, sample.scale, arena, codes_bits, &has_codes) /
                  static_cast<float>(latents.n));
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
    const float bits = estimate_bits(stored, sample.scale, arena, codes_bits, &has_codes) /
                       static_cast<float>(stored.n);
    return priced(with_state(bits, order, latents.bits, chunk_n(sample)));
  });
}

CoarseEstimate coarse_estimate(const AnyMode& mode, const Sample& subsample, unsigned max_order,
                               Arena& arena) {
  const ArenaScope scratch(arena);
  const SplitLatents latents = split(mode, subsample.latents, arena);
  const float codes_bits = subsample.decode_weight * kCodesNs;
  CoarseEstimate estimate;
  latents.primary.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    std::span<L> deltas = arena.make<L>(span.size());
    std::copy(span.begin(), span.end(), deltas.begin());
    estimate.primary.fill(HUGE_VALF);
    for (std::size_t order = 0; order <= std::max(max_order, kMinCoarseOrders - 1); ++order) {
      // Second differences are skipped if first ones are worse, except in 8 bits, where first
      // differences may wrap around although second ones are small. Sums of polynomials have
      // higher orders that save with each further one.
      if (order == 2 && sizeof(L) > 1 && estimate.primary[1] > estimate.primary[0]) break;
      if (order > 2 &&
          !(estimate.primary[order - 1] < kCoarseNextOrderRatio * estimate.primary[order - 2])) {
        break;
      }
      estimate.orders = std::max(estimate.orders, order + 1);
      const float bits =
          coarse_bits(std::span<const L>(deltas), order > 0, subsample.scale, codes_bits);
      estimate.primary[order] =
          subsample.decode_weight * kOrderNs * static_cast<float>(order) +
          with_state(bits, static_cast<unsigned>(order), latents.primary.bits, chunk_n(subsample));
      if (subsample.run_n < order + 2) break;
      deltas = differences(deltas, subsample.run_n - order);
    }
  });
  if (latents.secondary.exists()) {
    // The secondary variable may be delta encoded along with the primary one.
    const bool may_be_deltas = subsample.run_n > 1 &&
                               chunk_n(subsample) <= kMaxCoarseSecondaryDeltaN &&
                               estimate.min_primary() < estimate.primary[0];
    estimate.secondary = latents.secondary.visit([&](auto span) {
      using L = typename decltype(span)::value_type;
      const float bits = coarse_bits(std::span<const L>(span), true, subsample.scale, codes_bits);
      if (!may_be_deltas || bits < kMinDeltaSecondaryBitsPerNumber) return bits;
      const std::span<const L> deltas = differences(span, subsample.run_n);
      return std::min(bits, coarse_bits(deltas, true, subsample.scale, codes_bits));
    });
  }
  estimate.secondary += mode_meta_bits(mode, subsample.latents.bits) / chunk_n(subsample) +
                        subsample.decode_weight * mode_ns(mode);
  return estimate;
}

Estimate estimate_mode(const AnyMode& mode, const Sample& sample, const CoarseEstimate& coarse,
                       const DeltaSpec& delta, const EncodeEffort& effort, Arena& arena) {
  const ArenaScope scratch(arena);
  const SplitLatents latents = split(mode, sample.latents, arena);
  const bool is_auto = !delta.delta();
  OrderEstimate primary;
  OrderEstimate next;
  std::array<float, kMaxConsecutiveOrder + 1> by_order{};
  if (is_auto) {
    const BestOrders best =
        pick_orders(sample, latents.primary, coarse, effort.max_consecutive_order, arena);
    primary = best.first;
    next = best.second;
    by_order = best.by_order;
  } else {
    primary.order = delta.delta() == Delta::kConsecutive ? delta.order() : 0;
    primary.bits =
        estimate_consecutive(sample, latents.primary, primary.order, arena, &primary.decode_ns);
  }
  Estimate estimate{mode, consecutive(primary.order, false), primary.bits, 0};
  estimate.next_order = next.order;
  estimate.next_more_bits = next.bits - primary.bits;
  estimate.by_order = by_order;
  estimate.decode_bits = sample.decode_weight * primary.decode_ns;
  if (!latents.secondary.exists()) return estimate;
  float secondary_ns = 0;
  float secondary = estimate_consecutive(sample, latents.secondary, 0, arena, &secondary_ns);
  if (coarse.secondary_repeats) {
    const float repeated = estimate_repeated_bits(latents.secondary, sample.scale, arena);
    secondary = std::min(secondary, repeated / static_cast<float>(sample.latents.n) +
                                        sample.decode_weight * kCodesNs);
  }
  if (is_auto && primary.order > 0 && secondary > kMinDeltaSecondaryBitsPerNumber &&
      effort.secondary_deltas) {
    float deltas_ns = 0;
    const float deltas =
        estimate_consecutive(sample, latents.secondary, primary.order, arena, &deltas_ns);
    if (deltas < secondary - kSecondaryDeltaMinSavingShare * (primary.bits + secondary)) {
      secondary = deltas;
      secondary_ns = deltas_ns;
      estimate.delta = consecutive(primary.order, true);
    }
  }
  estimate.secondary_bits = secondary;
  estimate.bits += secondary + mode_meta_bits(mode, sample.latents.bits) / chunk_n(sample);
  estimate.bits += sample.decode_weight * mode_ns(mode);
  estimate.decode_bits += sample.decode_weight * (secondary_ns + mode_ns(mode));
  estimate.bits +=
      std::min(kSecondaryPenaltyBitsPerNumber, kMaxSecondaryPenaltyShare * estimate.bits);
  return estimate;
}

}  // namespace numpact::internal
