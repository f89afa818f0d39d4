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

// Largest digit: the 2^11 counters of two digits take 16 KiB. Larger digits need fewer passes but
// more counters.
constexpr unsigned kMaxDigitBits = 11;
// Largest digit when there are fewer than kMinLongDigitsN latents.
constexpr unsigned kFewLatentsDigitBits = 8;
// With fewer latents, clearing the counters of long digits costs more than additional passes.
NUMPACT_TUNED(std::size_t, kMinLongDigitsN, 4096);
// Up to this many latents std::sort is used: the passes have a fixed cost for their counters.
NUMPACT_TUNED(std::size_t, kMaxComparisonSortN, 48);
// Latents with equal upper digits that are sorted by insertion.
constexpr std::size_t kMaxInsertionSortN = 16;
// Keys of up to two long digits are sorted faster by radix than by comparing.
NUMPACT_TUNED(unsigned, kMaxRadixKeyBits, 2 * kMaxDigitBits);

// Two passes of the radix sort: copies `in` to `out`, ordered by the two digits from bit `shift` of
// the difference to `lower` up. Stable. Counts the digits of both passes at once, which reads the
// latents once less.
template <class Count, unsigned kMaxBits, Latent L>
void scatter(std::span<const L> in, L lower, unsigned shift, unsigned digit_bits, L* spare,
             L* out) {
  Count low_counts[std::size_t{1} << kMaxBits];
  Count high_counts[std::size_t{1} << kMaxBits];
  const std::size_t digits = std::size_t{1} << digit_bits;
  const L mask = static_cast<L>(digits - 1);
  const auto low_of = [=](L x) { return static_cast<L>(x - lower) >> shift & mask; };
  const auto high_of = [=](L x) { return static_cast<L>(x - lower) >> (shift + digit_bits); };
  std::memset(low_counts, 0, digits * sizeof(Count));
  std::memset(high_counts, 0, digits * sizeof(Count));
  for (const L x : in) {
    ++low_counts[low_of(x)];
    ++high_counts[high_of(x)];
  }
  std::uint32_t low_sum = 0;
  std::uint32_t high_sum = 0;
  for (std::size_t digit = 0; digit < digits; ++digit) {
    const std::uint32_t low = low_counts[digit];
    const std::uint32_t high = high_counts[digit];
    low_counts[digit] = static_cast<Count>(low_sum);
    high_counts[digit] = static_cast<Count>(high_sum);
    low_sum += low;
    high_sum += high;
  }
  for (const L x : in) spare[low_counts[low_of(x)]++] = x;
  for (const L x : std::span<const L>(spare, in.size())) out[high_counts[high_of(x)]++] = x;
}

// Moves latents[at] to its place among the ascending ones before it, if that is at most
// kMaxInsertionSortN before. False if not: then it is left there.
template <Latent L>
bool insert_near(std::span<L> latents, std::size_t at) {
  const L x = latents[at];
  const std::size_t last = at - std::min(at, kMaxInsertionSortN);
  for (; at > last && latents[at - 1] > x; --at) latents[at] = latents[at - 1];
  latents[at] = x;
  return at == 0 || latents[at - 1] <= x;
}

// Sorts by the upper two digits of the differences to `lower`, from `in` to `latents`, which may be
// the same. Latents that agree in them are few, or lie in a narrower range and are sorted likewise.
template <Latent L>
void radix_sort(std::span<const L> in, L lower, L upper, L* spare, std::span<L> latents) {
  const unsigned bits = static_cast<unsigned>(std::bit_width(static_cast<L>(upper - lower)));
  const std::size_t n = latents.size();
  if (bits == 0 || n <= kMaxComparisonSortN) {
    if (in.data() != latents.data()) std::copy(in.begin(), in.end(), latents.begin());
    if (bits != 0) std::sort(latents.begin(), latents.end());
    return;
  }
  const bool is_few = n < kMinLongDigitsN;
  const unsigned max_digit_bits = is_few ? kFewLatentsDigitBits : kMaxDigitBits;
  const unsigned low_bits = bits > 2 * max_digit_bits ? bits - 2 * max_digit_bits : 0;
  const unsigned digit_bits = (bits - low_bits + 1) / 2;
  if (is_few) {
    scatter<std::uint16_t, kFewLatentsDigitBits>(in, lower, low_bits, digit_bits, spare,
                                                 latents.data());
  } else {
    scatter<std::uint32_t, kMaxDigitBits>(in, lower, low_bits, digit_bits, spare, latents.data());
  }
  if (low_bits == 0) return;
  const auto prefix_of = [=](L x) { return static_cast<L>(static_cast<L>(x - lower) >> low_bits); };
  for (std::size_t i = 1; i < n; ++i) {
    if (latents[i - 1] <= latents[i] || insert_near(latents, i)) continue;
    // Many agree.
    const L prefix = prefix_of(latents[i]);
    std::size_t begin = i;
    while (begin > 0 && prefix_of(latents[begin - 1]) == prefix) --begin;
    for (; i < n && prefix_of(latents[i]) == prefix; ++i) {
    }
    const std::span<L> equal = latents.subspan(begin, i - begin);
    const Range<L> range = range_of(std::span<const L>(equal));
    radix_sort(std::span<const L>(equal), range.lower, range.upper, spare, equal);
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
  const unsigned bits = static_cast<unsigned>(std::bit_width(static_cast<L>(upper - lower)));
  if constexpr (sizeof(L) >= 4) {
    if (n < kMinLongDigitsN || bits > kMaxRadixKeyBits) {
      std::copy(latents.begin(), latents.end(), result.begin());
      if (sort_if_fast(result.data(), n, spare.data())) return result;
    }
  }
  radix_sort(latents, lower, upper, spare.data(), result);
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
