// SPDX-License-Identifier: Apache-2.0
// Sorts with the vector quicksort where the target has one and the range is large. Otherwise radix
// sort, least significant digit first, on the difference to the smallest latent, so that the number
// of passes follows the range and not the width of the type.
#include "pco/stats/sort.hpp"
#include "base/tuned.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

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
// Keys of up to two long digits are sorted faster by radix than by comparing.
NUMPACT_TUNED(unsigned, kMaxRadixKeyBits, 2 * kMaxDigitBits);

// One pass of the radix sort: stores x - subtract of each x of `in` to `out`, ordered by the digit
// at bit `shift`. Stable.
template <Latent L>
void scatter(std::span<const L> in, L subtract, unsigned shift, L mask, std::uint32_t* counts,
             L* __restrict out) {
  const std::size_t digits = static_cast<std::size_t>(mask) + 1;
  std::memset(counts, 0, digits * sizeof(std::uint32_t));
  for (const L x : in) ++counts[static_cast<L>(x - subtract) >> shift & mask];
  std::uint32_t sum = 0;
  for (std::size_t digit = 0; digit < digits; ++digit) {
    const std::uint32_t count = counts[digit];
    counts[digit] = sum;
    sum += count;
  }
  for (const L x : in) {
    const L difference = static_cast<L>(x - subtract);
    out[counts[difference >> shift & mask]++] = difference;
  }
}

}  // namespace

template <Latent L>
std::span<const L> sorted_copy(std::span<const L> latents, L lower, L upper, Arena& arena) {
  const std::size_t n = latents.size();
  const std::size_t slack = sizeof(L) >= 4 ? kSortSlackBytes / sizeof(L) : 0;
  const std::span<L> result = arena.make<L>(n + slack).first(n);
  const unsigned bits = static_cast<unsigned>(std::bit_width(static_cast<L>(upper - lower)));
  if constexpr (sizeof(L) >= 4) {
    if (n < kMinLongDigitsN || bits > kMaxRadixKeyBits) {
      const ArenaScope scratch(arena);
      std::copy(latents.begin(), latents.end(), result.begin());
      if (sort_if_fast(result.data(), n, arena.make<L>(n + slack).data())) return result;
    }
  }
  if (n <= kMaxComparisonSortN || bits == 0) {
    std::copy(latents.begin(), latents.end(), result.begin());
    std::sort(result.begin(), result.end());
    return result;
  }
  const ArenaScope scratch(arena);
  const unsigned max_bits = n < kMinLongDigitsN ? kFewLatentsDigitBits : kMaxDigitBits;
  const unsigned passes = (bits + max_bits - 1) / max_bits;
  const unsigned digit_bits = (bits + passes - 1) / passes;
  const L mask = static_cast<L>((std::uint64_t{1} << digit_bits) - 1);
  std::uint32_t counts[std::size_t{1} << kMaxDigitBits];
  const std::span<L> other = arena.make<L>(n);
  // The last pass must end in `result`.
  L* to = passes % 2 == 1 ? result.data() : other.data();
  L* spare = passes % 2 == 1 ? other.data() : result.data();
  std::span<const L> from = latents;
  for (unsigned pass = 0; pass < passes; ++pass) {
    scatter<L>(from, pass == 0 ? lower : L{0}, pass * digit_bits, mask, counts, to);
    from = {to, n};
    std::swap(to, spare);
  }
  for (L& latent : result) latent = static_cast<L>(latent + lower);
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
