// SPDX-License-Identifier: Apache-2.0
// Consecutive: differences of adjacent latents, taken `order` times. The state is `order` moments.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "pco/delta/delta.hpp"

namespace numpact::internal {

template <Latent L>
class ConsecutiveState;

struct Consecutive {
  static constexpr Delta kTag = Delta::kConsecutive;
  static constexpr const char* kForm = "consecutive=N";
  static constexpr bool kHasOrder = true;
  static constexpr FormatVersion kFirstVersion{0, 0};
  static constexpr std::size_t kMaxStateN = kMaxConsecutiveOrder;
  static constexpr bool kCanRestart = true;
  template <Latent L>
  using State = ConsecutiveState<L>;
  static constexpr bool kHasWeights = false;

  unsigned order = 1;  // 1 to 7
  bool secondary = false;

  static Status check_request(const DeltaSpec& spec, NumberType);
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

// The moments of the next latent, one per order.
template <Latent L>
class ConsecutiveState {
 public:
  void start(const Consecutive&, Arena&, std::size_t, std::span<L> state, L bias) {
    moments_ = state;
    if (!moments_.empty()) moments_[0] = static_cast<L>(moments_[0] + bias);
  }

  void write(BitWriter& writer, L bias) const {
    for (const L moment : moments_) {
      writer.write(static_cast<L>(moment - bias), kBits<L>);
      bias = 0;
    }
  }

  // Deltas that the page does not store are 0. The sum of n deltas is n + 1 numbers.
  bool undo(const DeltaBatch<L>& batch) {
    const std::size_t sum_n = batch.is_summed ? 1 : 0;
    const std::size_t known_n = batch.stored_n + sum_n;
    if (known_n < batch.n) std::fill(batch.latents + known_n, batch.latents + batch.n, L{0});
    const std::size_t sums = moments_.size() - sum_n;
    decode_consecutive(moments_.first(sums), batch.latents, batch.n);
    return true;
  }

  // The moment of the first sum, which unpacking may do.
  L& first_sum() { return moments_.back(); }
  bool has_one_sum() const { return moments_.size() == 1; }

 private:
  std::span<L> moments_;
};

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

}  // namespace numpact::internal
