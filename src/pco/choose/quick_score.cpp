// SPDX-License-Identifier: Apache-2.0
#include "pco/choose/quick_score.hpp"

#include <bit>

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

}  // namespace numpact
