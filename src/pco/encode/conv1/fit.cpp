// SPDX-License-Identifier: Apache-2.0
// Least squares through the normal equations; then three rounds in which large errors count less,
// so that the centre of the errors is fitted and not the outliers. Weights are made whole numbers
// at the finest quantization that cannot overflow.
#include "pco/encode/conv1/fit.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "pco/bins/binning.hpp"
#include "pco/encode/conv1/equations.hpp"
#include "pco/mode/split.hpp"
#include "pco/stats/log2.hpp"

namespace numpact {
namespace {

// Latents that a fit looks at.
constexpr std::size_t kFitN = std::size_t{1} << 16;
constexpr unsigned kAskedRounds = 3;
constexpr unsigned kOrders[] = {1, 2, 4, 8, 12, 16, 24, 32};
// Each lag takes time to decode, and must save so many bits.
constexpr float kLagToll = 0.002f;
// What outliers may make least squares look worse than it is.
constexpr float kHope = 1.02f;
// A few runs tell as much roughly.
constexpr std::size_t kFewRuns = 4;
// So long, of longer ones.
constexpr std::size_t kLongRunN = 256;
constexpr float kHopeOfFew = 1.15f;
// With fewer bits for each number latents are codes, which no prediction hits.
constexpr float kMinBits = 1;
// Latents of a sample that are enough for least squares.
constexpr std::size_t kSampleFitN = 8192;
// Of a larger sample as much is weighed as so many usual ones hold.
constexpr std::size_t kUsualSamples = 2;

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
    runs = {values, run_n};
  }
};

// A power of two as a double.
double power_of_two(unsigned exponent) { return static_cast<double>(std::uint64_t{1} << exponent); }

// False if it does not fit.
bool round_to_int(double value, double limit, std::int64_t& out) {
  if (!(std::abs(value) < limit)) return false;
  const double half = value < 0 ? -0.5 : 0.5;
  out = static_cast<std::int64_t>(value + half);
  return true;
}

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
  // Half a unit more, since predictions are rounded down.
  if (!round_to_int((mean * (1 - sum) + 0.5) * scale, 0x1p62, conv.bias)) return false;
  return conv.is_valid(bits);
}

bool quantize(const LagWeights& weights, double mean, unsigned bits, Conv1& conv) {
  for (unsigned quantization = kMaxConv1Quantization + 1; quantization-- > 0;) {
    if (quantize(weights, mean, quantization, bits, conv)) return true;
  }
  return false;
}

// Of so many values: whole runs, or the middle of the one.
CentredRuns some_runs(const CentredRuns& runs, std::size_t n) {
  if (runs.run_n > n) return {runs.values.subspan((runs.run_n - n) / 2, n), n};
  const std::size_t kept = std::max<std::size_t>(1, n / runs.run_n) * runs.run_n;
  return {runs.values.first(std::min(runs.values.size(), kept)), runs.run_n};
}

// Weights for `order` lags, from those that least squares gave.
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

// Bits for each number under the weights.
template <Latent L>
float weigh(const Sample& sample, std::span<const L> latents, const Conv1& conv, Arena& arena) {
  const ArenaScope scratch(arena);
  const std::span<L> deltas = arena.make<L>(latents.size());
  std::size_t n = 0;
  for (std::size_t from = 0; from + sample.run_n <= latents.size(); from += sample.run_n) {
    conv1_deltas(conv, latents.data() + from, sample.run_n, deltas.data() + n);
    n += sample.run_n - conv.order;
  }
  const LatentArray stored(deltas.first(n));
  const float chunk_n = sample.scale * static_cast<float>(latents.size());
  const float bits = estimate_bits(stored, sample.scale, arena) / static_cast<float>(n);
  const float order = static_cast<float>(conv.order);
  // The page's first latents are stored as they are.
  const float state_bits = order * std::max(0.0f, static_cast<float>(kBits<L>) - bits);
  return bits + (static_cast<float>(conv.payload_bits()) + state_bits) / chunk_n + kLagToll * order;
}

// Whether the weights are far from enough by some of the sample's runs, or parts of long ones,
// where there are many.
template <Latent L>
bool is_hopeless(const Sample& sample, std::span<const L> latents, const Conv1& conv, float enough,
                 Arena& arena) {
  const ArenaScope scratch(arena);
  Sample some = sample;
  some.run_n = std::min(sample.run_n, kLongRunN);
  const std::size_t runs = latents.size() / some.run_n;
  if (runs < 2 * kFewRuns) return false;
  some.scale = sample.scale * static_cast<float>(runs) / static_cast<float>(kFewRuns);
  const std::span<L> taken = arena.make<L>(kFewRuns * some.run_n);
  for (std::size_t k = 0; k < kFewRuns; ++k) {
    const std::size_t run = (2 * k + 1) * runs / (2 * kFewRuns);
    std::copy_n(latents.data() + run * some.run_n, some.run_n, taken.data() + k * some.run_n);
  }
  return weigh(some, std::span<const L>(taken), conv, arena) > kHopeOfFew * enough;
}

// By the errors of least squares: bits fall by half of what the logarithm of their square does.
unsigned pick_order(const LagErrors& errors, unsigned most, unsigned latent_bits, float chunk_n) {
  // Each lag's: of the weight, and of a latent that is stored as it is.
  const unsigned whole_bits = wire::kConv1WeightBits + latent_bits / 2;
  const float lag_bits = static_cast<float>(whole_bits);
  unsigned best = 0;
  float best_bits = HUGE_VALF;
  for (const unsigned order : kOrders) {
    if (order > most) break;
    const float error = static_cast<float>(errors[order]);
    const float bits = 0.5f * fast_log2(error + 0.1f) +
                       static_cast<float>(order) * (kLagToll + lag_bits / chunk_n);
    if (bits < best_bits) {
      best_bits = bits;
      best = order;
    }
  }
  return best;
}

// Whether the lags explain enough more than differences do.
bool is_promising(const LagEquations& equations, const LagErrors& errors, unsigned order,
                  float wanted_bits) {
  const double plain =
      std::min({errors[0], equations.difference_error(), equations.second_difference_error()});
  const double ratio = (plain + 0.1) / (errors[order] + 0.1);
  return fast_log2(static_cast<float>(ratio)) > wanted_bits;
}

// So many latents at most: some of the sample's runs, or a part of its one.
template <Latent L>
std::span<const L> take_some(Sample& sample, std::span<const L> latents, std::size_t most_n,
                             Arena& arena) {
  const std::size_t n = latents.size();
  if (n <= most_n) return latents;
  sample.scale *= static_cast<float>(n);
  if (sample.run_n > most_n) {
    latents = latents.subspan((n - most_n) / 2, most_n);
    sample.run_n = most_n;
  } else {
    const std::size_t runs = n / sample.run_n;
    const std::size_t kept = std::max<std::size_t>(1, most_n / sample.run_n);
    const std::span<L> some = arena.make<L>(kept * sample.run_n);
    for (std::size_t k = 0; k < kept; ++k) {
      std::copy_n(latents.data() + k * runs / kept * sample.run_n, sample.run_n,
                  some.data() + k * sample.run_n);
    }
    latents = some;
  }
  sample.scale /= static_cast<float>(latents.size());
  return latents;
}

template <Latent L>
std::optional<WeighedConv1> search(Sample sample, std::span<const L> latents, float to_beat,
                                   const ChooseEffort& effort, Arena& arena) {
  if (to_beat < kMinBits) return std::nullopt;
  const ArenaScope scratch(arena);
  latents = take_some(sample, latents, kUsualSamples * effort.max_sample_n, arena);
  const float chunk_n = sample.scale * static_cast<float>(latents.size());
  const unsigned most =
      std::min(chunk_n < static_cast<float>(kFewForConv1) ? effort.max_conv1_order_of_few
                                                          : effort.max_conv1_order,
               static_cast<unsigned>(sample.run_n / 4));
  if (most < 2) return std::nullopt;
  const std::size_t fit_runs = std::max<std::size_t>(1, kSampleFitN / sample.run_n);
  const std::span<const L> fitted =
      latents.first(std::min(latents.size(), fit_runs * sample.run_n));
  const Centred<L> centred(fitted, sample.run_n, arena);
  const LagEquations equations(centred.runs, most);
  const LagErrors errors = equations.errors();
  const unsigned order = pick_order(errors, most, kBits<L>, chunk_n);
  if (order == 0) return std::nullopt;
  if (!is_promising(equations, errors, order, effort.conv1_toll * to_beat)) return std::nullopt;
  LagWeights weights{};
  WeighedConv1 best;
  best.conv.order = order;
  if (!equations.solve(order, weights)) return std::nullopt;
  if (!quantize(weights, centred.mean, kBits<L>, best.conv)) return std::nullopt;
  const float enough = (1 - effort.conv1_toll) * to_beat;
  if (is_hopeless(sample, latents, best.conv, enough, arena)) return std::nullopt;
  best.bits = weigh(sample, latents, best.conv, arena);
  if (best.bits > kHope * enough) return std::nullopt;
  const CentredRuns some = some_runs(centred.runs, effort.conv1_fit_n);
  for (unsigned round = 0; round < effort.conv1_rounds; ++round) {
    reweight(some, order, 1, weights, arena);
    WeighedConv1 better;
    better.conv.order = order;
    if (!quantize(weights, centred.mean, kBits<L>, better.conv)) break;
    better.bits = weigh(sample, latents, better.conv, arena);
    if (better.bits >= best.bits) break;
    best = better;
  }
  if (best.bits > enough) return std::nullopt;
  return best;
}

template <Latent L>
AnyDelta fit(std::span<const L> latents, unsigned order, Arena& arena) {
  if (latents.size() <= 2 * std::size_t{order}) return NoDelta{};
  const std::size_t n = std::min(latents.size(), kFitN);
  const Centred<L> centred(latents.subspan((latents.size() - n) / 2, n), n, arena);
  LagWeights weights{};
  if (!LagEquations(centred.runs, order).solve(order, weights)) return NoDelta{};
  reweight(centred.runs, order, kAskedRounds, weights, arena);
  Conv1 conv;
  conv.order = order;
  if (!quantize(weights, centred.mean, kBits<L>, conv)) return NoDelta{};
  return conv;
}

}  // namespace

AnyDelta fit_conv1(const AnyMode& mode, const LatentArray& ordered, unsigned order, Arena& arena) {
  const ArenaScope scratch(arena);
  return split(mode, ordered, arena).primary.visit([&](auto latents) -> AnyDelta {
    using L = typename decltype(latents)::value_type;
    if constexpr (sizeof(L) > 4) {
      return NoDelta{};
    } else {
      return fit<L>(latents, order, arena);
    }
  });
}

std::optional<WeighedConv1> weigh_conv1(const Sample& sample, const LatentArray& latents,
                                        float to_beat, const ChooseEffort& effort, Arena& arena) {
  return latents.visit([&](auto span) -> std::optional<WeighedConv1> {
    using L = typename decltype(span)::value_type;
    if constexpr (sizeof(L) > 4) {
      return std::nullopt;
    } else {
      return search<L>(sample, span, to_beat, effort, arena);
    }
  });
}

}  // namespace numpact
