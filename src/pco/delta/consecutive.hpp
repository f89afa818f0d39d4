// SPDX-License-Identifier: Apache-2.0
// Consecutive: differences of neighbours, taken `order` times. The state is one moment per order.
#ifndef NUMPACT_PCO_DELTA_CONSECUTIVE_HPP
#define NUMPACT_PCO_DELTA_CONSECUTIVE_HPP

#include <array>
#include <span>

#include "pco/delta/delta.hpp"

namespace numpact {

struct Consecutive {
  static constexpr unsigned kTag = 1;

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

// In place: n deltas, not centred, become n latents; moments (one per order) are moved on. Deltas
// that the page does not store must be given as 0.
template <Latent L>
void decode_consecutive(std::span<L> moments, L* latents, std::size_t n);

// In place: n latents become max(0, n - order) centred deltas at the front; moments are set.
template <Latent L>
void encode_consecutive(std::span<L> moments, L* latents, std::size_t n);

// The one delta of a latent that at least `order` others precede; not centred.
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
