// SPDX-License-Identifier: Apache-2.0
// Conv1: the difference of a latent to a linear prediction from the `order` latents before it.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "pco/delta/delta.hpp"
#include "pco/delta/history.hpp"

namespace numpact::internal {

template <Latent L>
class Conv1State;

struct Conv1 {
  static constexpr Delta kTag = Delta::kConv1;
  static constexpr const char* kForm = "conv1=N";
  static constexpr bool kHasOrder = true;
  static constexpr FormatVersion kFirstVersion{4, 1};
  static constexpr std::size_t kMaxStateN = kMaxConv1Order;
  static constexpr bool kCanRestart = true;
  template <Latent L>
  using State = Conv1State<L>;
  // Widths of its fields in the metadata.
  static constexpr unsigned kQuantizationBits = 5;
  static constexpr unsigned kBiasBits = 64;
  static constexpr unsigned kOrderBits = 5;
  static constexpr unsigned kWeightBits = 32;
  static constexpr bool kHasWeights = true;

  unsigned quantization = 0;
  std::int64_t bias = 0;
  unsigned order = 1;  // 1 to 32
  std::array<std::int32_t, kMaxConv1Order> weights{};

  static Status check_request(const DeltaSpec& spec, NumberType type);
  static Status parse(BitReader& reader, const DeltaContext& context, Conv1& out);
  void write(BitWriter& writer) const;
  std::uint64_t payload_bits() const {
    return kQuantizationBits + kBiasBits + kOrderBits + std::uint64_t{order} * kWeightBits;
  }
  std::size_t state_n() const { return order; }
  bool encodes_secondary() const { return false; }

  // Whether no sum over latents of `bits` bits can overflow the signed integers of 2 * bits bits
  // (16, 32, 64) in which the format defines the arithmetic. Decoding relies on it.
  bool is_valid(unsigned bits) const;

  // The prediction from the `order` latents at `history`, oldest first.
  template <Latent L>
  L predict(const L* history) const {
    std::int64_t sum = bias;
    for (unsigned j = 0; j < order; ++j) {
      sum += std::int64_t{weights[j]} * static_cast<std::int64_t>(history[j]);
    }
    return static_cast<L>((sum > 0 ? sum : 0) >> quantization);
  }
};

// Vectors multiply signed 32-bit numbers exactly: latents of 32 bits are shifted down by this, and
// the bias is increased by the shift times the sum of weights.
template <Latent L>
inline constexpr std::int64_t kConv1Shift = sizeof(L) == 4 ? std::int64_t{1} << 31 : 0;

// A prediction from shifted latents. Sums may wrap on the way; the final sums fit.
struct Conv1Taps {
  std::int64_t by_lag[kMaxConv1Order] = {};  // weights, that of the last latent first
  std::int64_t bias = 0;
  std::int64_t latent_mask = 0;
  unsigned order = 0;
  unsigned quantization = 0;
};

template <Latent L>
Conv1Taps conv1_taps(const Conv1& conv) {
  Conv1Taps taps;
  std::uint64_t bias = static_cast<std::uint64_t>(conv.bias);
  for (unsigned j = 0; j < conv.order; ++j) {
    taps.by_lag[conv.order - 1 - j] = conv.weights[j];
    bias += static_cast<std::uint64_t>(conv.weights[j] * kConv1Shift<L>);
  }
  taps.bias = static_cast<std::int64_t>(bias);
  taps.latent_mask = static_cast<std::int64_t>(L(~L{0}));
  taps.order = conv.order;
  taps.quantization = conv.quantization;
  return taps;
}

// Appends n latents to `history`, computed from deltas that are not centred.
template <Latent L>
void decode_conv1(const Conv1& conv, const L* deltas, std::size_t n, History<L>& history);

// Computes n latents, at most a batch, that follow the `order` latents right before `latents`. L
// has at most 32 bits. A kernel; decode_conv1 is built on it.
template <Latent L>
void undo_conv1(const Conv1& conv, const L* deltas, std::size_t n, L* latents);

// Computes the n - order centred deltas of n >= order latents of at most 32 bits. `deltas` may be
// `latents`. A kernel; encode_conv1 is built on it.
template <Latent L>
void conv1_deltas(const Conv1& conv, const L* latents, std::size_t n, L* deltas);

// In place: turns n latents into max(0, n - order) centred deltas at the front. Sets `state` to the
// first `order` latents, those past n to 0.
template <Latent L>
void encode_conv1(const Conv1& conv, std::span<L> state, L* latents, std::size_t n);

// The latents that the next prediction refers to.
template <Latent L>
class Conv1State {
 public:
  void start(const Conv1& conv, Arena& arena, std::size_t max_n, std::span<const L> state, L) {
    conv_ = &conv;
    history_.start(arena, conv.order, max_n, state);
    next_out_ = 0;
  }

  // Pads the state of a page that ends here with zeros.
  void write(BitWriter& writer, L) const {
    L latents[kMaxConv1Order] = {};
    const std::size_t known_n = std::min<std::size_t>(conv_->order, history_.end() - next_out_);
    history_.copy(next_out_, known_n, latents);
    for (std::size_t i = 0; i < conv_->order; ++i) writer.write(latents[i], kBits<L>);
  }

  const Conv1& conv() const { return *conv_; }
  // The latents that the next prediction refers to, conv().order of them.
  void copy_state(L* latents) const { history_.copy(next_out_, conv_->order, latents); }
  // Continues n latents further on, after `latents`.
  void advance(std::size_t n, const L* latents) {
    next_out_ += n;
    history_.restart(next_out_, {latents, conv_->order});
  }

  bool undo(const DeltaBatch<L>& batch) {
    decode_conv1(*conv_, batch.latents, batch.stored_n, history_);
    history_.copy(next_out_, batch.n, batch.latents);
    next_out_ += batch.n;
    return true;
  }

 private:
  const Conv1* conv_ = nullptr;  // of the chunk, which outlives its pages
  History<L> history_;
  std::size_t next_out_ = 0;  // index in the page of the next latent to be output
};

}  // namespace numpact::internal
