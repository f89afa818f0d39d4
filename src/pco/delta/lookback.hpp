// SPDX-License-Identifier: Apache-2.0
// Lookback: the difference to an earlier latent. The distance is a latent variable of its own.
#pragma once

#include <algorithm>
#include <span>

#include "pco/delta/delta.hpp"
#include "pco/delta/lookback_ring.hpp"

namespace numpact::internal {

template <Latent L>
class LookbackState;

struct Lookback {
  static constexpr Delta kTag = Delta::kLookback;
  static constexpr const char* kForm = "lookback";
  static constexpr bool kHasOrder = false;
  static constexpr FormatVersion kFirstVersion{3, 0};
  static constexpr std::size_t kMaxStateN = std::size_t{1} << kMaxWindowNLog;
  // A restart would also need a window of latents.
  static constexpr bool kCanRestart = false;
  template <Latent L>
  using State = LookbackState<L>;
  static constexpr bool kHasWeights = false;

  unsigned window_n_log = 1;  // 1 to 24
  unsigned state_n_log = 0;   // at most window_n_log
  bool secondary = false;

  static Status check_request(const DeltaSpec&, NumberType) { return {}; }
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

// The latents that lookbacks may refer to.
template <Latent L>
class LookbackState {
 public:
  void start(const Lookback& lookback, Arena& arena, std::size_t max_n, std::span<const L> state,
             L) {
    window_n_ = lookback.window_n();
    has_state_of_one_ = lookback.state_n() == 1;
    ring_.start(arena, window_n_, max_n, state);
    next_out_ = 0;
  }

  bool undo(const DeltaBatch<L>& batch) {
    const std::size_t delta_n = std::min(batch.stored_n, batch.lookback_n);
    const bool is_shifted = has_state_of_one_ && delta_n == batch.n;
    bool ok = true;
    if (!is_shifted ||
        !undo_lookback(window_n_, batch.lookbacks, batch.latents, batch.n, ring_, batch.latents)) {
      ok = decode_lookback(window_n_, batch.lookbacks, batch.latents, delta_n, ring_);
      ring_.copy(next_out_, batch.n, batch.latents);
    }
    next_out_ += batch.n;
    return ok;
  }

 private:
  LookbackRing<L> ring_;
  std::size_t window_n_ = 0;
  std::size_t next_out_ = 0;  // index in the page of the next latent to be output
  bool has_state_of_one_ = false;
};

}  // namespace numpact::internal
