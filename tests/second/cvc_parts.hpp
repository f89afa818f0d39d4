// SPDX-License-Identifier: Apache-2.0
// Functions that the sources of the second CVC reader share.
#pragma once

#include "second/cvc_plain.hpp"

namespace numpact::second {

using ByteSpan = std::span<const std::byte>;

inline std::uint64_t checked_product(std::uint64_t a, std::uint64_t b) {
  refuse_if(b != 0 && a > ~std::uint64_t{0} / b, "more than 64 bits count");
  return a * b;
}
inline std::uint64_t checked_sum(std::uint64_t a, std::uint64_t b) {
  refuse_if(a > ~std::uint64_t{0} - b, "more than 64 bits count");
  return a + b;
}
inline std::uint64_t ceil_of(std::uint64_t a, std::uint64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}
// A little-endian integer of up to 8 bytes.
inline std::uint64_t integer_at(ByteSpan bytes, std::size_t at, std::size_t size) {
  if (at > bytes.size() || size > bytes.size() - at) truncated("the input ends inside a field");
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) {
    value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
  }
  return value;
}
inline void append_integer(std::vector<std::byte>& out, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) out.push_back(static_cast<std::byte>(value >> 8 * i));
}

// Everything except the bytes that decoding of values needs.
struct Encoding {
  std::string compression;
  std::uint64_t rows = 0;
  std::uint64_t dimension = 0;
  std::string dtype;  // type of the column; empty in files of one array
  float min = 0;      // int8
  float scale = 0;    // int8
};

// Size of a number in bytes; 0 if the name is unknown.
std::size_t size_of_dtype(const std::string& dtype);
bool is_compression(const std::string& name);

// ---- cvc_values.cpp, cvc_pco.cpp ----

PlainSlice decode_values(ByteSpan bytes, const Encoding& encoding);
PlainSlice decode_pco_grid(ByteSpan bytes, const Encoding& encoding);

// Converts the bits of binary16 to those of binary32.
std::uint32_t widened_half(std::uint32_t half);

}  // namespace numpact::second
