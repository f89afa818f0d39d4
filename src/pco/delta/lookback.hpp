// SPDX-License-Identifier: Apache-2.0
// Lookback: the difference to an earlier latent. The distance is a latent variable of its own.
#ifndef NUMPACT_PCO_DELTA_LOOKBACK_HPP
#define NUMPACT_PCO_DELTA_LOOKBACK_HPP

#include <span>

#include "pco/delta/delta.hpp"
#include "pco/delta/lookback_ring.hpp"

namespace numpact {

struct Lookback {
  static constexpr unsigned kTag = 2;
  static constexpr bool kHasWeights = false;

  unsigned window_n_log = 1;  // 1 to 24
  unsigned state_n_log = 0;   // at most window_n_log
  bool secondary = false;

  static Status parse(BitReader& reader, const DeltaContext& context, Lookback& out);
  void write(BitWriter& writer) const {
    writer.write(window_n_log - 1, wire::kWindowNLogBits);
    writer.write(state_n_log, wire::kStateNLogBits);
    writer.write(secondary ? 1 : 0, wire::kSecondaryDeltaBits);
  }
  std::uint64_t payload_bits() const {
    return wire::kWindowNLogBits + wire::kStateNLogBits + wire::kSecondaryDeltaBits;
  }
  std::size_t window_n() const { return std::size_t{1} << window_n_log; }
  std::size_t state_n() const { return std::size_t{1} << state_n_log; }
  bool encodes_secondary() const { return secondary; }
};

// Appends n latents, at most a batch, to the ring, computed from deltas that are not centred.
// Returns false if a lookback is 0 or larger than window_n.
template <Latent L>
bool decode_lookback(std::size_t window_n, const std::uint32_t* lookbacks, const L* deltas,
                     std::size_t n, LookbackRing<L>& ring);

// The vector version of decode_lookback. If shifted_latents is not null, it receives the n latents
// that start one latent earlier; it may be `deltas`. Returns false, with nothing written, if
// decode_lookback() must do the work: the instruction set has no kernel, a lookback is out of range
// or refers to before the page, or the ring wraps within the n latents. A kernel; decode_lookback
// is built on it.
template <Latent L>
bool undo_lookback(std::size_t window_n, const std::uint32_t* lookbacks, const L* deltas,
                   std::size_t n, LookbackRing<L>& ring, L* shifted_latents);

// In place: turns latents[i], for i >= state_n, into the centred delta to the latent
// lookbacks[i - state_n] before it (0 before the page), and moves the deltas to the front. Sets
// `state` to the first state_n latents, those past n to 0.
template <Latent L>
void encode_lookback(const std::uint32_t* lookbacks, std::span<L> state, L* latents, std::size_t n);

}  // namespace numpact

#endif
