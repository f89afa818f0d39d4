// SPDX-License-Identifier: Apache-2.0
#include "common/numbers.hpp"

#include <bit>
#include <cmath>
#include <cstring>

namespace numpact::fuzz {
namespace {

// The bits of each number, the low ones of 64.
using Words = std::vector<std::uint64_t>;

std::uint64_t low_bits(std::uint64_t word, std::uint64_t n) {
  return n == 0 ? 0 : word >> (64 - n);
}

Words raw(Draw& draw, std::size_t n, std::size_t size) {
  const testing::ByteSpan bytes = draw.take(n * size);
  Words words(n);
  if (bytes.empty()) return words;
  for (std::size_t i = 0; i < n * size; ++i) {
    const auto byte = std::to_integer<std::uint64_t>(bytes[i % bytes.size()]);
    words[i / size] |= byte << (8 * (i % size));
  }
  return words;
}

Words uniform(Draw& draw, std::size_t n) {
  const std::uint64_t width = draw.below(65);
  const std::uint64_t start = draw.flag() ? draw.bits(8) : 0;
  Sequence random(draw.bits(2));
  Words words(n);
  for (std::uint64_t& word : words) word = start + low_bits(random.next(), width);
  return words;
}

// Sums of sums, the last of noise.
Words walk(Draw& draw, std::size_t n) {
  const std::uint64_t order = draw.below(4);
  const std::uint64_t noise = draw.below(40);
  std::uint64_t state[4] = {draw.bits(8), draw.bits(4), draw.bits(2), draw.bits(1)};
  Sequence random(draw.bits(2));
  Words words(n);
  for (std::uint64_t& word : words) {
    word = state[0] + (order == 0 ? low_bits(random.next(), noise) : 0);
    for (std::uint64_t i = 0; i < order; ++i) state[i] += state[i + 1];
    if (order > 0) state[order - 1] += low_bits(random.next(), noise);
  }
  return words;
}

Words few_values(Draw& draw, std::size_t n, std::size_t size) {
  const Words values = raw(draw, 1 + draw.below(300), size);
  const std::uint64_t often = 1 + draw.below(values.size());
  Sequence random(draw.bits(2));
  Words words(n);
  for (std::uint64_t& word : words) {
    word = values[random.below(random.below(4) == 0 ? values.size() : often)];
  }
  return words;
}

Words multiples(Draw& draw, std::size_t n) {
  const std::uint64_t base = draw.flag() ? draw.bits(1) : draw.bits(8);
  const std::uint64_t shift = draw.flag() ? draw.bits(8) : 0;
  const std::uint64_t width = draw.below(20);
  const std::uint64_t odd_one_in = 1 + draw.below(256);
  Sequence random(draw.bits(2));
  Words words(n);
  for (std::uint64_t& word : words) {
    word = base * low_bits(random.next(), width) + shift;
    if (random.below(256) >= odd_one_in) word += random.below(3);
  }
  return words;
}

Words repeats(Draw& draw, std::size_t n, std::size_t size) {
  Words words = raw(draw, n, size);
  Sequence random(draw.bits(2));
  const std::uint64_t max_run = 1 + draw.below(64);
  const std::uint64_t far = 1 + draw.below(4096);
  for (std::size_t i = 1; i < n;) {
    const std::uint64_t back = 1 + random.below(std::min<std::uint64_t>(far, i));
    const std::size_t end = std::min<std::size_t>(n, i + 1 + random.below(max_run));
    for (; i < end; ++i) words[i] = words[i - back];
    i += random.below(3);
  }
  return words;
}

// Multiples of a float, with their rounding errors.
Words decimals(Draw& draw, NumberType type, std::size_t n) {
  constexpr double kBases[] = {0.01, 0.1, 1.0, 1e-5, 3.0, 1.0 / 3, 1e10, 0.25};
  const double base = draw.flag() ? std::bit_cast<double>(draw.bits(8)) : draw.pick(kBases);
  const std::uint64_t width = draw.below(50);
  Sequence random(draw.bits(2));
  Words words(n);
  for (std::uint64_t& word : words) {
    const auto factor = static_cast<std::int64_t>(low_bits(random.next(), width)) -
                        static_cast<std::int64_t>(low_bits(~std::uint64_t{0}, width) / 2);
    const double value = base * static_cast<double>(factor);
    word = type == NumberType::kF64 ? std::bit_cast<std::uint64_t>(value)
                                    : std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
  return words;
}

// Floats whose low bits are mostly 0.
Words quantized(Draw& draw, std::size_t n, std::size_t size) {
  Words words = raw(draw, n, size);
  const std::uint64_t k = draw.below(8 * size);
  const std::uint64_t odd_one_in = 1 + draw.below(256);
  Sequence random(draw.bits(2));
  for (std::uint64_t& word : words) {
    word += random.next() >> 32 << k;
    if (random.below(256) < odd_one_in) word = word >> k << k;
  }
  return words;
}

// Zeros, infinities, NaNs, the smallest and largest, and their neighbours.
Words edges(Draw& draw, NumberType type, std::size_t n) {
  const unsigned bits = static_cast<unsigned>(8 * size_of(type));
  const unsigned mantissa = bits == 16 ? 10 : bits == 32 ? 23 : 52;
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  const std::uint64_t infinity = sign - (std::uint64_t{1} << std::min(mantissa, bits - 2));
  const std::uint64_t at[] = {0, 1, sign, sign - 1, infinity, infinity | sign, ~std::uint64_t{0}};
  const std::uint64_t near = draw.below(4);
  Sequence random(draw.bits(2));
  Words words(n);
  for (std::uint64_t& word : words) word = at[random.below(7)] + random.below(near + 1);
  return words;
}

Words draw_words(Draw& draw, NumberType type, std::size_t n) {
  const std::size_t size = size_of(type);
  switch (draw.below(10)) {
    default:
      return raw(draw, n, size);
    case 1:
      return uniform(draw, n);
    case 2:
    case 3:
      return walk(draw, n);
    case 4:
      return few_values(draw, n, size);
    case 5:
      return multiples(draw, n);
    case 6:
      return repeats(draw, n, size);
    case 7:
      return kind_of(type) == NumberKind::kFloat && size > 2 ? decimals(draw, type, n)
                                                             : multiples(draw, n);
    case 8:
      return quantized(draw, n, size);
    case 9:
      return edges(draw, type, n);
  }
}

}  // namespace

NumberType draw_type(Draw& draw) { return draw.pick(kNumberTypes); }

NumberArray draw_numbers(Draw& draw, NumberType type, std::size_t max_n) {
  const std::uint64_t n =
      draw.one_in(16) ? draw.below(max_n + 1) : draw.below(std::min<std::size_t>(max_n, 600) + 1);
  Words words = draw_words(draw, type, static_cast<std::size_t>(n));
  if (draw.one_in(4) && n > 0) {
    // Another kind from somewhere on.
    const std::size_t from = draw.below(n);
    const Words others = draw_words(draw, type, words.size() - from);
    std::copy(others.begin(), others.end(), words.begin() + static_cast<std::ptrdiff_t>(from));
  }
  for (std::uint64_t i = draw.one_in(4) && n > 0 ? draw.below(4) : 0; i > 0; --i) {
    words[draw.below(n)] = draw.bits(8);
  }
  NumberArray numbers(type);
  const std::size_t size = size_of(type);
  numbers.storage().resize(words.size() * size);
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (std::size_t k = 0; k < size; ++k) {
      numbers.storage()[i * size + k] = static_cast<std::byte>(words[i] >> (8 * k) & 0xff);
    }
  }
  return numbers;
}

}  // namespace numpact::fuzz
