// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "numpact/types.hpp"

namespace numpact::digest {

// splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t n) { return next() % n; }

 private:
  std::uint64_t state_;
};

enum class Sort : std::uint8_t { kSmall, kDecimal, kWalk, kPeriod, kFew, kWild, kRegimes };
inline constexpr Sort kSorts[] = {Sort::kSmall, Sort::kDecimal, Sort::kWalk,   Sort::kPeriod,
                                  Sort::kFew,   Sort::kWild,    Sort::kRegimes};
inline constexpr const char* kSortNames[] = {"small", "decimal", "walk",   "period",
                                             "few",   "wild",    "regimes"};

// The bits of an integer as a float: rounded toward zero, no subnormals.
inline std::uint16_t half_bits(std::int64_t value) {
  const unsigned sign = value < 0 ? 0x8000 : 0;
  const auto bits = static_cast<std::uint64_t>(value);
  std::uint64_t magnitude = (value < 0 ? 0 - bits : bits) % 60000;
  if (magnitude == 0) return static_cast<std::uint16_t>(sign);
  const unsigned exponent = static_cast<unsigned>(std::bit_width(magnitude)) - 1;
  magnitude = exponent > 10 ? magnitude >> (exponent - 10) : magnitude << (10 - exponent);
  return static_cast<std::uint16_t>(sign | (exponent + 15) << 10 | (magnitude & 0x3ff));
}

// One integer per number, and by what a float is divided.
struct Integers {
  std::vector<std::int64_t> values;
  double divisor = 1;
};

inline Integers integers(Sort sort, std::size_t n, std::uint64_t seed) {
  Random random(seed);
  Integers made;
  made.values.resize(n);
  std::int64_t walk = 5000;
  for (std::size_t i = 0; i < n; ++i) {
    std::int64_t& value = made.values[i];
    const auto low = [&](std::uint64_t bound) {
      return static_cast<std::int64_t>(random.below(bound));
    };
    switch (sort) {
      case Sort::kSmall:
        value = low(1 + random.below(100)) + low(20);
        break;
      case Sort::kDecimal:
        value = (low(900) + low(900)) * 5;
        made.divisor = 100;
        break;
      case Sort::kWalk:
        value = walk += low(31) - 14;
        made.divisor = 8;
        break;
      case Sort::kPeriod:
        value = static_cast<std::int64_t>(i % 60) * 37 % 101 + (random.below(20) == 0 ? 1 : 0);
        break;
      case Sort::kFew:
        value = static_cast<std::int64_t>(random.below(9) * random.below(9) * 1234567);
        made.divisor = 3;
        break;
      case Sort::kWild:
        value = static_cast<std::int64_t>(random.next() >> random.below(64));
        break;
      case Sort::kRegimes:
        value = i < n / 2 ? low(4) : (walk += low(1000));
        break;
    }
  }
  return made;
}

// `n` numbers of `type`, as they lie in memory.
inline std::vector<std::byte> numbers(NumberType type, Sort sort, std::size_t n,
                                      std::uint64_t seed) {
  const Integers made = integers(sort, n, seed);
  const std::size_t size = size_of(type);
  std::vector<std::byte> bytes(n * size);
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t value = made.values[i];
    std::byte* const to = bytes.data() + i * size;
    const auto put = [&](auto number) { std::memcpy(to, &number, sizeof(number)); };
    if (type == NumberType::kF16) {
      put(half_bits(value));
    } else if (type == NumberType::kF32) {
      const float number = static_cast<float>(value) / static_cast<float>(made.divisor);
      put(sort == Sort::kWild ? std::bit_cast<float>(static_cast<std::uint32_t>(value)) : number);
    } else if (type == NumberType::kF64) {
      const double number = static_cast<double>(value) / made.divisor;
      put(sort == Sort::kWild ? std::bit_cast<double>(value) : number);
    } else if (size == 1) {
      put(static_cast<std::uint8_t>(value));
    } else if (size == 2) {
      put(static_cast<std::uint16_t>(value));
    } else if (size == 4) {
      put(static_cast<std::uint32_t>(value));
    } else {
      put(static_cast<std::uint64_t>(value));
    }
  }
  return bytes;
}

}  // namespace numpact::digest
