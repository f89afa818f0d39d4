// SPDX-License-Identifier: Apache-2.0
// By vectors where a target can, else least significant digit first, on the difference to the
// smallest latent, so that the number of passes follows the spread and not the width.
#include "pco/stats/sort.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace numpact {
namespace {

constexpr unsigned kMaxDigitBits = 11;
constexpr unsigned kShortDigitBits = 8;
// Below, clearing the counts of long digits costs more than passes.
constexpr std::size_t kFewForLongDigits = 4096;
constexpr std::size_t kFewLatents = 48;
// Two long digits are sorted faster than by comparing.
constexpr unsigned kShortKeyBits = 2 * kMaxDigitBits;

// One pass: from `in`, less `subtract`, to `out` by the digit at `shift`.
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
  const std::size_t slack = sizeof(L) >= 4 ? kSortSlack / sizeof(L) : 0;
  const std::span<L> result = arena.make<L>(n + slack).first(n);
  const unsigned bits = static_cast<unsigned>(std::bit_width(static_cast<L>(upper - lower)));
  if constexpr (sizeof(L) >= 4) {
    if (n < kFewForLongDigits || bits > kShortKeyBits) {
      const ArenaScope scratch(arena);
      std::copy(latents.begin(), latents.end(), result.begin());
      if (sort_if_fast(result.data(), n, arena.make<L>(n + slack).data())) return result;
    }
  }
  if (n <= kFewLatents || bits == 0) {
    std::copy(latents.begin(), latents.end(), result.begin());
    std::sort(result.begin(), result.end());
    return result;
  }
  const ArenaScope scratch(arena);
  const unsigned most_bits = n < kFewForLongDigits ? kShortDigitBits : kMaxDigitBits;
  const unsigned passes = (bits + most_bits - 1) / most_bits;
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

}  // namespace numpact
