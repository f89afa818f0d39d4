// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/estimate/sample.hpp"

#include <algorithm>

namespace numpact {
namespace {

constexpr std::size_t kRunN = 128;
// Fewer are looked at all.
constexpr std::size_t kMinSampleN = 2048;
constexpr std::size_t kMinHintedSampleN = 1024;
constexpr std::size_t kLargeSampleN = std::size_t{1} << 15;

// Where each run lies in its own stretch of the numbers: a fixed sequence says so, so that periods
// in the data don't meet the same phase every time.
class Places {
 public:
  // 0 to room.
  std::size_t next(std::size_t room) {
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>((random_ >> 33) % (room + 1));
  }

 private:
  std::uint64_t random_ = 0x9e3779b97f4a7c15u;
};

}  // namespace

std::size_t usual_sample_n(std::size_t n, std::size_t most) {
  return std::min(std::max(n / 8, kMinSampleN), most);
}

std::size_t hinted_sample_n(std::size_t n) { return std::max(n / 16, kMinHintedSampleN); }

std::size_t large_sample_n(std::size_t n, std::size_t most) {
  return std::min(n, std::max(kLargeSampleN, most));
}

Sample take_sample(const LatentArray& ordered, std::size_t wanted, Arena& arena) {
  const std::size_t n = ordered.n;
  return ordered.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    Sample sample;
    const bool take_all = n <= wanted + kRunN;
    const std::size_t runs = take_all ? 1 : wanted / kRunN;
    sample.run_n = take_all ? n : kRunN;
    const std::span<L> copy = arena.make<L>(runs * sample.run_n);
    Places places;
    for (std::size_t run = 0; run < runs; ++run) {
      const std::size_t begin = run * n / runs;
      const std::size_t room = (run + 1) * n / runs - begin - sample.run_n;
      const std::size_t from = begin + places.next(room);
      std::copy_n(latents.begin() + static_cast<std::ptrdiff_t>(from), sample.run_n,
                  copy.begin() + static_cast<std::ptrdiff_t>(run * sample.run_n));
    }
    sample.latents = LatentArray(copy);
    sample.scale = static_cast<float>(n) / static_cast<float>(copy.size());
    return sample;
  });
}

Sample take_few(const Sample& sample, std::size_t wanted, Arena& arena) {
  constexpr std::size_t kLeastRunN = 16;
  constexpr std::size_t kFewRuns = 8;
  const std::size_t n = sample.latents.n;
  if (n <= wanted) return sample;
  const std::size_t all_runs = std::max(n / sample.run_n, kFewRuns);
  const std::size_t runs = std::min(all_runs, wanted / kLeastRunN);
  return sample.latents.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    Sample few;
    few.run_n = wanted / runs;
    const std::span<L> copy = arena.make<L>(runs * few.run_n);
    Places places;
    for (std::size_t run = 0; run < runs; ++run) {
      // Whole runs are taken from their beginnings; of one, each lies in its own stretch.
      const std::size_t begin = run * n / runs;
      const std::size_t room = (run + 1) * n / runs - begin - few.run_n;
      const std::size_t from =
          sample.run_n == n ? begin + places.next(room) : run * all_runs / runs * n / all_runs;
      std::copy_n(latents.begin() + static_cast<std::ptrdiff_t>(from), few.run_n,
                  copy.begin() + static_cast<std::ptrdiff_t>(run * few.run_n));
    }
    few.latents = LatentArray(copy);
    few.scale = sample.scale * static_cast<float>(n) / static_cast<float>(copy.size());
    return few;
  });
}

}  // namespace numpact
