// SPDX-License-Identifier: Apache-2.0
#include "pco/delta/conv1.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace numpact::internal {
namespace {

// Signed integers are stored ordered: with their sign bit flipped.
constexpr std::uint64_t kSign64 = std::uint64_t{1} << 63;
constexpr std::uint32_t kSign32 = std::uint32_t{1} << 31;

}  // namespace

Status Conv1::check_request(const DeltaSpec& spec, NumberType type) {
  if (spec.order() == 0 || spec.order() > kMaxConv1Order) {
    return invalid_request("conv1 order must be from 1 to 32");
  }
  if (latent_bits(type) > 32) return invalid_request("conv1 does not apply to 64-bit numbers");
  return {};
}

Status Conv1::parse(BitReader& reader, const DeltaContext& context, Conv1& out) {
  out.quantization = reader.read_small(kQuantizationBits);
  out.bias = std::bit_cast<std::int64_t>(reader.read(kBiasBits) ^ kSign64);
  out.order = 1 + reader.read_small(kOrderBits);
  for (unsigned j = 0; j < out.order; ++j) {
    const auto stored = static_cast<std::uint32_t>(reader.read(kWeightBits));
    out.weights[j] = std::bit_cast<std::int32_t>(stored ^ kSign32);
  }
  NUMPACT_TRY(reader.status());
  if (context.primary_bits > 32) return reader.corrupt("Conv1 on 64-bit latents");
  if (!out.is_valid(context.primary_bits)) {
    return reader.corrupt("Conv1 parameters could overflow");
  }
  return {};
}

void Conv1::write(BitWriter& writer) const {
  writer.write(quantization, kQuantizationBits);
  writer.write(std::bit_cast<std::uint64_t>(bias) ^ kSign64, kBiasBits);
  writer.write(order - 1, kOrderBits);
  for (unsigned j = 0; j < order; ++j) {
    writer.write(std::bit_cast<std::uint32_t>(weights[j]) ^ kSign32, kWeightBits);
  }
}

bool Conv1::is_valid(unsigned bits) const {
  if (bits > 32) return false;
  const unsigned sum_bits = 2 * bits;
  if (quantization > (sum_bits - 1 < 31 ? sum_bits - 1 : 31)) return false;
  // In doubles, like the reference implementation of the format: near 2^63 the rounding matters.
  double weight_sum = 0;
  for (unsigned j = 0; j < order; ++j) weight_sum += std::abs(static_cast<double>(weights[j]));
  const double max_sum =
      std::abs(static_cast<double>(bias)) + std::ldexp(weight_sum, static_cast<int>(bits));
  return max_sum < std::ldexp(1.0, static_cast<int>(sum_bits) - 1);
}

template <Latent L>
void decode_conv1(const Conv1& conv, const L* deltas, std::size_t n, History<L>& history) {
  if constexpr (sizeof(L) <= 4) {  // the format has no other
    for (std::size_t done = 0; done < n; done += kBatchN) {
      const std::size_t batch_n = std::min(kBatchN, n - done);
      history.ensure_capacity(batch_n);
      L* const at = history.data() + (history.end() - history.first());
      undo_conv1(conv, deltas + done, batch_n, at);
      history.advance(batch_n);
    }
  }
}

template <Latent L>
void encode_conv1(const Conv1& conv, std::span<L> state, L* latents, std::size_t n) {
  for (std::size_t j = 0; j < state.size(); ++j) state[j] = j < n ? latents[j] : L{0};
  if constexpr (sizeof(L) <= 4) {  // the format has no other
    if (n > conv.order) conv1_deltas(conv, latents, n, latents);
  }
}

// A type cannot be in parentheses. NOLINTBEGIN(bugprone-macro-parentheses)
#define NUMPACT_INSTANTIATE(L)                                                  \
  template void decode_conv1(const Conv1&, const L*, std::size_t, History<L>&); \
  template void encode_conv1(const Conv1&, std::span<L>, L*, std::size_t);
// NOLINTEND(bugprone-macro-parentheses)
NUMPACT_INSTANTIATE(std::uint8_t)
NUMPACT_INSTANTIATE(std::uint16_t)
NUMPACT_INSTANTIATE(std::uint32_t)
NUMPACT_INSTANTIATE(std::uint64_t)
#undef NUMPACT_INSTANTIATE

}  // namespace numpact::internal
