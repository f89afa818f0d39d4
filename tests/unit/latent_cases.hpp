// SPDX-License-Identifier: Apache-2.0
// Made up latent variables, and their decoding by the letter. Any bits are codes and offsets of
// some latents, so the input of decoding is noise.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "base/internal.hpp"
#include "naive.hpp"
#include "pco/latent/latent_decoder.hpp"
#include "support/random.hpp"

namespace numpact::testing {

// Around the numbers of bins where kernels change how they look them up.
inline constexpr std::size_t kBinCounts[] = {1,  2,   3,   8,   9,   16,  17,  32,   33,  64,
                                             65, 128, 200, 256, 257, 512, 513, 2000, 5000};

inline Bytes noise(std::size_t n, Random& random) {
  Bytes bytes(n);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.bits(8));
  return bytes;
}

// Bins and the size of their table; `share` of the table is one bin's where it is not 0.
struct BinShape {
  unsigned size_log = 0;
  std::size_t bin_n = 1;
  unsigned max_offset_bits = 0;
  double share = 0;
  bool is_value = false;  // that bin has no offsets
};

inline unsigned min_size_log(std::size_t bin_n) {
  return static_cast<unsigned>(std::bit_width(bin_n - 1));
}

// A size that can hold the bins, usually a small one.
inline unsigned random_size_log(std::size_t bin_n, Random& random) {
  const unsigned minimum = min_size_log(bin_n);
  if (bin_n == 1) return 0;
  const unsigned maximum =
      random.one_in(4) ? kMaxAnsSizeLog : std::min(kMaxAnsSizeLog, minimum + 3);
  return static_cast<unsigned>(random.between(minimum, maximum));
}

template <Latent L>
std::vector<Bin> random_bins(const BinShape& shape, Random& random) {
  std::vector<Bin> bins(shape.bin_n);
  const bool all_wide = random.one_in(4);
  for (Bin& bin : bins) {
    bin.weight = 1;
    bin.lower = random.bits(kBits<L>);
    bin.offset_bits = all_wide
                          ? shape.max_offset_bits
                          : static_cast<std::uint32_t>(random.below(shape.max_offset_bits + 1));
  }
  bins[random.below(bins.size())].offset_bits = shape.max_offset_bits;
  const std::size_t size = std::size_t{1} << shape.size_log;
  std::size_t left = size - bins.size();
  Bin& heavy = bins[random.below(bins.size())];
  if (shape.share != 0) {
    const auto expected = static_cast<std::size_t>(shape.share * static_cast<double>(size));
    const std::size_t taken = std::min(left, expected > 0 ? expected - 1 : 0);
    heavy.weight += static_cast<std::uint32_t>(taken);
    left -= taken;
    if (shape.is_value || random.one_in(2)) heavy.offset_bits = 0;  // as frequent values have it
  }
  if (random.one_in(3)) {
    heavy.weight += static_cast<std::uint32_t>(left);
    left = 0;
  }
  for (; left > 0; --left) ++bins[random.below(bins.size())].weight;
  return bins;
}

inline AnsStates random_states(unsigned size_log, Random& random) {
  AnsStates states{};
  for (std::uint32_t& state : states) {
    state = static_cast<std::uint32_t>(random.below(std::uint64_t{1} << size_log));
  }
  return states;
}

// Some latents, and where they end.
struct NaiveBatch {
  std::vector<std::uint64_t> latents;
  AnsStates states{};
  std::uint64_t codes_end = 0;
  std::uint64_t end = 0;
};

// `table` by naive_table(); empty where there are no codes.
template <Latent L>
NaiveBatch naive_decode(const std::vector<Bin>& bins, const std::vector<NaiveState>& table, L bias,
                        const AnsStates& states, ByteSpan in, std::uint64_t position,
                        std::size_t n) {
  NaiveBatch batch{std::vector<std::uint64_t>(n), states, position, position};
  std::vector<unsigned> symbols(n);
  for (std::size_t i = 0; i < n && bins.size() > 1; ++i) {
    std::uint32_t& state = batch.states[i % kAnsStates];
    const NaiveState& entry = table[state];
    symbols[i] = entry.symbol;
    state = entry.next + static_cast<std::uint32_t>(get_bits(in, batch.end, entry.code_bits));
  }
  batch.codes_end = batch.end;
  for (std::size_t i = 0; i < n; ++i) {
    const Bin& bin = bins[symbols[i]];
    batch.latents[i] = static_cast<L>(bin.lower + get_bits(in, batch.end, bin.offset_bits) + bias);
  }
  return batch;
}

// Bytes that kernels may read to decode n latents of up to `max_bits` bits.
inline std::size_t readable_bytes(std::uint64_t position, std::size_t n, unsigned max_bits) {
  return static_cast<std::size_t>((position + n * std::uint64_t{max_bits} + 7) / 8) +
         kReadSlackBytes;
}

}  // namespace numpact::testing
