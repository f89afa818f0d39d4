// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/estimate/sample.hpp"
#include "base/tuned.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace numpact::internal {
namespace {

// Numbers in each run of a sample: long enough for deltas of high orders and for weights, short
// enough for many runs.
NUMPACT_TUNED(std::size_t, kSampleRunN, 128);
// Lower bounds of the sample size; chunks of fewer numbers are sampled whole, unless the level's
// limit is lower.
NUMPACT_TUNED(std::size_t, kMinDefaultSampleN, 2048);
// Of the large sample, in numbers, whatever the limit of the level is.
constexpr std::size_t kMinLargeSampleN = std::size_t{1} << 15;
// A chunk's default sample is this fraction of its numbers.
NUMPACT_TUNED(std::size_t, kDefaultSampledOneIn, 8);

// The shift of each run within its slice of the numbers. A fixed pseudorandom sequence: encoding
// stays deterministic, and periods in the data do not meet the same phase in every run.
class Shifts {
 public:
  // 0 to max_shift.
  std::size_t next(std::size_t max_shift) {
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>((random_ >> 33) % (max_shift + 1));
  }

 private:
  std::uint64_t random_ = 0x9e3779b97f4a7c15u;
};

}  // namespace

std::size_t default_sample_n(std::size_t n, std::size_t max_n) {
  return std::min(std::max(n / kDefaultSampledOneIn, kMinDefaultSampleN), max_n);
}

std::size_t large_sample_n(std::size_t n, std::size_t max_n) {
  return std::min(n, std::max(kMinLargeSampleN, max_n));
}

Sample take_sample(const LatentArray& ordered, std::size_t sample_n, Arena& arena) {
  const std::size_t n = ordered.n;
  return ordered.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    Sample sample;
    const bool take_all = n <= sample_n + kSampleRunN;
    const std::size_t runs = take_all ? 1 : sample_n / kSampleRunN;
    sample.run_n = take_all ? n : kSampleRunN;
    const std::span<L> copy = arena.make<L>(runs * sample.run_n);
    Shifts shifts;
    for (std::size_t run = 0; run < runs; ++run) {
      const std::size_t begin = run * n / runs;
      const std::size_t max_shift = (run + 1) * n / runs - begin - sample.run_n;
      const std::size_t from = begin + shifts.next(max_shift);
      std::copy_n(latents.begin() + static_cast<std::ptrdiff_t>(from), sample.run_n,
                  copy.begin() + static_cast<std::ptrdiff_t>(run * sample.run_n));
    }
    sample.latents = LatentArray(copy);
    sample.scale = static_cast<float>(n) / static_cast<float>(copy.size());
    return sample;
  });
}

float spread_of_runs(const Sample& sample) {
  const std::size_t runs = sample.latents.n / sample.run_n;
  if (runs < 2) return 0;
  return sample.latents.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    float sum = 0;
    float squares = 0;
    for (std::size_t run = 0; run < runs; ++run) {
      std::uint32_t width = 0;
      for (std::size_t i = run * sample.run_n + 1; i < (run + 1) * sample.run_n; ++i) {
        const L up = static_cast<L>(latents[i] - latents[i - 1]);
        const L magnitude = std::min(up, static_cast<L>(L{0} - up));
        width += static_cast<std::uint32_t>(std::bit_width(magnitude));
      }
      const float mean = static_cast<float>(width) / static_cast<float>(sample.run_n - 1);
      sum += mean;
      squares += mean * mean;
    }
    const float n = static_cast<float>(runs);
    const float variance = std::max(0.0f, squares / n - sum * sum / (n * n));
    return std::sqrt(variance / n);
  });
}

Sample take_subsample(const Sample& sample, std::size_t subsample_n, Arena& arena) {
  // Shorter runs would show no deltas of higher orders.
  NUMPACT_TUNED(std::size_t, kMinSubsampleRunN, 16);
  // A sample of one run is divided into at least this many slices.
  NUMPACT_TUNED(std::size_t, kMinSubsampleRuns, 32);
  const std::size_t n = sample.latents.n;
  if (n <= subsample_n) return sample;
  const bool is_one_run = sample.run_n == n;
  const std::size_t all_runs = is_one_run ? kMinSubsampleRuns : n / sample.run_n;
  const std::size_t runs = std::min(all_runs, subsample_n / kMinSubsampleRunN);
  return sample.latents.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    Sample subsample;
    subsample.decode_weight = sample.decode_weight;
    subsample.run_n = subsample_n / runs;
    const std::span<L> copy = arena.make<L>(runs * subsample.run_n);
    Shifts shifts;
    for (std::size_t run = 0; run < runs; ++run) {
      // From a sample of several runs, the first latents of some; from a sample of one, a shifted
      // part of each slice.
      const std::size_t begin = run * n / runs;
      const std::size_t max_shift = (run + 1) * n / runs - begin - subsample.run_n;
      const std::size_t from =
          is_one_run ? begin + shifts.next(max_shift) : run * all_runs / runs * n / all_runs;
      std::copy_n(latents.begin() + static_cast<std::ptrdiff_t>(from), subsample.run_n,
                  copy.begin() + static_cast<std::ptrdiff_t>(run * subsample.run_n));
    }
    subsample.latents = LatentArray(copy);
    subsample.scale = sample.scale * static_cast<float>(n) / static_cast<float>(copy.size());
    return subsample;
  });
}

}  // namespace numpact::internal
