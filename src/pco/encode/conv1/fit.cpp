// SPDX-License-Identifier: Apache-2.0
// Fits the weights of Conv1: least squares through the normal equations, then a few rounds in which
// large errors count less, so that the centre of the errors is fitted and not the outliers. Weights
// are rounded to integers at the finest quantization that cannot overflow.
#include "pco/encode/conv1/fit.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/tuned.hpp"
#include "pco/bins/binning.hpp"
#include "pco/encode/conv1/equations.hpp"
#include "pco/encode/estimate/decode_cost.hpp"
#include "pco/mode/split.hpp"
#include "pco/stats/log2.hpp"

namespace numpact::internal {
namespace {

// The thresholds were set by the sizes of the shared columns (`./dev bench sizes`) against the time
// to encode them (`./dev bench levels`). Figures in comments are of the commit that set the value.

// The most latents that a fit of a requested order uses, and its rounds of reweighting. More are
// slower and hardly change the weights.
constexpr std::size_t kRequestedFitN = std::size_t{1} << 16;
NUMPACT_TUNED(unsigned, kRequestedReweightRounds, 3);
// The orders that are considered: neighbouring high orders hardly differ.
constexpr unsigned kConv1Orders[] = {1, 2, 4, 8, 12, 16, 24, 32};
// Penalty for each lag, as it takes time to decode.
NUMPACT_TUNED(float, kLagPenaltyBitsPerNumber, 0.002f);
// Reweighting, which can undo the effect of outliers, is tried if the least-squares weights take at
// most this ratio of the required bits.
NUMPACT_TUNED(float, kMaxUnreweightedRatio, 1.02f);
// Before all latents, a few runs of the sample are estimated: this many, of at most kMaxPruneRunN
// latents. The search ends there if the result exceeds the required bits by kPruneRatio, which
// covers the error of such a small sample.
NUMPACT_TUNED(std::size_t, kPruneRuns, 4);
NUMPACT_TUNED(std::size_t, kMaxPruneRunN, 256);
NUMPACT_TUNED(float, kPruneRatio, 1.15f);
// Latents of fewer bits are codes, which linear prediction does not fit.
NUMPACT_TUNED(float, kMinConv1BitsPerNumber, 1);
// Nor is it fitted to a chunk of fewer bits in all: its weights take some hundred bits.
NUMPACT_TUNED(float, kMinConv1ChunkBits, 4096);
// The format defines it for latents of at most this width.
constexpr unsigned kMaxConv1LatentBits = 32;
// Latents of a sample that suffice for least squares.
NUMPACT_TUNED(std::size_t, kLeastSquaresN, 8192);
// At most this many default samples are used.
NUMPACT_TUNED(std::size_t, kMaxDefaultSamples, 2);

// Added to mean squares of errors before their logarithm: about what rounding a prediction to an
// integer adds (1/12), so that an exact fit does not seem to save any number of bits.
NUMPACT_TUNED(double, kMinMeanSquareError, 0.1);

// A value that is further from both its neighbours than this many times the usual step, while the
// neighbours are near each other, is an outlier.
constexpr double kMinOutlierSteps = 32;

// Replaces single outliers by the mean of their neighbours: their squares would decide the weights.
void replace_outliers(std::span<double> values, std::size_t run_n) {
  // Steps whose median is the usual one.
  constexpr std::size_t kProbes = 64;
  if (values.size() < 2 * kProbes) return;
  std::array<double, kProbes> steps;
  for (std::size_t k = 0; k < kProbes; ++k) {
    const std::size_t i = k * (values.size() - 1) / kProbes;
    steps[k] = std::abs(values[i + 1] - values[i]);
  }
  std::nth_element(steps.begin(), steps.begin() + kProbes / 2, steps.end());
  const double limit = kMinOutlierSteps * std::max(1.0, steps[kProbes / 2]);
  for (std::size_t from = 0; from + run_n <= values.size(); from += run_n) {
    for (std::size_t i = from + 1; i + 1 < from + run_n; ++i) {
      const double before = values[i - 1];
      const double after = values[i + 1];
      if (std::abs(values[i] - before) > limit && std::abs(values[i] - after) > limit &&
          std::abs(after - before) < limit) {
        values[i] = (before + after) / 2;
      }
    }
  }
}

// Latents as doubles, less their mean.
template <Latent L>
struct Centred {
  CentredRuns runs;
  double mean = 0;

  Centred(std::span<const L> latents, std::size_t run_n, Arena& arena) {
    const std::span<double> values = arena.make<double>(latents.size());
    double sum = 0;
    for (const L latent : latents) sum += static_cast<double>(latent);
    mean = sum / static_cast<double>(latents.size());
    for (std::size_t i = 0; i < latents.size(); ++i) {
      values[i] = static_cast<double>(latents[i]) - mean;
    }
    replace_outliers(values, run_n);
    runs = {values, run_n};
  }
};

// A power of two as a double.
double power_of_two(unsigned exponent) { return static_cast<double>(std::uint64_t{1} << exponent); }

// Rounds half away from zero. False if the value is not below the limit in magnitude.
bool round_to_int(double value, double limit, std::int64_t& out) {
  if (!(std::abs(value) < limit)) return false;
  const double half = value < 0 ? -0.5 : 0.5;
  out = static_cast<std::int64_t>(value + half);
  return true;
}

// Rounds weights and bias to integers in units of 2^-quantization. False if they do not fit Conv1.
bool quantize(const LagWeights& weights, double mean, unsigned quantization, unsigned bits,
              Conv1& conv) {
  conv.quantization = quantization;
  const double scale = power_of_two(quantization);
  double sum = 0;
  for (unsigned j = 0; j < conv.order; ++j) {
    std::int64_t weight = 0;
    if (!round_to_int(weights[conv.order - 1 - j] * scale, 0x1p31, weight)) return false;
    if (weight != static_cast<std::int32_t>(weight)) return false;
    conv.weights[j] = static_cast<std::int32_t>(weight);
    sum += static_cast<double>(weight) / scale;
  }
  // Adds half a unit, since predictions are rounded down.
  if (!round_to_int((mean * (1 - sum) + 0.5) * scale, 0x1p62, conv.bias)) return false;
  return conv.is_valid(bits);
}

// At the finest quantization that is valid.
bool quantize(const LagWeights& weights, double mean, unsigned bits, Conv1& conv) {
  for (unsigned quantization = kMaxConv1Quantization + 1; quantization-- > 0;) {
    if (quantize(weights, mean, quantization, bits, conv)) return true;
  }
  return false;
}

// The first runs that hold n values together, or the middle n values if a run is longer.
CentredRuns limit_runs(const CentredRuns& runs, std::size_t n) {
  if (runs.run_n > n) return {runs.values.subspan((runs.run_n - n) / 2, n), n};
  const std::size_t kept = std::max<std::size_t>(1, n / runs.run_n) * runs.run_n;
  return {runs.values.first(std::min(runs.values.size(), kept)), runs.run_n};
}

// Refits the weights for `order` lags, starting from those that least squares gave. Each round
// weights a value by median / (median + error), where both are absolute errors.
void reweight(const CentredRuns& runs, unsigned order, unsigned rounds, LagWeights& weights,
              Arena& arena) {
  const ArenaScope scratch(arena);
  const std::size_t n = runs.values.size();
  const std::span<double> importances = arena.make<double>(n);
  const std::span<double> sorted = arena.make<double>(n);
  for (unsigned round = 0; round < rounds; ++round) {
    std::size_t errors = 0;
    for (std::size_t from = 0; from + runs.run_n <= n; from += runs.run_n) {
      const std::size_t first = from + order;
      lag_errors(runs.values.data() + first, runs.run_n - order, weights.data(), order,
                 importances.data() + first);
      for (std::size_t i = first; i < from + runs.run_n; ++i) {
        importances[i] = std::abs(importances[i]);
        sorted[errors++] = importances[i];
      }
    }
    if (errors == 0) return;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(errors / 2);
    std::nth_element(sorted.begin(), middle, sorted.begin() + static_cast<std::ptrdiff_t>(errors));
    const double median = std::max(*middle, 0.5);
    for (double& importance : importances) importance = median / (median + importance);
    LagWeights better{};
    if (!LagEquations(runs, importances, order).solve(order, better)) return;
    weights = better;
  }
}

// Estimated bits per number with these weights, penalties included.
template <Latent L>
float estimate_bits_with(const Sample& sample, std::span<const L> latents, const Conv1& conv,
                         Arena& arena) {
  const ArenaScope scratch(arena);
  const std::span<L> deltas = arena.make<L>(latents.size());
  std::size_t n = 0;
  for (std::size_t from = 0; from + sample.run_n <= latents.size(); from += sample.run_n) {
    conv1_deltas(conv, latents.data() + from, sample.run_n, deltas.data() + n);
    n += sample.run_n - conv.order;
  }
  const LatentArray stored(deltas.first(n));
  const float chunk_n = sample.scale * static_cast<float>(latents.size());
  const float bits = estimate_bits(stored, sample.scale, arena, sample.decode_weight * kCodesNs) /
                     static_cast<float>(n);
  const float order = static_cast<float>(conv.order);
  // The first latents of a page are stored as they are.
  const float state_bits = order * std::max(0.0f, static_cast<float>(kBits<L>) - bits);
  return bits + (static_cast<float>(conv.payload_bits()) + state_bits) / chunk_n +
         kLagPenaltyBitsPerNumber * order + sample.decode_weight * delta_ns(conv);
}

// Estimates a few runs of a larger sample, or parts of long runs. True if they are so
// far above the required bits that the rest need not be estimated.
template <Latent L>
bool is_pruned(const Sample& sample, std::span<const L> latents, const Conv1& conv,
               float required_bits, Arena& arena) {
  const ArenaScope scratch(arena);
  Sample few = sample;
  few.run_n = std::min(sample.run_n, kMaxPruneRunN);
  const std::size_t runs = latents.size() / few.run_n;
  if (runs < 2 * kPruneRuns) return false;
  few.scale = sample.scale * static_cast<float>(runs) / static_cast<float>(kPruneRuns);
  const std::span<L> few_latents = arena.make<L>(kPruneRuns * few.run_n);
  for (std::size_t k = 0; k < kPruneRuns; ++k) {
    const std::size_t run = (2 * k + 1) * runs / (2 * kPruneRuns);
    std::copy_n(latents.data() + run * few.run_n, few.run_n, few_latents.data() + k * few.run_n);
  }
  return estimate_bits_with(few, std::span<const L>(few_latents), conv, arena) >
         kPruneRatio * required_bits;
}

// Picks the order from the mean squares of the least-squares errors: bits per latent
// fall by half of the logarithm's fall.
unsigned pick_order(const LagErrors& errors, unsigned max_order, unsigned latent_bits,
                    float chunk_n) {
  // Metadata of each lag: a weight, and a latent that is stored as it is instead of as a delta.
  const unsigned metadata_bits = Conv1::kWeightBits + latent_bits / 2;
  const float lag_bits = static_cast<float>(metadata_bits);
  unsigned best = 0;
  float best_bits = HUGE_VALF;
  for (const unsigned order : kConv1Orders) {
    if (order > max_order) break;
    const float error = static_cast<float>(errors[order]);
    const float bits = 0.5f * fast_log2(error + static_cast<float>(kMinMeanSquareError)) +
                       static_cast<float>(order) * (kLagPenaltyBitsPerNumber + lag_bits / chunk_n);
    if (bits < best_bits) {
      best_bits = bits;
      best = order;
    }
  }
  return best;
}

// Whether the lags save at least half of required_bits compared with no delta or Consecutive.
// Lenient, since squares overstate what outliers cost.
bool explains_enough(const LagEquations& equations, const LagErrors& errors, unsigned order,
                     float required_bits) {
  const double unpredicted =
      std::min({errors[0], equations.difference_error(), equations.second_difference_error()});
  const double ratio = (unpredicted + kMinMeanSquareError) / (errors[order] + kMinMeanSquareError);
  return fast_log2(static_cast<float>(ratio)) > required_bits;
}

// At most max_n latents: some of the sample's runs, or the middle of its only one.
// Adjusts `sample`.
template <Latent L>
std::span<const L> limit_latents(Sample& sample, std::span<const L> latents, std::size_t max_n,
                                 Arena& arena) {
  const std::size_t n = latents.size();
  if (n <= max_n) return latents;
  sample.scale *= static_cast<float>(n);
  if (sample.run_n > max_n) {
    latents = latents.subspan((n - max_n) / 2, max_n);
    sample.run_n = max_n;
  } else {
    const std::size_t runs = n / sample.run_n;
    const std::size_t kept = std::max<std::size_t>(1, max_n / sample.run_n);
    const std::span<L> few = arena.make<L>(kept * sample.run_n);
    for (std::size_t k = 0; k < kept; ++k) {
      std::copy_n(latents.data() + k * runs / kept * sample.run_n, sample.run_n,
                  few.data() + k * sample.run_n);
    }
    latents = few;
  }
  sample.scale /= static_cast<float>(latents.size());
  return latents;
}

struct Conv1Estimate {
  Conv1 conv;
  float bits = 0;  // per number, metadata included
};

template <Latent L>
std::optional<Conv1Estimate> find_conv1(Sample sample, std::span<const L> latents, float to_beat,
                                        const EncodeEffort& effort, Arena& arena) {
  if (to_beat < kMinConv1BitsPerNumber) return std::nullopt;
  const ArenaScope scratch(arena);
  latents = limit_latents(sample, latents, kMaxDefaultSamples * effort.max_sample_n(), arena);
  const float chunk_n = sample.scale * static_cast<float>(latents.size());
  const unsigned max_order =
      std::min(chunk_n < static_cast<float>(kMinLongFitN) ? effort.max_conv1_order_short
                                                          : effort.max_conv1_order,
               static_cast<unsigned>(sample.run_n / 4));
  if (max_order < 2) return std::nullopt;
  Sample fitted = sample;
  const Centred<L> centred(
      limit_latents(fitted, latents, std::max(kLeastSquaresN, sample.run_n), arena), sample.run_n,
      arena);
  const LagEquations equations(centred.runs, max_order);
  const LagErrors errors = equations.errors();
  const unsigned order = pick_order(errors, max_order, kBits<L>, chunk_n);
  if (order == 0) return std::nullopt;
  if (!explains_enough(equations, errors, order, effort.conv1_required_saving_share * to_beat))
    return std::nullopt;
  LagWeights weights{};
  Conv1Estimate best;
  best.conv.order = order;
  if (!equations.solve(order, weights)) return std::nullopt;
  if (!quantize(weights, centred.mean, kBits<L>, best.conv)) return std::nullopt;
  const float required_bits = (1 - effort.conv1_required_saving_share) * to_beat;
  if (is_pruned(sample, latents, best.conv, required_bits, arena)) return std::nullopt;
  best.bits = estimate_bits_with(sample, latents, best.conv, arena);
  if (best.bits > kMaxUnreweightedRatio * required_bits) return std::nullopt;
  const CentredRuns few = limit_runs(centred.runs, effort.conv1_reweight_n());
  for (unsigned round = 0; round < effort.conv1_reweight_rounds; ++round) {
    reweight(few, order, 1, weights, arena);
    Conv1Estimate better;
    better.conv.order = order;
    if (!quantize(weights, centred.mean, kBits<L>, better.conv)) break;
    better.bits = estimate_bits_with(sample, latents, better.conv, arena);
    if (better.bits >= best.bits) break;
    best = better;
  }
  if (best.bits > required_bits) return std::nullopt;
  return best;
}

template <Latent L>
AnyDelta fit_requested(std::span<const L> latents, unsigned order, Arena& arena) {
  if (latents.size() <= 2 * std::size_t{order}) return NoDelta{};
  const std::size_t n = std::min(latents.size(), kRequestedFitN);
  const Centred<L> centred(latents.subspan((latents.size() - n) / 2, n), n, arena);
  LagWeights weights{};
  if (!LagEquations(centred.runs, order).solve(order, weights)) return NoDelta{};
  reweight(centred.runs, order, kRequestedReweightRounds, weights, arena);
  Conv1 conv;
  conv.order = order;
  if (!quantize(weights, centred.mean, kBits<L>, conv)) return NoDelta{};
  return conv;
}

}  // namespace

AnyDelta fit_delta(const AnyMode& mode, const LatentArray& ordered, unsigned order, Arena& arena) {
  const ArenaScope scratch(arena);
  return split(mode, ordered, arena).primary.visit([&](auto latents) -> AnyDelta {
    using L = typename decltype(latents)::value_type;
    if constexpr (kBits<L> <= kMaxConv1LatentBits) {
      return fit_requested<L>(latents, order, arena);
    } else {
      return NoDelta{};
    }
  });
}

bool may_have_weights(unsigned latent_bits, float chunk_bits) {
  return latent_bits <= kMaxConv1LatentBits && chunk_bits >= kMinConv1ChunkBits;
}

std::optional<FittedDelta> estimate_fitted(const Sample& sample, const LatentArray& latents,
                                           float to_beat, const EncodeEffort& effort,
                                           Arena& arena) {
  return latents.visit([&](auto span) -> std::optional<FittedDelta> {
    using L = typename decltype(span)::value_type;
    if constexpr (kBits<L> <= kMaxConv1LatentBits) {
      const std::optional<Conv1Estimate> best = find_conv1<L>(sample, span, to_beat, effort, arena);
      if (best) return FittedDelta{best->conv, best->bits};
    }
    return std::nullopt;
  });
}

}  // namespace numpact::internal
