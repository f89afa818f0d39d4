// SPDX-License-Identifier: Apache-2.0
// The tests, the fastest first. Numbers with structure usually fail the first run.
//
// 1. Runs of neighbours from the whole array: the upper bits of latents and of their differences
//    are spread as by chance. Finds stretches that compress.
// 2. Each byte of a sample is spread as by chance. Finds bins, FloatQuant, and bases with a factor
//    of 2.
// 3. No value occurs repeatedly in the sample. Finds frequent values.
// 4. Higher differences are spread as by chance, and no lag correlates. Finds Consecutive, Conv1.
// 5. Differences of random triples have no common divisor. Finds IntMult.
// 6. Values rarely recur in the array. Finds dictionaries and Lookback.
// 7. No distance at which numbers are similar.
//
// FloatMult needs no test: floats whose upper bits are uniform have exponents so different that
// hardly any two are multiples of one base.
#include "pco/encode/randomness.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>

#include "pco/encode/lookback/detect/repeats.hpp"
#include "pco/encode/lookback/fixed.hpp"
#include "pco/encode/modes/propose.hpp"

namespace numpact::internal {
namespace {

// Fewer numbers are not tested: encoding them costs less than the tests.
constexpr std::size_t kMinRandomN = 2048;
// Numbers in a run, and in each slice of the array that has a run; in short arrays slices are
// shorter.
constexpr std::size_t kRunN = 128;
constexpr std::size_t kSliceN = 2048;
constexpr std::size_t kShortSliceN = 256;
constexpr std::size_t kMinLongN = std::size_t{1} << 15;
// Runs of the samples of tests 2, 3 and 5, and of test 4.
constexpr std::size_t kMaxSampleRuns = 128;
constexpr std::size_t kMinSampleRuns = 8;
constexpr std::size_t kCorrelatedRuns = 6;
constexpr std::size_t kDifferenceRuns = 4;
// Random counts exceed the mean of a chi-squared statistic by more than this many standard
// deviations once in 10^9 statistics.
constexpr float kMaxDeviations = 8;
// Values of a sample that may occur twice, and one in this many of the array that may recur.
constexpr std::size_t kMaxEqualN = 2;
constexpr std::size_t kRepeatedOneIn = 64;
// The longest lag that is correlated, and the largest correlation: Conv1 must save a twenty-fifth
// of the bits, for which some lag correlates by more. By chance 576 products have .04.
constexpr std::size_t kMaxLag = 32;
constexpr float kMaxCorrelation = 0.16f;
// Share of the bits that one distance for all numbers must save.
constexpr float kMinSavingShare = 0.01f;

template <std::size_t kBuckets>
class Spread {
 public:
  void add(std::size_t bucket) { ++counts_[bucket]; }
  // Whether n random numbers may be spread as unevenly.
  bool is_uniform(std::size_t n) const {
    const float mean = static_cast<float>(n) / static_cast<float>(kBuckets);
    float squares = 0;
    for (const std::uint32_t count : counts_) {
      const float more = static_cast<float>(count) - mean;
      squares += more * more;
    }
    // Degrees of freedom of the statistic.
    constexpr float kFreedom = static_cast<float>(kBuckets - 1);
    return squares / mean < kFreedom + kMaxDeviations * std::sqrt(2 * kFreedom);
  }

 private:
  std::array<std::uint32_t, kBuckets> counts_{};
};

using Nibbles = Spread<16>;
using Bytes = Spread<256>;

template <Latent L>
std::size_t top_nibble(L latent) {
  return static_cast<std::size_t>(latent >> (kBits<L> - 4));
}

template <Latent L>
bool is_run_uniform(const L* run) {
  Nibbles latents;
  Nibbles differences;
  latents.add(top_nibble(run[0]));
  for (std::size_t i = 1; i < kRunN; ++i) {
    latents.add(top_nibble(run[i]));
    differences.add(top_nibble(static_cast<L>(run[i] - run[i - 1])));
  }
  return latents.is_uniform(kRunN) && differences.is_uniform(kRunN - 1);
}

template <Latent L>
bool are_runs_uniform(std::span<const L> latents) {
  const std::size_t step = latents.size() < kMinLongN ? kShortSliceN : kSliceN;
  for (std::size_t i = 0; i + kRunN <= latents.size(); i += step) {
    if (!is_run_uniform(&latents[i])) return false;
  }
  return is_run_uniform(&latents[latents.size() - kRunN]);
}

template <Latent L>
bool are_bytes_uniform(std::span<const L> sample) {
  std::array<Bytes, sizeof(L)> bytes;
  for (const L latent : sample) {
    for (std::size_t k = 0; k < sizeof(L); ++k) bytes[k].add(latent >> (8 * k) & 0xff);
  }
  return std::all_of(bytes.begin(), bytes.end(),
                     [&](const Bytes& spread) { return spread.is_uniform(sample.size()); });
}

template <Latent L>
bool has_frequent_value(std::span<const L> sample, Arena& arena) {
  const ArenaScope scratch(arena);
  const unsigned slots_log2 = static_cast<unsigned>(std::bit_width(sample.size()));
  const std::span<L> slots = arena.make<L>(std::size_t{1} << slots_log2);
  std::fill(slots.begin(), slots.end(), L{0});
  std::size_t equal_n = 0;
  for (const L latent : sample) {
    L& slot = slots[static_cast<std::size_t>((latent * kLookbackHashFactor) >> (64 - slots_log2))];
    equal_n += slot == latent ? 1 : 0;
    slot = latent;
  }
  return equal_n > kMaxEqualN;
}

// The differences of order 2 and more, of each run.
template <Latent L>
bool are_differences_uniform(std::span<const L> sample, Arena& arena) {
  const ArenaScope scratch(arena);
  const std::span<L> differences = arena.make<L>(sample.size());
  std::copy(sample.begin(), sample.end(), differences.begin());
  for (unsigned order = 1; order <= kMaxConsecutiveOrder; ++order) {
    Nibbles spread;
    std::size_t n = 0;
    for (std::size_t i = 0; i < differences.size(); i += kRunN) {
      for (std::size_t j = kRunN - 1; j >= order; --j, ++n) {
        differences[i + j] = static_cast<L>(differences[i + j] - differences[i + j - 1]);
        spread.add(top_nibble(differences[i + j]));
      }
    }
    if (!spread.is_uniform(n)) return false;
  }
  return true;
}

template <Latent L>
bool has_correlation(std::span<const L> sample) {
  std::array<float, kMaxLag + 1> products{};
  for (std::size_t i = 0; i < sample.size(); i += kRunN) {
    std::array<float, kRunN> centred;
    for (std::size_t j = 0; j < kRunN; ++j) {
      const auto upper = static_cast<std::uint32_t>(sample[i + j] >> (kBits<L> - 16));
      centred[j] = static_cast<float>(upper) - 32767.5f;
    }
    for (std::size_t lag = 0; lag <= kMaxLag; ++lag) {
      float sum = 0;
      for (std::size_t j = kMaxLag; j < kRunN; ++j) sum += centred[j] * centred[j - lag];
      products[lag] += sum;
    }
  }
  return std::any_of(products.begin() + 1, products.end(), [&](float product) {
    return std::fabs(product) > kMaxCorrelation * products[0];
  });
}

// Divisors up to 3 stand out of random triples now and then. Their remainders show whether they are
// bases.
template <Latent L>
bool is_base(std::uint64_t base, std::span<const L> sample) {
  if (base > 3) return true;
  std::array<std::size_t, 3> counts{};
  for (const L latent : sample) ++counts[static_cast<std::size_t>(latent % static_cast<L>(base))];
  const std::size_t most = *std::max_element(counts.begin(), counts.end());
  return 4 * most * static_cast<std::size_t>(base) > 5 * sample.size();
}

template <Latent L>
bool has_base(std::span<L> sample) {
  Candidates candidates;
  propose_int_mult({LatentArray(sample), kRunN, 1}, candidates);
  return std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& candidate) {
    return is_base(std::get<IntMult>(candidate.mode).base, std::span<const L>(sample));
  });
}

template <Latent L>
bool has_repeats(std::span<const L> latents, const PrefilterLevel& level, Arena& arena) {
  const ArenaScope scratch(arena);
  PageRepeats& repeats = *make_page_repeats(arena);
  find_repeats(latents, PageWindows(latents.size(), level), 1, {0, HUGE_VALF}, repeats, arena);
  return kRepeatedOneIn * repeats.values.repeated > repeats.values.examined;
}

bool has_distance(const LatentArray& ordered, Arena& arena) {
  const ArenaScope scratch(arena);
  const float bits = static_cast<float>(ordered.bits);
  const Estimate plain{Classic{}, Consecutive{1, false}, bits, 0};
  const auto fixed = find_fixed_lookback(ordered, {&plain, 1}, false, arena);
  return fixed && fixed->bits < (1 - kMinSavingShare) * bits;
}

// Evenly spaced runs, one after the other.
template <Latent L>
std::span<L> take_runs(std::span<const L> latents, std::size_t runs, Arena& arena) {
  const std::span<L> sample = arena.make<L>(runs * kRunN);
  const EvenPositions places(latents.size() - kRunN + 1, runs);
  for (std::size_t run = 0; run < runs; ++run) {
    std::copy_n(&latents[places[run]], kRunN, &sample[run * kRunN]);
  }
  return sample;
}

template <Latent L>
bool are_random(std::span<const L> latents, const LatentArray& ordered, const PrefilterLevel& level,
                Arena& arena) {
  if (!are_runs_uniform(latents)) return false;
  const ArenaScope scratch(arena);
  const std::size_t runs = std::clamp(latents.size() / kSliceN, kMinSampleRuns, kMaxSampleRuns);
  const std::span<L> taken = take_runs(latents, runs, arena);
  const std::span<const L> sample = taken;
  if (!are_bytes_uniform(sample) || has_frequent_value(sample, arena)) return false;
  const std::span<const L> some = take_runs(latents, kCorrelatedRuns, arena);
  // Conv1 is for latents of up to 32 bits.
  return are_differences_uniform(some.first(kDifferenceRuns * kRunN), arena) &&
         !(sizeof(L) == 4 && has_correlation(some)) && !has_base(taken) &&
         !has_repeats(latents, level, arena) && !has_distance(ordered, arena);
}

}  // namespace

bool looks_random(const LatentArray& ordered, const PrefilterLevel& level, Arena& arena) {
  if (ordered.n < kMinRandomN) return false;
  return ordered.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    if constexpr (sizeof(L) >= 4)
      return are_random(std::span<const L>(span), ordered, level, arena);
    return false;
  });
}

}  // namespace numpact::internal
