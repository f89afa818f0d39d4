// SPDX-License-Identifier: Apache-2.0
// The inner loop of bin optimization.
#ifndef NUMPACT_PCO_CHOOSE_BIN_SEARCH_KERNEL_HPP
#define NUMPACT_PCO_CHOOSE_BIN_SEARCH_KERNEL_HPP

#include "number/latent.hpp"

namespace numpact {

// The last bin of a binning that ends before histogram bin `end`: where may it start?
template <Latent L>
struct MergeStep {
  const L* lowers;          // of the histogram's bins
  L upper;                  // of the one before `end`
  const float* cumulative;  // latents before each
  float cumulative_end;     // latents before `end`
  const float* best;        // the least cost of what lies before each
  float log_total;          // log2 of all latents
  float meta_bits;
  float min_count;    // a bin's weight costs as if it had at least so many latents
  std::size_t first;  // the first start allowed
  std::size_t end;
};

// The least cost over all starts in [first, end); `start` becomes the smallest that has it.
// `widths` and `candidates`: scratch of `end` floats.
template <Latent L>
float cheapest_merge(const MergeStep<L>& step, float* widths, float* candidates,
                     std::uint32_t& start);

}  // namespace numpact

#endif
