// SPDX-License-Identifier: Apache-2.0
// Lookback: the difference to an earlier latent, whose distance is a latent variable of its own.
#ifndef NUMPACT_PCO_DELTA_LOOKBACK_HPP
#define NUMPACT_PCO_DELTA_LOOKBACK_HPP

#include <span>

#include "pco/delta/delta.hpp"
#include "pco/delta/lookback_ring.hpp"

namespace numpact {

struct Lookback {
  static constexpr unsigned kTag = 2;

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

// Appends n latents (at most a batch) to the ring, from deltas that are not centred. False if a
// lookback is 0 or over window_n.
template <Latent L>
bool decode_lookback(std::size_t window_n, const std::uint32_t* lookbacks, const L* deltas,
                     std::size_t n, LookbackRing<L>& ring);

// The same by vectors. one_behind, if not null, gets the n latents that begin with the one before
// these; it may be `deltas`. False, with nothing written, if these lookbacks are for the other one:
// by the instruction set, because some are out of range or reach before the page, or because the
// ring ends within the n. A kernel; decode_lookback is built on it.
template <Latent L>
bool undo_lookback(std::size_t window_n, const std::uint32_t* lookbacks, const L* deltas,
                   std::size_t n, LookbackRing<L>& ring, L* one_behind);

// In place: latents[i] for i >= state_n become centred deltas to the latent lookbacks[i - state_n]
// before (zero before the page), moved to the front; `state` is set (its latents past n to 0).
template <Latent L>
void encode_lookback(const std::uint32_t* lookbacks, std::span<L> state, L* latents, std::size_t n);

}  // namespace numpact

#endif
