// SPDX-License-Identifier: Apache-2.0
#include "pco/page/page_size.hpp"

#include <algorithm>
#include <bit>

#include "pco/limits.hpp"

namespace numpact {
namespace {

unsigned width(std::uint32_t x) { return static_cast<unsigned>(std::bit_width(x)); }

}  // namespace

PageSize page_size(const ChunkMeta& meta, std::size_t n) {
  std::uint64_t head = 0;
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < kVariables; ++i) {
    const Binning& binning = meta.variables[i];
    if (!meta.has(i)) continue;
    head += meta.state_n(i) * std::uint64_t{binning.latent_bits} +
            kAnsStates * std::uint64_t{binning.ans_size_log};
    std::uint64_t least_bits = ~std::uint64_t{0};
    std::uint64_t most_bits = 0;
    for (const Bin& bin : binning.bins) {
      // A bin's states go from its weight to just below twice that; a code fills one up to the
      // table's size.
      const unsigned most_code = binning.ans_size_log + 1 - width(bin.weight);
      const unsigned least_code = binning.ans_size_log + 1 - width(2 * bin.weight - 1);
      least_bits = std::min<std::uint64_t>(least_bits, least_code + bin.offset_bits);
      most_bits = std::max<std::uint64_t>(most_bits, most_code + bin.offset_bits);
    }
    if (binning.bins.empty()) continue;
    const std::uint64_t stored_n = meta.stored_n(i, n);
    least += stored_n * least_bits;
    most += stored_n * most_bits;
  }
  const std::uint64_t head_bytes = (head + 7) / 8;
  return {head_bytes + (least + 7) / 8, head_bytes + (most + 7) / 8};
}

}  // namespace numpact
