// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/estimate/coarse.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "pco/stats/histogram.hpp"
#include "pco/stats/log2.hpp"

namespace numpact {

namespace {

// From so many on a value counts as frequent: chance meetings of two in a slot are common, of three
// rare.
constexpr std::uint32_t kFrequent = 3;

// Logarithms in fractions of a bit, as whole numbers add up faster.
constexpr float kLogUnit = 4096;

constexpr std::uint32_t to_units(float bits) {
  const float units = bits * kLogUnit;
  const std::uint32_t whole = static_cast<std::uint32_t>(units);
  return whole + (units - static_cast<float>(whole) >= 0.5f ? 1 : 0);
}

// c * log2(c) of counts c.
constexpr auto kLogs = [] {
  std::array<std::uint32_t, kMostRoughN + 1> logs{};
  for (std::uint32_t count = 2; count < logs.size(); ++count) {
    const float c = static_cast<float>(count);
    logs[count] = to_units(c * fast_log2(c));
  }
  return logs;
}();

// What numbers take in bins with these counts, of which the logarithms add up to `logs`.
float code_bits(std::uint32_t logs, std::size_t total) {
  const float n = static_cast<float>(total);
  return n * fast_log2(n) - static_cast<float>(logs) / kLogUnit;
}

// Numbers by their width, for what they would take with a bin for each.
class WidthCounts {
 public:
  template <Latent L>
  void add(L magnitude) {
    ++counts_[static_cast<std::size_t>(std::bit_width(magnitude))];
    any_ |= magnitude;
  }
  // Of `total` numbers, if each bin takes bin_bits; a sign costs a bit. All up to some width may
  // share one.
  float bits(std::size_t total, float bin_bits) const {
    float least = HUGE_VALF;
    std::uint32_t logs = 0;  // of wider ones than those that share a bin
    std::uint32_t offsets = 0;
    std::uint32_t bins = 0;
    auto sharing = static_cast<std::uint32_t>(total);
    for (auto width = static_cast<std::uint32_t>(std::bit_width(any_)); sharing > 0; --width) {
      // The leading bit costs nothing where all have it, the sign does.
      const std::uint32_t shared = sharing * (width == 0 ? 0 : width + 1);
      least = std::min(least, code_bits(logs + kLogs[sharing], total) +
                                  static_cast<float>(offsets + shared) +
                                  static_cast<float>(bins + 1) * bin_bits);
      const std::uint32_t count = counts_[width];
      logs += kLogs[count];
      offsets += count * width;
      bins += count > 0 ? 1 : 0;
      sharing -= count;
    }
    return std::min(least, code_bits(logs, total) + static_cast<float>(offsets) +
                               static_cast<float>(bins) * bin_bits);
  }

 private:
  std::array<std::uint32_t, 65> counts_{};
  std::uint64_t any_ = 0;  // bits of any of them
};

// Numbers by their upper bits.
class Buckets {
 public:
  static constexpr unsigned kBits = 6;

  void add(std::size_t bucket) { ++counts_[bucket]; }
  // Of `total` numbers with so many lower bits, if each bin takes bin_bits: by the buckets, or by
  // equally many of them together, which pays where there are few numbers.
  float bits(std::size_t total, unsigned lower_bits, float bin_bits) {
    constexpr std::size_t kTogether = 4;
    float least = HUGE_VALF;
    for (std::size_t n = counts_.size(); n > 1; n /= kTogether, lower_bits += 2) {
      std::uint32_t logs = 0;
      std::uint32_t bins = 0;
      for (std::size_t i = 0; i < n; ++i) {
        logs += kLogs[counts_[i]];
        bins += counts_[i] > 0 ? 1 : 0;
      }
      const float offsets = static_cast<float>(total) * static_cast<float>(lower_bits);
      least =
          std::min(least, code_bits(logs, total) + offsets + static_cast<float>(bins) * bin_bits);
      for (std::size_t i = 0; i < n; i += kTogether) {
        counts_[i / kTogether] =
            std::accumulate(&counts_[i], &counts_[i] + kTogether, std::uint32_t{0});
      }
    }
    return least;
  }

 private:
  std::array<std::uint32_t, std::size_t{1} << kBits> counts_{};
};

}  // namespace

template <Latent L>
float rough_bits(std::span<const L> latents, bool is_centred, float scale) {
  if (latents.empty()) return 0;
  constexpr unsigned kMostSlotBits = 12;
  constexpr float kValueBits = kBits<L> + 16;
  const Range<L> range = range_of(latents);
  const unsigned width =
      static_cast<unsigned>(std::bit_width(static_cast<L>(range.upper - range.lower)));
  const float n = static_cast<float>(latents.size());
  const float value_bits = kValueBits / scale;
  if (width == 0) return value_bits / n;
  const unsigned shift = width > Buckets::kBits ? width - Buckets::kBits : 0;
  // At least eight slots for each.
  const unsigned slot_bits =
      std::min(kMostSlotBits, static_cast<unsigned>(std::bit_width(latents.size() - 1)) + 3);
  const auto slot_of = [slot_bits](L latent) {
    return static_cast<std::size_t>((std::uint64_t{latent} * 0x9e3779b97f4a7c15u) >>
                                    (64 - slot_bits));
  };
  std::array<std::uint16_t, std::size_t{1} << kMostSlotBits> slots;
  std::memset(slots.data(), 0, sizeof slots[0] << slot_bits);
  std::array<std::uint16_t, kMostRoughN> places;
  // A value's bin must save what it costs: its count times the width at most.
  const std::uint32_t frequent =
      std::max(kFrequent, static_cast<std::uint32_t>(value_bits / static_cast<float>(width)));
  std::uint32_t logs = 0;
  std::uint32_t values = 0;
  for (std::size_t i = 0; i < latents.size(); ++i) {
    const std::size_t place = slot_of(latents[i]);
    places[i] = static_cast<std::uint16_t>(place);
    const std::uint32_t count = ++slots[place];
    // The sum of c * log2(c) over all frequent counts c.
    logs += count < frequent ? 0 : kLogs[count] - (count == frequent ? 0 : kLogs[count - 1]);
    values += count == frequent ? 1 : 0;
  }
  // The rare ones, put together without branches, as these would not be foreseen.
  std::array<L, kMostRoughN> rare_latents;
  std::uint32_t rare = 0;
  for (std::size_t i = 0; i < latents.size(); ++i) {
    rare_latents[rare] = latents[i];
    rare += slots[places[i]] < frequent ? 1 : 0;
  }
  Buckets buckets;
  WidthCounts widths;
  const L origin = is_centred ? kMid<L> : range.lower;
  // Small signed numbers, kept as unsigned ones, are small on both sides of zero.
  const bool may_wrap = !is_centred && kBits<L> <= 16 && width == kBits<L>;
  WidthCounts wrapped;
  for (const L latent : std::span(rare_latents).first(rare)) {
    buckets.add(static_cast<std::size_t>(static_cast<L>(latent - range.lower) >> shift));
    const L up = static_cast<L>(latent - origin);
    widths.add(is_centred ? std::min(up, static_cast<L>(L{0} - up)) : up);
    if (may_wrap) wrapped.add(std::min(latent, static_cast<L>(L{0} - latent)));
  }
  const float rare_n = static_cast<float>(rare);
  float bits = (n - rare_n) * fast_log2(n) - static_cast<float>(logs) / kLogUnit +
               static_cast<float>(values) * value_bits;
  if (rare > 0) {
    const float linear = buckets.bits(rare, shift, value_bits);
    const float logarithmic = widths.bits(rare, value_bits) - (is_centred ? 0.0f : rare_n);
    float least = std::min(linear, logarithmic);
    if (may_wrap) least = std::min(least, wrapped.bits(rare, value_bits));
    bits += least + rare_n * fast_log2(n / rare_n);
  }
  // Or one bin for all.
  return std::min(bits, value_bits + n * static_cast<float>(width)) / n;
}

#define NUMPACT_INSTANTIATE(L) template float rough_bits(std::span<const L>, bool, float);
NUMPACT_INSTANTIATE(std::uint8_t)
NUMPACT_INSTANTIATE(std::uint16_t)
NUMPACT_INSTANTIATE(std::uint32_t)
NUMPACT_INSTANTIATE(std::uint64_t)
#undef NUMPACT_INSTANTIATE

}  // namespace numpact
