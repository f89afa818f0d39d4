// SPDX-License-Identifier: Apache-2.0
#include "pco/choose/quick_score.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

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

// What the sum of c * log2(c) over all frequent counts c grows by when one becomes the index.
constexpr auto kLogSteps = [] {
  std::array<std::uint32_t, kMostRoughN + 1> steps{};
  float before = 0;
  for (std::uint32_t count = kFrequent; count < steps.size(); ++count) {
    const float c = static_cast<float>(count);
    const float sum = c * fast_log2(c);
    steps[count] = to_units(sum - before);
    before = sum;
  }
  return steps;
}();

// The entropy of counts that add up to `total`, of which the logarithms do to `logs`.
float entropy_of(std::uint32_t logs, std::size_t total) {
  const float n = static_cast<float>(total);
  return fast_log2(n) - static_cast<float>(logs) / kLogUnit / n;
}

// Numbers by their width, for what they would take with a bin for each.
class WidthCounts {
 public:
  template <Latent L>
  void add(L magnitude) {
    ++counts_[static_cast<std::size_t>(std::bit_width(magnitude))];
    any_ |= magnitude;
  }
  // For each of `total` numbers; a sign costs a bit.
  float bits(std::size_t total) const {
    std::uint32_t logs = 0;
    std::uint32_t offsets = 0;
    const auto most_width = static_cast<std::uint32_t>(std::bit_width(any_));
    for (std::uint32_t width = 0; width <= most_width; ++width) {
      logs += kLogs[counts_[width]];
      offsets += counts_[width] * width;
    }
    // The leading bit costs nothing, the sign does.
    return entropy_of(logs, total) + static_cast<float>(offsets) / static_cast<float>(total);
  }

 private:
  std::array<std::uint32_t, 65> counts_{};
  std::uint64_t any_ = 0;  // bits of any of them
};

}  // namespace

template <Latent L>
float rough_bits(std::span<const L> latents, bool is_centred, float scale) {
  if (latents.empty()) return 0;
  constexpr unsigned kBucketBits = 6;
  constexpr unsigned kMostSlotBits = 12;
  constexpr float kValueBits = kBits<L> + 16;
  const Range<L> range = range_of(latents);
  const unsigned width =
      static_cast<unsigned>(std::bit_width(static_cast<L>(range.upper - range.lower)));
  if (width == 0) return 0;
  const unsigned shift = width > kBucketBits ? width - kBucketBits : 0;
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
  std::uint32_t logs = 0;
  std::uint32_t values = 0;
  for (std::size_t i = 0; i < latents.size(); ++i) {
    const std::size_t place = slot_of(latents[i]);
    places[i] = static_cast<std::uint16_t>(place);
    const std::uint32_t count = ++slots[place];
    logs += kLogSteps[count];
    values += count == kFrequent ? 1 : 0;
  }
  // The rare ones, put together without branches, as these would not be foreseen.
  std::array<L, kMostRoughN> rare_latents;
  std::uint32_t rare = 0;
  for (std::size_t i = 0; i < latents.size(); ++i) {
    rare_latents[rare] = latents[i];
    rare += slots[places[i]] < kFrequent ? 1 : 0;
  }
  std::array<std::uint32_t, std::size_t{1} << kBucketBits> buckets{};
  WidthCounts widths;
  const L origin = is_centred ? kMid<L> : range.lower;
  // Small signed numbers, kept as unsigned ones, are small on both sides of zero.
  const bool may_wrap = !is_centred && kBits<L> <= 16 && width == kBits<L>;
  WidthCounts wrapped;
  for (const L latent : std::span(rare_latents).first(rare)) {
    ++buckets[static_cast<std::size_t>(static_cast<L>(latent - range.lower) >> shift)];
    const L up = static_cast<L>(latent - origin);
    widths.add(is_centred ? std::min(up, static_cast<L>(L{0} - up)) : up);
    if (may_wrap) wrapped.add(std::min(latent, static_cast<L>(L{0} - latent)));
  }
  const float n = static_cast<float>(latents.size());
  const float rare_n = static_cast<float>(rare);
  float bits = (n - rare_n) * fast_log2(n) - static_cast<float>(logs) / kLogUnit +
               static_cast<float>(values) * kValueBits / scale;
  if (rare > 0) {
    std::uint32_t bucket_logs = 0;
    for (const std::uint32_t count : buckets) bucket_logs += kLogs[count];
    const float linear = entropy_of(bucket_logs, rare) + static_cast<float>(shift);
    const float logarithmic = widths.bits(rare) - (is_centred ? 0.0f : 1.0f);
    const float least = std::min(linear, logarithmic);
    bits +=
        rare_n * ((may_wrap ? std::min(least, wrapped.bits(rare)) : least) + fast_log2(n / rare_n));
  }
  return bits / n;
}

#define NUMPACT_INSTANTIATE(L) template float rough_bits(std::span<const L>, bool, float);
NUMPACT_INSTANTIATE(std::uint8_t)
NUMPACT_INSTANTIATE(std::uint16_t)
NUMPACT_INSTANTIATE(std::uint32_t)
NUMPACT_INSTANTIATE(std::uint64_t)
#undef NUMPACT_INSTANTIATE

}  // namespace numpact
