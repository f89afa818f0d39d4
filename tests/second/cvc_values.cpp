// SPDX-License-Identifier: Apache-2.0
// docs/format/cvc.md, "Compressions".
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

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

// ---- rot1 to rot4 ----

float rounded(float value) {
  const volatile float stored = value;
  return stored;
}

std::uint64_t sign_word(std::uint64_t seed, std::uint64_t k) {
  std::uint64_t word = seed + (k + 1) * 0x9e3779b97f4a7c15u;
  word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u;
  word = (word ^ word >> 27) * 0x94d049bb133111ebu;
  return word ^ word >> 31;
}

void transform(float* values, std::size_t n) {
  for (std::size_t half = n / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < n; ++i) {
      if ((i & half) != 0) continue;
      const float low = values[i];
      const float high = values[i + half];
      values[i] = rounded(low + high);
      values[i + half] = rounded(low - high);
    }
  }
  const auto factor = static_cast<float>(1 / std::sqrt(static_cast<double>(n)));
  for (std::size_t i = 0; i < n; ++i) values[i] = rounded(values[i] * factor);
}

void decode_rotated(ByteSpan bytes, const Encoding& encoding, PlainSlice& slice) {
  static const std::vector<float> kUpper[] = {
      {1.0f},
      {0.4528f, 1.5104f},
      {0.2451f, 0.7560f, 1.3440f, 2.1520f},
      {0.1284f, 0.3881f, 0.6568f, 0.9424f, 1.2562f, 1.6181f, 2.0691f, 2.7326f}};
  const auto bits = static_cast<std::uint64_t>(encoding.compression.back() - '0');
  const std::vector<float>& upper = kUpper[bits - 1];
  const auto dimension = static_cast<std::size_t>(encoding.dimension);
  const std::uint64_t row_bytes =
      dimension == 0 ? 0 : 4 + ceil_of(checked_product(dimension, bits), 8);
  const std::uint64_t means = checked_product(encoding.rows, row_bytes);
  need_size(bytes, checked_sum(means, checked_sum(checked_product(dimension, 4), 8)));
  const std::uint64_t seed = integer_at(bytes, means + 4 * dimension, 8);
  const auto float_at = [&](std::uint64_t at) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(integer_at(bytes, at, 4)));
  };
  const std::size_t part = std::bit_floor(dimension);
  std::vector<float> values(dimension);
  for (std::uint64_t row = 0; row < encoding.rows && dimension > 0; ++row) {
    const float scale = float_at(row * row_bytes);
    for (std::size_t i = 0; i < dimension; ++i) {
      std::uint64_t code = 0;
      for (std::uint64_t k = 0; k < bits; ++k) {
        const std::uint64_t bit = i * bits + k;
        code |= (integer_at(bytes, row * row_bytes + 4 + bit / 8, 1) >> bit % 8 & 1) << k;
      }
      const float level =
          code < upper.size() ? -upper[upper.size() - 1 - code] : upper[code - upper.size()];
      values[i] = rounded(level * scale);
    }
    for (std::uint64_t round = 3; round-- > 0;) {
      transform(&values[round == 1 ? dimension - part : 0], part);
      for (std::size_t i = 0; i < dimension; ++i) {
        const std::uint64_t word = sign_word(seed, round * ceil_of(dimension, 64) + i / 64);
        if ((word >> i % 64 & 1) != 0) values[i] = -values[i];
      }
    }
    for (std::size_t i = 0; i < dimension; ++i) {
      const float value = std::isfinite(scale) ? rounded(values[i] + float_at(means + 4 * i))
                                               : std::numeric_limits<float>::quiet_NaN();
      append_float(slice, std::bit_cast<std::uint32_t>(value));
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
                                       "int8_row", "int8_dim", "int4",     "pco",  "rot1",
                                       "rot2",     "rot3",     "rot4"};
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
  } else if (name.starts_with("rot")) {
    decode_rotated(bytes, encoding, slice);
  } else {
    decode_quantized(bytes, encoding, slice);
  }
  return slice;
}

}  // namespace numpact::second
