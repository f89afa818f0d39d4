// SPDX-License-Identifier: Apache-2.0
// Rough costs of a latent variable, without a sort: enough to tell what is not worth weighing.
#ifndef NUMPACT_PCO_CHOOSE_QUICK_SCORE_HPP
#define NUMPACT_PCO_CHOOSE_QUICK_SCORE_HPP

#include <array>
#include <span>

#include "number/latent.hpp"

namespace numpact {

// Counts numbers by their width and tells what they would take with a bin for each width.
class WidthCounts {
 public:
  void add(std::uint64_t magnitude);
  // For each number; the sign of a magnitude costs a bit.
  float bits() const;

 private:
  std::array<std::uint32_t, 65> counts_{};
  std::uint32_t total_ = 0;
};

// The entropy of the counts, which add up to `total`, for each number.
float entropy(std::span<const std::uint32_t> counts, std::size_t total);

// Most that rough_bits looks at.
inline constexpr std::size_t kMostRoughN = 1024;

// Rough bits of each of at most kMostRoughN latents, each of which stands for `scale`: the lesser
// of two simple binnings, frequent values apart. Small distances from MID count as small if they
// are centred, else from the least.
template <Latent L>
float rough_bits(std::span<const L> latents, bool is_centred, float scale);

}  // namespace numpact

#endif
