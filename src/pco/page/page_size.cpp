// SPDX-License-Identifier: Apache-2.0
#include "pco/page/page_size.hpp"

#include <algorithm>
#include <bit>

#include "pco/limits.hpp"

namespace numpact::internal {
namespace {

unsigned width(std::uint32_t x) { return static_cast<unsigned>(std::bit_width(x)); }

}  // namespace

PageSize page_size(const ChunkMeta& meta, std::size_t n) {
  std::uint64_t head_bits = 0;
  std::uint64_t min_batch_bits = 0;
  std::uint64_t max_batch_bits = 0;
  for (std::size_t i = 0; i < kVariables; ++i) {
    const Binning& binning = meta.variables[i];
    if (!meta.has(i)) continue;
    head_bits += meta.state_n(i) * std::uint64_t{binning.latent_bits} +
                 kAnsStates * std::uint64_t{binning.ans_size_log};
    std::uint64_t min_bits = ~std::uint64_t{0};
    std::uint64_t max_bits = 0;
    for (const Bin& bin : binning.bins) {
      // The states of a bin, as x, are in [weight, 2 * weight). A code extends x to [size, 2 *
      // size), so it has size_log + 1 - bit_width(x) bits.
      const unsigned max_code_bits = binning.ans_size_log + 1 - width(bin.weight);
      const unsigned min_code_bits = binning.ans_size_log + 1 - width(2 * bin.weight - 1);
      min_bits = std::min<std::uint64_t>(min_bits, min_code_bits + bin.offset_bits);
      max_bits = std::max<std::uint64_t>(max_bits, max_code_bits + bin.offset_bits);
    }
    if (binning.bins.empty()) continue;
    const std::uint64_t stored_n = meta.stored_n(i, n);
    min_batch_bits += stored_n * min_bits;
    max_batch_bits += stored_n * max_bits;
  }
  const std::uint64_t head_bytes = (head_bits + 7) / 8;
  return {head_bytes + (min_batch_bits + 7) / 8, head_bytes + (max_batch_bits + 7) / 8};
}

}  // namespace numpact::internal
