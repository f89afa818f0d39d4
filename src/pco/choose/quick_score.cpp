// SPDX-License-Identifier: Apache-2.0
#include "pco/choose/quick_score.hpp"

#include <algorithm>
#include <bit>

#include "pco/stats/histogram.hpp"
#include "pco/stats/log2.hpp"

namespace numpact {

void WidthCounts::add(std::uint64_t magnitude) {
  ++counts_[static_cast<std::size_t>(std::bit_width(magnitude))];
  ++total_;
}

float WidthCounts::bits() const {
  if (total_ == 0) return 0;
  float offsets = 0;
  for (std::size_t width = 1; width < counts_.size(); ++width) {
    // The leading bit costs nothing, the sign does.
    offsets += static_cast<float>(counts_[width]) * static_cast<float>(width);
  }
  return entropy(counts_, total_) + offsets / static_cast<float>(total_);
}

float entropy(std::span<const std::uint32_t> counts, std::size_t total) {
  const float log_total = fast_log2(static_cast<float>(total));
  float bits = 0;
  for (const std::uint32_t count : counts) {
    if (count == 0) continue;
    const float n = static_cast<float>(count);
    bits += n * (log_total - fast_log2(n));
  }
  return bits / static_cast<float>(total);
}

template <Latent L>
float rough_bits(std::span<const L> latents, bool is_centred) {
  if (latents.empty()) return 0;
  constexpr unsigned kBucketBits = 6;
  constexpr unsigned kSlotBits = 10;
  // Chance meetings of two values in a slot are common, of three rare.
  constexpr std::uint32_t kFrequent = 3;
  const float n = static_cast<float>(latents.size());
  const Range<L> range = range_of(latents);
  const unsigned width =
      static_cast<unsigned>(std::bit_width(static_cast<L>(range.upper - range.lower)));
  if (width == 0) return 0;
  const unsigned shift = width > kBucketBits ? width - kBucketBits : 0;
  std::array<std::uint32_t, std::size_t{1} << kBucketBits> buckets{};
  std::array<std::uint16_t, std::size_t{1} << kSlotBits> slots{};
  WidthCounts widths;
  const L origin = is_centred ? kMid<L> : range.lower;
  for (const L latent : latents) {
    ++buckets[static_cast<std::size_t>(static_cast<L>(latent - range.lower) >> shift)];
    ++slots[static_cast<std::size_t>((std::uint64_t{latent} * 0x9e3779b97f4a7c15u) >>
                                     (64 - kSlotBits))];
    const L up = static_cast<L>(latent - origin);
    widths.add(is_centred ? std::min(up, static_cast<L>(L{0} - up)) : up);
  }
  float bits = entropy(buckets, latents.size()) + static_cast<float>(shift);
  bits = std::min(bits, widths.bits() - (is_centred ? 0.0f : 1.0f));
  float frequent_bits = 0;
  float rare = n;
  for (const std::uint32_t count : slots) {
    if (count < kFrequent) continue;
    const float c = static_cast<float>(count);
    frequent_bits += c * fast_log2(n / c);
    rare -= c;
  }
  if (rare > 0) frequent_bits += rare * (bits + fast_log2(n / rare));
  return std::min(bits, frequent_bits / n);
}

#define NUMPACT_INSTANTIATE(L) template float rough_bits(std::span<const L>, bool);
NUMPACT_INSTANTIATE(std::uint8_t)
NUMPACT_INSTANTIATE(std::uint16_t)
NUMPACT_INSTANTIATE(std::uint32_t)
NUMPACT_INSTANTIATE(std::uint64_t)
#undef NUMPACT_INSTANTIATE

}  // namespace numpact
