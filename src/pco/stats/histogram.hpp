// SPDX-License-Identifier: Apache-2.0
// The initial bins of a latent variable: each frequent value has a bin of its own, the other
// latents are in groups of about equal count. Bin optimization then merges adjacent bins.
#pragma once

#include <algorithm>
#include <span>

#include "base/arena.hpp"
#include "number/latent.hpp"

namespace numpact::internal {

struct HistogramSpec {
  std::size_t max_values = 0;  // most frequent values that get a bin of their own
  std::size_t groups = 1;      // groups of the other latents
  // With many latents the bins are placed by a sample: one latent out of up to this many.
  std::size_t max_sample_stride = 1;
  // Smallest sample, in latents. Smaller samples miss values that are worth a bin.
  std::size_t min_sample_n = std::size_t{1} << 15;

  // Most bins of n latents. A frequent value closes a group, so it adds two bins at most.
  std::size_t max_bins(std::size_t n) const { return std::min(n, 2 * max_values + 2 * groups + 2); }
};

// Ascending, disjoint bins that together hold every latent. lowers[i] and uppers[i] are latents.
template <Latent L>
struct Histogram {
  std::span<const L> lowers;
  std::span<const L> uppers;
  std::span<const std::uint32_t> counts;

  std::size_t size() const { return counts.size(); }
};

// The interval index of each latent, a by-product of building a histogram. No interval extends over
// several bins, so the bin of a latent follows from its interval.
template <Latent L>
struct IntervalIndices {
  std::span<std::uint16_t> by_latent;  // memory of the caller; kUnmatched if not known
  std::span<const L> ends;      // upper end of each interval, ascending; empty: no indices were set
  std::size_t unmatched_n = 0;  // latents whose index is kUnmatched
};

// latents: at least 1. intervals: may be null. Result and intervals->ends are in the arena.
template <Latent L>
Histogram<L> make_histogram(std::span<const L> latents, const HistogramSpec& spec, Arena& arena,
                            IntervalIndices<L>* intervals = nullptr);

template <Latent L>
struct Range {
  L lower;
  L upper;
};
template <Latent L>
Range<L> range_of(std::span<const L> latents);

// Ranges of at most this many values are counted by value instead of sorted. A larger bound sorts
// less often, but the table of counts takes 4 bytes per value of the range.
inline constexpr std::uint64_t kMaxCountedRange = std::uint64_t{1} << 16;

}  // namespace numpact::internal
