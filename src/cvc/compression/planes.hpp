// SPDX-License-Identifier: Apache-2.0
// Loops of the lossless compression: byte planes of floats, and packed codes of 1 to 8 bits, most
// significant bit first. Compiled for every instruction set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace numpact::cvc::internal {

inline constexpr std::size_t kPlanes = 4;

// The byte of each code; kNoEntry for codes past the dictionary.
inline constexpr std::uint16_t kNoEntry = 0x100;
using DecodeTable = std::array<std::uint16_t, 256>;
using EncodeTable = std::array<std::uint8_t, 256>;

// Code `index` of a plane of packed codes.
constexpr unsigned code_at(const std::byte* packed, std::uint64_t index, unsigned width) {
  const std::uint64_t bit = index * width;
  const auto first = static_cast<unsigned>(packed[bit / 8]);
  const unsigned shift = static_cast<unsigned>(bit % 8);
  const bool has_more = shift + width > 8;
  const unsigned second = has_more ? static_cast<unsigned>(packed[bit / 8 + 1]) : 0;
  return (first << 8 | second) >> (16 - shift - width) & ((1u << width) - 1);
}

// Decodes codes [first, first + n) of the `size` bytes of a plane. False if a code has no entry in
// the table.
bool unpack_codes(const std::byte* packed, std::uint64_t size, std::uint64_t first, std::size_t n,
                  unsigned width, const DecodeTable& table, std::uint8_t* out);
// Encodes bytes as packed codes. `n` is a multiple of 8 except in the last call of a plane. Returns
// the number of bytes written; the last one is padded with zeros. Up to 8 bytes behind them are
// overwritten.
std::size_t pack_codes(const std::uint8_t* bytes, std::size_t n, unsigned width,
                       const EncodeTable& table, std::byte* out);

// Byte k of value i is planes[k][i]; byte 0 is the least significant one.
void join_planes(const std::uint8_t* const planes[kPlanes], std::size_t n, float* values);
void take_plane(const float* values, std::size_t n, std::size_t plane, std::uint8_t* out);

}  // namespace numpact::cvc::internal
