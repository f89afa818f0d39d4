// SPDX-License-Identifier: Apache-2.0
// The format's bit packing and tANS by the letter of its description, one bit at a time.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "base/internal.hpp"
#include "pco/ans/bin.hpp"
#include "support/bytes.hpp"

namespace numpact::testing {

using BitVector = std::vector<bool>;

inline void put_bits(BitVector& bits, std::uint64_t value, unsigned count) {
  for (unsigned i = 0; i < count; ++i) bits.push_back((value >> i & 1) != 0);
}
inline Bytes pack(const BitVector& bits) {
  Bytes bytes((bits.size() + 7) / 8);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (bits[i]) bytes[i / 8] |= static_cast<std::byte>(1 << i % 8);
  }
  return bytes;
}
inline std::uint64_t get_bits(ByteSpan bytes, std::uint64_t& position, unsigned count) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < count; ++i, ++position) {
    const auto byte = std::to_integer<std::uint64_t>(bytes[position / 8]);
    value |= (byte >> position % 8 & 1) << i;
  }
  return value;
}

// The symbol of each state.
inline std::vector<unsigned> spread(const std::vector<Bin>& bins, unsigned size_log) {
  const std::size_t size = std::size_t{1} << size_log;
  std::size_t stride = 3 * size / 5;
  if (stride % 2 == 0) ++stride;
  std::vector<unsigned> symbols(size, ~0u);
  std::size_t k = 0;
  for (unsigned symbol = 0; symbol < bins.size(); ++symbol) {
    for (std::uint32_t i = 0; i < bins[symbol].weight; ++i) symbols[stride * k++ % size] = symbol;
  }
  return symbols;
}

struct NaiveState {
  unsigned symbol;
  unsigned code_bits;
  std::uint32_t next;
};
inline std::vector<NaiveState> naive_table(const std::vector<Bin>& bins, unsigned size_log) {
  std::vector<NaiveState> table;
  std::vector<std::uint32_t> occurrences(bins.size());
  for (const unsigned symbol : spread(bins, size_log)) {
    const std::uint32_t x = bins[symbol].weight + occurrences[symbol]++;
    const unsigned bits = size_log - (static_cast<unsigned>(std::bit_width(x)) - 1);
    table.push_back({symbol, bits, (x << bits) - (1u << size_log)});
  }
  return table;
}

}  // namespace numpact::testing
