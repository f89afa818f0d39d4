// SPDX-License-Identifier: Apache-2.0
#include "pco/trailer/number_range.hpp"

#include <algorithm>

#include "number/float_traits.hpp"
#include "number/ordered.hpp"
#include "pco/stats/histogram.hpp"

namespace numpact::internal::trailer {
namespace {

// Numbers converted to ordered latents at once. A block stays in the L1 cache.
constexpr std::size_t kRangeBlockN = 1024;

// The ordered latents of minus and plus infinity for floats; latents outside are NaN. All latents
// for integers.
template <Latent L>
Range<L> numeric_range(NumberKind kind) {
  if constexpr (sizeof(L) > 1) {
    if (kind == NumberKind::kFloat) {
      constexpr unsigned kMantissaBits = FloatTraits<L>::kMantissaBits;
      constexpr L kInfinity =
          static_cast<L>(((L{1} << (kBits<L> - 1 - kMantissaBits)) - 1) << kMantissaBits);
      return {to_ordered(static_cast<L>(kInfinity | kMid<L>), kind), to_ordered(kInfinity, kind)};
    }
  }
  return {L{0}, static_cast<L>(~L{0})};
}

template <Latent L>
void add_block(std::span<const L> ordered, const Range<L>& numeric, ChunkRecord& record) {
  Range<L> range = range_of(ordered);
  if (range.lower < numeric.lower || range.upper > numeric.upper) {
    std::size_t nan_n = 0;
    range = {static_cast<L>(~L{0}), L{0}};
    for (const L latent : ordered) {
      const bool is_nan = latent < numeric.lower || latent > numeric.upper;
      nan_n += is_nan ? 1 : 0;
      if (is_nan) continue;
      range.lower = std::min(range.lower, latent);
      range.upper = std::max(range.upper, latent);
    }
    record.nan_n += static_cast<std::uint32_t>(nan_n);
    if (nan_n == ordered.size()) return;
  }
  record.min_latent = std::min<std::uint64_t>(record.min_latent, range.lower);
  record.max_latent = std::max<std::uint64_t>(record.max_latent, range.upper);
}

}  // namespace

void add_to_range(const NumberView& numbers, ChunkRecord& record) {
  const NumberKind kind = kind_of(numbers.type);
  visit_latent(latent_bits(numbers.type), [&](auto width) {
    using L = decltype(width);
    const Range<L> numeric = numeric_range<L>(kind);
    const auto* const data = static_cast<const std::byte*>(numbers.data);
    L ordered[kRangeBlockN];
    for (std::size_t at = 0; at < numbers.count; at += kRangeBlockN) {
      const std::size_t n = std::min(kRangeBlockN, numbers.count - at);
      to_ordered(data + at * sizeof(L), n, kind, ordered);
      add_block<L>({ordered, n}, numeric, record);
    }
  });
}

}  // namespace numpact::internal::trailer
