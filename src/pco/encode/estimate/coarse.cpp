// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/estimate/coarse.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/tuned.hpp"
#include "pco/stats/histogram.hpp"
#include "pco/stats/log2.hpp"

namespace numpact::internal {

namespace {

// A slot of the hash table with at least this many latents counts as a frequent value: collisions
// of two different latents are common, those of three are rare.
NUMPACT_TUNED(std::uint32_t, kMinFrequentN, 3);

// The hash table has at least 2^kMinSlotsPerLatentLog2 slots per latent, which keeps collisions
// rare.
NUMPACT_TUNED(unsigned, kMinSlotsPerLatentLog2, 3);
// log2 of the slots of that table at most, so that it fits the L1 cache.
constexpr unsigned kMaxSlotsLog2 = 12;

// Metadata of a bin besides its lower bound, in bits: weight and offset width.
constexpr unsigned kCoarseBinFieldBits = 16;

// Units per bit in which logarithms are summed: integers add up faster than floats, and exactly.
constexpr float kLogUnitsPerBit = 4096;

constexpr std::uint32_t to_units(float bits) {
  const float units = bits * kLogUnitsPerBit;
  const std::uint32_t whole = static_cast<std::uint32_t>(units);
  return whole + (units - static_cast<float>(whole) >= 0.5f ? 1 : 0);
}

// c * log2(c) for every count c, in units.
constexpr auto kLogs = [] {
  std::array<std::uint32_t, kMaxCoarseN + 1> logs{};
  for (std::uint32_t count = 2; count < logs.size(); ++count) {
    const float c = static_cast<float>(count);
    logs[count] = to_units(c * fast_log2(c));
  }
  return logs;
}();

// The bits of the codes of `total` latents in bins, where `logs` is the sum of c * log2(c) over the
// bins' counts c: each latent of a bin takes log2(total / c) bits.
float code_bits(std::uint32_t logs, std::size_t total) {
  const float n = static_cast<float>(total);
  return n * fast_log2(n) - static_cast<float>(logs) / kLogUnitsPerBit;
}

// Counts latents by bit width, to estimate a binning with one bin for each width.
class WidthCounts {
 public:
  template <Latent L>
  void add(L magnitude) {
    ++counts_[static_cast<std::size_t>(std::bit_width(magnitude))];
    any_ |= magnitude;
  }
  // Bits of the `total` latents counted, where a bin's metadata takes bin_bits. A latent of width w
  // takes w bits in a bin of its own: the leading bit is implied, and there is a sign bit, which
  // the caller subtracts if all latents are positive. All latents up to some width may share a bin;
  // the cheapest such width counts.
  float bits(std::size_t total, float bin_bits) const {
    float min_bits = HUGE_VALF;
    std::uint32_t logs = 0;  // of the bins of wider latents than those that share a bin
    std::uint32_t offsets = 0;
    std::uint32_t bins = 0;
    auto sharing = static_cast<std::uint32_t>(total);
    for (auto width = static_cast<std::uint32_t>(std::bit_width(any_)); sharing > 0; --width) {
      // In a shared bin the leading bit is not implied.
      const std::uint32_t shared = sharing * (width == 0 ? 0 : width + 1);
      min_bits = std::min(min_bits, code_bits(logs + kLogs[sharing], total) +
                                        static_cast<float>(offsets + shared) +
                                        static_cast<float>(bins + 1) * bin_bits);
      const std::uint32_t count = counts_[width];
      logs += kLogs[count];
      offsets += count * width;
      bins += count > 0 ? 1 : 0;
      sharing -= count;
    }
    return std::min(min_bits, code_bits(logs, total) + static_cast<float>(offsets) +
                                  static_cast<float>(bins) * bin_bits);
  }

 private:
  std::array<std::uint32_t, 65> counts_{};
  std::uint64_t any_ = 0;  // the bitwise or of all magnitudes
};

// Counts latents by their upper bits, to estimate a binning with bins of equal width.
class Buckets {
 public:
  // Upper bits of a latent that name its bucket.
  static constexpr unsigned kBucketsLog2 = 6;

  void add(std::size_t bucket) { ++counts_[bucket]; }
  // Bits of the `total` latents counted, which have lower_bits below the bucket, where a bin's
  // metadata takes bin_bits. Tries the buckets themselves and groups of 4 and 16 of them: fewer
  // bins are cheaper if there are few latents. Destroys the counts.
  float bits(std::size_t total, unsigned lower_bits, float bin_bits) {
    // Buckets that become one in a step.
    constexpr unsigned kGroupLog2 = 2;
    constexpr std::size_t kGroup = std::size_t{1} << kGroupLog2;
    float min_bits = HUGE_VALF;
    for (std::size_t n = counts_.size(); n > 1; n /= kGroup, lower_bits += kGroupLog2) {
      std::uint32_t logs = 0;
      std::uint32_t bins = 0;
      for (std::size_t i = 0; i < n; ++i) {
        logs += kLogs[counts_[i]];
        bins += counts_[i] > 0 ? 1 : 0;
      }
      const float offsets = static_cast<float>(total) * static_cast<float>(lower_bits);
      min_bits = std::min(min_bits,
                          code_bits(logs, total) + offsets + static_cast<float>(bins) * bin_bits);
      for (std::size_t i = 0; i < n; i += kGroup) {
        counts_[i / kGroup] = std::accumulate(&counts_[i], &counts_[i] + kGroup, std::uint32_t{0});
      }
    }
    return min_bits;
  }

 private:
  std::array<std::uint32_t, std::size_t{1} << kBucketsLog2> counts_{};
};

// Latents divided into frequent values and the rest.
template <Latent L>
struct FrequencySplit {
  std::uint32_t logs = 0;    // sum of c * log2(c) over the frequent counts c, in units
  std::uint32_t values = 0;  // how many values are frequent
  std::uint32_t rare_n = 0;
  std::array<L, kMaxCoarseN> rare;
};

// Counts latents by hash, so collisions may join rare values into a frequent one. A value is
// frequent if its own bin saves more than its metadata of value_bits: at most count times width.
template <Latent L>
FrequencySplit<L> split_by_frequency(std::span<const L> latents, unsigned width, float value_bits) {
  FrequencySplit<L> result;
  const unsigned slot_bits =
      std::min(kMaxSlotsLog2,
               static_cast<unsigned>(std::bit_width(latents.size() - 1)) + kMinSlotsPerLatentLog2);
  const auto slot_of = [slot_bits](L latent) {
    return static_cast<std::size_t>((std::uint64_t{latent} * 0x9e3779b97f4a7c15u) >>
                                    (64 - slot_bits));
  };
  std::array<std::uint16_t, std::size_t{1} << kMaxSlotsLog2> counts;
  std::memset(counts.data(), 0, sizeof counts[0] << slot_bits);
  std::array<std::uint16_t, kMaxCoarseN> slots;
  const std::uint32_t frequent =
      std::max(kMinFrequentN, static_cast<std::uint32_t>(value_bits / static_cast<float>(width)));
  for (std::size_t i = 0; i < latents.size(); ++i) {
    const std::size_t slot = slot_of(latents[i]);
    slots[i] = static_cast<std::uint16_t>(slot);
    const std::uint32_t count = ++counts[slot];
    result.logs += count < frequent ? 0 : kLogs[count] - (count == frequent ? 0 : kLogs[count - 1]);
    result.values += count == frequent ? 1 : 0;
  }
  // Collects the rare latents without branches, which would be mispredicted.
  for (std::size_t i = 0; i < latents.size(); ++i) {
    result.rare[result.rare_n] = latents[i];
    result.rare_n += counts[slots[i]] < frequent ? 1 : 0;
  }
  return result;
}

// Bits of the rare latents within `range`, of bit width `width`, under the cheapest simple binning.
template <Latent L>
float rare_bits(std::span<const L> rare, const Range<L>& range, unsigned width, bool is_centred,
                float value_bits) {
  const unsigned shift = width > Buckets::kBucketsLog2 ? width - Buckets::kBucketsLog2 : 0;
  Buckets buckets;
  WidthCounts widths;
  const L origin = is_centred ? kMid<L> : range.lower;
  // Small signed numbers that are stored as unsigned ones lie on both sides of zero.
  const bool may_wrap = !is_centred && kBits<L> <= 16 && width == kBits<L>;
  WidthCounts wrapped;
  for (const L latent : rare) {
    buckets.add(static_cast<std::size_t>(static_cast<L>(latent - range.lower) >> shift));
    const L up = static_cast<L>(latent - origin);
    widths.add(is_centred ? std::min(up, static_cast<L>(L{0} - up)) : up);
    if (may_wrap) wrapped.add(std::min(latent, static_cast<L>(L{0} - latent)));
  }
  const float rare_n = static_cast<float>(rare.size());
  const float linear = buckets.bits(rare.size(), shift, value_bits);
  const float logarithmic = widths.bits(rare.size(), value_bits) - (is_centred ? 0.0f : rare_n);
  const float min_bits = std::min(linear, logarithmic);
  return may_wrap ? std::min(min_bits, wrapped.bits(rare.size(), value_bits)) : min_bits;
}

}  // namespace

template <Latent L>
float coarse_bits(std::span<const L> latents, bool is_centred, float scale, float codes_bits) {
  if (latents.empty()) return 0;
  // Metadata of a bin that holds a single value.
  NUMPACT_TUNED(float, kValueBits, kBits<L> + kCoarseBinFieldBits);
  const Range<L> range = range_of(latents);
  const unsigned width =
      static_cast<unsigned>(std::bit_width(static_cast<L>(range.upper - range.lower)));
  const float n = static_cast<float>(latents.size());
  const float value_bits = kValueBits / scale;
  if (width == 0) return value_bits / n;
  const FrequencySplit<L> split = split_by_frequency(latents, width, value_bits);
  const float rare_n = static_cast<float>(split.rare_n);
  float bits = (n - rare_n) * fast_log2(n) - static_cast<float>(split.logs) / kLogUnitsPerBit +
               static_cast<float>(split.values) * value_bits;
  if (split.rare_n > 0) {
    const std::span<const L> rare = std::span(split.rare).first(split.rare_n);
    const float binned = rare_bits(rare, range, width, is_centred, value_bits);
    bits += binned + rare_n * fast_log2(n / rare_n);
  }
  // One bin for all latents may be cheaper.
  return std::min(bits + n * codes_bits, value_bits + n * static_cast<float>(width)) / n;
}

#define NUMPACT_INSTANTIATE(L) template float coarse_bits(std::span<const L>, bool, float, float);
NUMPACT_INSTANTIATE(std::uint8_t)
NUMPACT_INSTANTIATE(std::uint16_t)
NUMPACT_INSTANTIATE(std::uint32_t)
NUMPACT_INSTANTIATE(std::uint64_t)
#undef NUMPACT_INSTANTIATE

}  // namespace numpact::internal
