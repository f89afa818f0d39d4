// SPDX-License-Identifier: Apache-2.0
// Sorts with the vector quicksort where the target has one and the range is large. Otherwise radix
// sort on the difference to the smallest latent: two passes order by the upper two digits, and what
// they leave together is mostly one latent.
#include "pco/stats/sort.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/tuned.hpp"
#include "pco/stats/histogram.hpp"

namespace numpact::internal {
namespace {

// Largest digit: its 2^11 counters take 8 KiB. Larger digits need fewer passes but more counters.
NUMPACT_TUNED(unsigned, kMaxDigitBits, 11);
// Largest digit when there are fewer than kMinLongDigitsN latents.
NUMPACT_TUNED(unsigned, kFewLatentsDigitBits, 8);
// With fewer latents, clearing the counters of long digits costs more than additional passes.
NUMPACT_TUNED(std::size_t, kMinLongDigitsN, 4096);
// Up to this many latents std::sort is used: the passes have a fixed cost for their counters.
NUMPACT_TUNED(std::size_t, kMaxComparisonSortN, 48);
// Latents with equal upper digits that are sorted by insertion.
constexpr std::size_t kMaxInsertionSortN = 16;
// Keys of up to two long digits are sorted faster by radix than by comparing.
NUMPACT_TUNED(unsigned, kMaxRadixKeyBits, 2 * kMaxDigitBits);

// One pass of the radix sort: copies `in` to `out`, ordered by the digit at bit `shift` of the
// difference to `lower`. Stable.
template <Latent L>
void scatter(std::span<const L> in, L lower, unsigned shift, unsigned digit_bits, L* out) {
  std::uint32_t counts[std::size_t{1} << kMaxDigitBits];
  const std::size_t digits = std::size_t{1} << digit_bits;
  const L mask = static_cast<L>(digits - 1);
  const auto digit_of = [=](L x) { return static_cast<L>(x - lower) >> shift & mask; };
  std::memset(counts, 0, digits * sizeof(std::uint32_t));
  for (const L x : in) ++counts[digit_of(x)];
  std::uint32_t sum = 0;
  for (std::size_t digit = 0; digit < digits; ++digit) {
    const std::uint32_t count = counts[digit];
    counts[digit] = sum;
    sum += count;
  }
  for (const L x : in) out[counts[digit_of(x)]++] = x;
}

template <Latent L>
void insertion_sort(std::span<L> latents) {
  for (std::size_t i = 1; i < latents.size(); ++i) {
    const L x = latents[i];
    std::size_t at = i;
    for (; at > 0 && latents[at - 1] > x; --at) latents[at] = latents[at - 1];
    latents[at] = x;
  }
}

// Sorts by the upper two digits of the differences to `lower`. Latents that agree in them are few,
// or lie in a narrower range and are sorted likewise.
template <Latent L>
void radix_sort(std::span<L> latents, L lower, L upper, L* spare) {
  const unsigned bits = static_cast<unsigned>(std::bit_width(static_cast<L>(upper - lower)));
  const std::size_t n = latents.size();
  if (bits == 0) return;
  if (n <= kMaxComparisonSortN) {
    std::sort(latents.begin(), latents.end());
    return;
  }
  const unsigned max_digit_bits = n < kMinLongDigitsN ? kFewLatentsDigitBits : kMaxDigitBits;
  const unsigned low_bits = bits > 2 * max_digit_bits ? bits - 2 * max_digit_bits : 0;
  const unsigned digit_bits = (bits - low_bits + 1) / 2;
  scatter<L>(latents, lower, low_bits, digit_bits, spare);
  scatter<L>({spare, n}, lower, low_bits + digit_bits, digit_bits, latents.data());
  if (low_bits == 0) return;
  for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
    const L prefix = static_cast<L>(latents[begin] - lower) >> low_bits;
    for (end = begin + 1; end < n; ++end) {
      if (static_cast<L>(latents[end] - lower) >> low_bits != prefix) break;
    }
    const std::span<L> equal = latents.subspan(begin, end - begin);
    if (equal.size() <= kMaxInsertionSortN) {
      insertion_sort(equal);
    } else {
      const Range<L> range = range_of(std::span<const L>(equal));
      radix_sort(equal, range.lower, range.upper, spare);
    }
  }
}

}  // namespace

template <Latent L>
std::span<const L> sorted_copy(std::span<const L> latents, L lower, L upper, Arena& arena) {
  const std::size_t n = latents.size();
  const std::size_t slack = sizeof(L) >= 4 ? kSortSlackBytes / sizeof(L) : 0;
  const std::span<L> result = arena.make<L>(n + slack).first(n);
  const ArenaScope scratch(arena);
  const std::span<L> spare = arena.make<L>(n + slack);
  std::copy(latents.begin(), latents.end(), result.begin());
  const unsigned bits = static_cast<unsigned>(std::bit_width(static_cast<L>(upper - lower)));
  if constexpr (sizeof(L) >= 4) {
    if (n < kMinLongDigitsN || bits > kMaxRadixKeyBits) {
      if (sort_if_fast(result.data(), n, spare.data())) return result;
    }
  }
  radix_sort(result, lower, upper, spare.data());
  return result;
}

template std::span<const std::uint8_t> sorted_copy(std::span<const std::uint8_t>, std::uint8_t,
                                                   std::uint8_t, Arena&);
template std::span<const std::uint16_t> sorted_copy(std::span<const std::uint16_t>, std::uint16_t,
                                                    std::uint16_t, Arena&);
template std::span<const std::uint32_t> sorted_copy(std::span<const std::uint32_t>, std::uint32_t,
                                                    std::uint32_t, Arena&);
template std::span<const std::uint64_t> sorted_copy(std::span<const std::uint64_t>, std::uint64_t,
                                                    std::uint64_t, Arena&);

}  // namespace numpact::internal
