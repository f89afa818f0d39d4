// SPDX-License-Identifier: Apache-2.0
#include "pco/page/page_tables.hpp"

#include <type_traits>
#include <variant>

#include "number/ordered.hpp"
#include "pco/delta/conv1_pages.hpp"

namespace numpact::internal {

template <Latent L, Latent P>
PageTables<L, P>::PageTables(const ChunkMeta& chunk_meta, Arena& arena) : meta(&chunk_meta) {
  const bool is_classic = std::holds_alternative<Classic>(meta->mode);
  const bool is_consecutive = std::holds_alternative<Consecutive>(meta->delta);
  const bool has_passes = is_consecutive || std::holds_alternative<NoDelta>(meta->delta);
  const NumberKind kind = kind_of(meta->type);
  is_classic_float = is_classic && kind == NumberKind::kFloat;
  flips_in_tables = is_classic && kind == NumberKind::kSigned && has_passes;
  if (const auto* dict = std::get_if<Dict>(&meta->mode)) {
    const std::span<L> numbers = arena.make<L>(dict->count);
    from_ordered(dict->as<L>().data(), dict->count, kind, numbers.data());
    dict_numbers = numbers;
  }
  std::size_t bits = 0;
  void (*walk)(CodeWalk&) = nullptr;
  const auto fill = [&](auto& variable, std::size_t index, auto bias) {
    using Variable = std::remove_reference_t<decltype(variable)>;
    if (!meta->has(index)) return;
    variable = Variable::make(meta->variables[index], bias, arena);
    bits += kBatchN * variable.max_bits();
    is_coded[index] = variable.is_coded();
    if (!variable.is_coded()) {
      uncoded_bits[index] = variable.max_offset_bits;
      is_uniform[index] = variable.max_offset_bits == 0 && index != kPrimaryVariable &&
                          !meta->is_delta_encoded(index);
      is_unpacked_alone[index] = !is_uniform[index];
      return;
    }
    // The active instruction set may change between two variables.
    if (walk == nullptr) walk = variable.kernels->walk;
    if (!variable.is_summed || variable.kernels->walk != walk) decodes_whole_batches = false;
  };
  const bool flips_bins = flips_in_tables && !is_consecutive;
  fill(delta, kDeltaVariable, std::uint32_t{0});
  fill(primary, kPrimaryVariable,
       flips_bins || meta->is_delta_encoded(kPrimaryVariable) ? kMid<P> : P{0});
  fill(secondary, kSecondaryVariable, meta->is_delta_encoded(kSecondaryVariable) ? kMid<L> : L{0});
  joins_while_unpacking =
      joins_in_registers(meta->mode) && is_coded[kPrimaryVariable] &&
      is_coded[kSecondaryVariable] && (is_coded[kDeltaVariable] || !meta->has(kDeltaVariable)) &&
      !meta->is_delta_encoded(kSecondaryVariable) && secondary.kernels->supports_finish;
  decodes_runs = has_passes && is_coded[kPrimaryVariable] && !joins_while_unpacking;
  if constexpr (std::is_same_v<L, P> && kHasConv1Pages<L>) {
    const auto* const conv = std::get_if<Conv1>(&meta->delta);
    if (is_classic && conv != nullptr && decodes_whole_batches && is_coded[kPrimaryVariable]) {
      min_pages_together = min_conv1_pages(conv->order);
    }
  }
  if constexpr (std::is_same_v<L, P>) {
    is_constant = is_classic && std::holds_alternative<NoDelta>(meta->delta) && bits == 0;
    constant = static_cast<L>(primary.lowers[0]);
    if (!flips_in_tables) constant = from_ordered(constant, kind);
  }
  max_batch_bytes = 1 + bits / 8 + kReadSlackBytes;
}

#define NUMPACT_INSTANTIATE(L)      \
  template struct PageTables<L, L>; \
  template struct PageTables<L, std::uint32_t>;
template struct PageTables<std::uint32_t, std::uint32_t>;
NUMPACT_INSTANTIATE(std::uint8_t)
NUMPACT_INSTANTIATE(std::uint16_t)
NUMPACT_INSTANTIATE(std::uint64_t)
#undef NUMPACT_INSTANTIATE

}  // namespace numpact::internal
