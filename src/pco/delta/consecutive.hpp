// SPDX-License-Identifier: Apache-2.0
// Consecutive: differences of adjacent latents, taken `order` times. The state is `order` moments.
#ifndef NUMPACT_PCO_DELTA_CONSECUTIVE_HPP
#define NUMPACT_PCO_DELTA_CONSECUTIVE_HPP

#include <array>
#include <span>

#include "pco/delta/delta.hpp"

namespace numpact {

struct Consecutive {
  static constexpr unsigned kTag = 1;
  static constexpr bool kHasWeights = false;

  unsigned order = 1;  // 1 to 7
  bool secondary = false;

  static Status parse(BitReader& reader, const DeltaContext& context, Consecutive& out);
  void write(BitWriter& writer) const {
    writer.write(order, wire::kOrderBits);
    writer.write(secondary ? 1 : 0, wire::kSecondaryDeltaBits);
  }
  std::uint64_t payload_bits() const { return wire::kOrderBits + wire::kSecondaryDeltaBits; }
  std::size_t state_n() const { return order; }
  bool encodes_secondary() const { return secondary; }
};

// In place: turns n deltas, not centred, into n latents and advances the moments, one per order.
// Deltas that the page does not store must be 0.
template <Latent L>
void decode_consecutive(std::span<L> moments, L* latents, std::size_t n);

// In place: turns n latents into max(0, n - order) centred deltas in front, and sets the moments.
template <Latent L>
void encode_consecutive(std::span<L> moments, L* latents, std::size_t n);

// The delta of *latent, not centred. At least `order` latents precede it in memory.
template <Latent L>
L difference_at(const L* latent, unsigned order) {
  std::array<L, kMaxConsecutiveOrder + 1> last;
  for (unsigned k = 0; k <= order; ++k) last[k] = *(latent - k);
  for (unsigned round = 0; round < order; ++round) {
    for (unsigned k = 0; k + round < order; ++k) last[k] = static_cast<L>(last[k] - last[k + 1]);
  }
  return last[0];
}

}  // namespace numpact

#endif
