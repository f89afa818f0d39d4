// SPDX-License-Identifier: Apache-2.0
// docs/format/cvc.md, "Compressions".
#include <algorithm>
#include <array>
#include <bit>

#include "second/cvc_parts.hpp"

namespace numpact::second {
namespace {

void append_float(PlainSlice& slice, std::uint32_t bits) { append_integer(slice.values, bits, 4); }

// The product is rounded before the addition.
std::uint32_t scaled(std::uint64_t code, float scale, float min) {
  const volatile float product = static_cast<float>(code) * scale;
  const volatile float sum = product + min;
  return std::bit_cast<std::uint32_t>(static_cast<float>(sum));
}

void need_size(ByteSpan bytes, std::uint64_t size) {
  refuse_if(bytes.size() != size, "a payload not as long as its compression says");
}

void decode_words(ByteSpan bytes, std::uint64_t n, PlainSlice& slice, auto widen) {
  need_size(bytes, checked_product(n, 2));
  for (std::uint64_t i = 0; i < n; ++i) {
    append_float(slice, widen(static_cast<std::uint32_t>(integer_at(bytes, 2 * i, 2))));
  }
}

void decode_int8(ByteSpan bytes, std::uint64_t n, const Encoding& encoding, PlainSlice& slice) {
  need_size(bytes, n);
  for (std::uint64_t i = 0; i < n; ++i) {
    append_float(slice, scaled(integer_at(bytes, i, 1), encoding.scale, encoding.min));
  }
}

// int8_row, int8_dim and int4.
void decode_quantized(ByteSpan bytes, const Encoding& encoding, PlainSlice& slice) {
  const bool nibbles = encoding.compression == "int4";
  const bool by_row = encoding.compression == "int8_row";
  const std::uint64_t row_bytes = nibbles ? ceil_of(encoding.dimension, 2) : encoding.dimension;
  const std::uint64_t scales = by_row ? encoding.rows : encoding.dimension;
  const std::uint64_t codes = checked_product(encoding.rows, row_bytes);
  need_size(bytes, checked_sum(codes, checked_product(scales, 8)));
  const auto parameter = [&](std::uint64_t i) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(integer_at(bytes, codes + 4 * i, 4)));
  };
  for (std::uint64_t row = 0; row < encoding.rows; ++row) {
    for (std::uint64_t d = 0; d < encoding.dimension; ++d) {
      const std::uint64_t byte = integer_at(bytes, row * row_bytes + (nibbles ? d / 2 : d), 1);
      const std::uint64_t code = !nibbles ? byte : d % 2 == 0 ? byte & 15 : byte >> 4;
      const std::uint64_t i = by_row ? row : d;
      append_float(slice, scaled(code, parameter(scales + i), parameter(i)));
    }
  }
}

void decode_lossless(ByteSpan bytes, std::uint64_t n, PlainSlice& slice) {
  refuse_if(integer_at(bytes, 0, 4) != n, "lossless: another count");
  std::array<std::vector<std::uint32_t>, 4> planes;
  std::size_t at = 8;
  for (std::size_t p = 0; p < 4; ++p) {
    const std::uint64_t width = integer_at(bytes, 4 + p, 1);
    refuse_if(width < 1 || width > 8, "lossless: width of codes");
    const std::uint64_t entries = integer_at(bytes, at, 2);
    refuse_if(entries > 256 || (entries == 0 && n != 0), "lossless: size of a dictionary");
    const std::size_t dictionary = at + 2;
    const std::size_t codes = dictionary + entries;
    at = codes + ceil_of(n * width, 8);
    if (at > bytes.size()) truncated("lossless: planes pass the payload");
    for (std::uint64_t i = 0; i < n; ++i) {
      std::uint64_t code = 0;
      for (std::uint64_t bit = i * width; bit < (i + 1) * width; ++bit) {
        code = code << 1 | (integer_at(bytes, codes + bit / 8, 1) >> (7 - bit % 8) & 1);
      }
      refuse_if(code >= entries, "lossless: code past the dictionary");
      planes[p].push_back(static_cast<std::uint32_t>(integer_at(bytes, dictionary + code, 1)));
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    append_float(slice, planes[0][i] | planes[1][i] << 8 | planes[2][i] << 16 | planes[3][i] << 24);
  }
}

void decode_none(ByteSpan bytes, std::uint64_t n, const Encoding& encoding, PlainSlice& slice) {
  refuse_if(encoding.dtype.empty(), "none in a file of one array");
  need_size(bytes, checked_product(n, size_of_dtype(encoding.dtype)));
  slice.dtype = encoding.dtype;
  slice.values.assign(bytes.begin(), bytes.end());
}

}  // namespace

std::size_t size_of_dtype(const std::string& dtype) {
  if (dtype == "int64") return 8;
  if (dtype == "float32" || dtype == "int32") return 4;
  if (dtype == "float16") return 2;
  return dtype == "int8" || dtype == "uint8" ? 1 : 0;
}

bool is_compression(const std::string& name) {
  static const char* const kNames[] = {"fp16",     "int8",     "lossless", "none", "bfloat16",
                                       "int8_row", "int8_dim", "int4",     "pco"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

std::uint32_t widened_half(std::uint32_t half) {
  const std::uint32_t sign = (half & 0x8000) << 16;
  const std::uint32_t exponent = half >> 10 & 31;
  std::uint32_t mantissa = half & 1023;
  if (exponent == 31) return sign | 0x7f800000 | mantissa << 13;
  if (exponent != 0) return sign | (exponent + 112) << 23 | mantissa << 13;
  if (mantissa == 0) return sign;
  std::uint32_t lowered = 113;
  while ((mantissa & 1024) == 0) {
    mantissa <<= 1;
    --lowered;
  }
  return sign | lowered << 23 | (mantissa & 1023) << 13;
}

PlainSlice decode_values(ByteSpan bytes, const Encoding& encoding) {
  PlainSlice slice{encoding.rows, "float32", {}};
  const std::uint64_t n = checked_product(encoding.rows, encoding.dimension);
  const std::string& name = encoding.compression;
  if (name == "fp16") {
    decode_words(bytes, n, slice, widened_half);
  } else if (name == "int8") {
    decode_int8(bytes, n, encoding, slice);
  } else if (name == "none") {
    decode_none(bytes, n, encoding, slice);
  } else if (name == "bfloat16") {
    decode_words(bytes, n, slice, [](std::uint32_t word) { return word << 16; });
  } else if (name == "lossless") {
    refuse_if(!encoding.dtype.empty(), "lossless in columns");
    decode_lossless(bytes, n, slice);
  } else if (name == "pco") {
    return decode_pco_grid(bytes, encoding);
  } else {
    decode_quantized(bytes, encoding, slice);
  }
  return slice;
}

}  // namespace numpact::second
