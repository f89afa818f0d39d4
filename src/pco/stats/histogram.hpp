// SPDX-License-Identifier: Apache-2.0
// The starting bins of a latent variable: every frequent value by itself, the rest in groups of
// about equal count. Bin optimization merges neighbours of them.
#ifndef NUMPACT_PCO_STATS_HISTOGRAM_HPP
#define NUMPACT_PCO_STATS_HISTOGRAM_HPP

#include <algorithm>
#include <span>

#include "base/arena.hpp"
#include "number/latent.hpp"

namespace numpact {

struct HistogramSpec {
  std::size_t max_values = 0;  // frequent values that may have a bin of their own
  std::size_t groups = 1;      // for what lies between them
  // Where there are many latents, one out of up to so many says where bins begin.
  std::size_t most_sample_share = 1;
  // Smaller samples miss values that are worth a bin.
  std::size_t min_sample_n = std::size_t{1} << 15;

  // Of n latents. A frequent value ends the group before it, so it makes two bins at most.
  std::size_t most_bins(std::size_t n) const {
    return std::min(n, 2 * max_values + 2 * groups + 2);
  }
};

// Bins in ascending order, tight, not overlapping; together they hold every latent.
template <Latent L>
struct Histogram {
  std::span<const L> lowers;
  std::span<const L> uppers;
  std::span<const std::uint32_t> counts;

  std::size_t size() const { return counts.size(); }
};

// What making a histogram told of single latents: in which of many intervals they lie, none of
// which lies in several bins.
template <Latent L>
struct Places {
  std::span<std::uint16_t> of;  // by latent, memory of the caller's; kElsewhere if unknown
  std::span<const L> ends;      // the greatest latent of each interval, ascending; empty: not told
  std::size_t unknown_n = 0;    // latents
};

// latents: at least one. places: null if they are not wanted.
template <Latent L>
Histogram<L> make_histogram(std::span<const L> latents, const HistogramSpec& spec, Arena& arena,
                            Places<L>* places = nullptr);

template <Latent L>
struct Range {
  L lower;
  L upper;
};
template <Latent L>
Range<L> range_of(std::span<const L> latents);

// Ranges up to this are counted value by value instead of sorted.
inline constexpr std::uint64_t kCountableRange = std::uint64_t{1} << 16;

}  // namespace numpact

#endif
