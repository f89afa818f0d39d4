// SPDX-License-Identifier: Apache-2.0
// What a variable does once for a batch or less often. Compiled to be small.
#include "pco/page/variable_decoder.hpp"

namespace numpact::internal {

template <Latent L>
void VariableDecoder<L>::write_state(BitWriter& writer, const ChunkMeta& meta, std::size_t index,
                                     L first_moment_bias) const {
  if (!meta.has(index)) return;
  std::visit(
      [&](const auto& delta) {
        if constexpr (requires { delta.write(writer, first_moment_bias); }) {
          delta.write(writer, first_moment_bias);
        }
      },
      delta_);
  for (const std::uint32_t state : ans_states_) writer.write(state, tables_.ans_size_log);
}

template <Latent L>
void VariableDecoder<L>::skip(const std::byte* in, std::uint64_t& position,
                              PageVariableSizes& sizes) {
  const std::size_t n = std::min(kBatchN, left_);
  if (n == 0) return;
  const SkippedBits skipped = tables_.kernels->skip(tables_, ans_states_, in, position, n);
  position += skipped.codes + skipped.offsets;
  sizes.code_bits += skipped.codes;
  sizes.offset_bits += skipped.offsets;
  left_ -= n;
}

template <Latent L>
bool VariableDecoder<L>::undo_delta(const DeltaBatch<L>& batch) {
  if (state_n_ == 0) return true;
  return std::visit([&](auto& delta) { return delta.undo(batch); }, delta_);
}

#define NUMPACT_INSTANTIATE(L)                                                                  \
  template void VariableDecoder<L>::write_state(BitWriter&, const ChunkMeta&, std::size_t, L)   \
      const;                                                                                    \
  template void VariableDecoder<L>::skip(const std::byte*, std::uint64_t&, PageVariableSizes&); \
  template bool VariableDecoder<L>::undo_delta(const DeltaBatch<L>&);
NUMPACT_INSTANTIATE(std::uint8_t)
NUMPACT_INSTANTIATE(std::uint16_t)
NUMPACT_INSTANTIATE(std::uint32_t)
NUMPACT_INSTANTIATE(std::uint64_t)
#undef NUMPACT_INSTANTIATE

}  // namespace numpact::internal
