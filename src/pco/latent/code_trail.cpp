// SPDX-License-Identifier: Apache-2.0
#include "pco/latent/latent_decoder.hpp"
#include "pco/limits.hpp"

namespace numpact::internal {
namespace {

// The table entry of latent i, which is not the first of sixteen.
std::uint32_t entry_at(const CodeTrail& trail, std::size_t i, bool are_running_words) {
  if (!are_running_words) return trail.words[i];
  const std::uint32_t refilled = i % kAnsStates == 0 ? kRefillBits : 0;
  return (trail.words[i - 1] | refilled) - trail.words[i];
}

}  // namespace

// Consecutive stores fewer deltas than a page has numbers, by its order.
static_assert(kMaxConsecutiveOrder < kTrailGroupN);

void take_back_codes(CodeWalk& walk, std::size_t n, bool are_running_words) {
  CodeTrail& trail = *walk.trail;
  // Sixteen latents that were jumped over have neither code bits nor offset bits.
  constexpr unsigned kLastGroup = kBatchN / kTrailGroupN - 1;
  if ((trail.jumped >> kLastGroup & 1) != 0) return;
  for (std::size_t i = n; i < kBatchN; ++i) {
    const std::uint32_t entry = entry_at(trail, i, are_running_words);
    walk.position -= entry & 0xff;
    trail.offset_bits -= (entry >> kEntryOffsetShift) & walk.layout.sum_mask();
  }
}

}  // namespace numpact::internal
