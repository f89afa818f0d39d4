// SPDX-License-Identifier: Apache-2.0
// Reproducible random numbers: the seed is printed; NUMPACT_SEED sets it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace numpact::testing {

inline std::uint64_t seed() {
  static const std::uint64_t value = [] {
    const char* const text = std::getenv("NUMPACT_SEED");
    const std::uint64_t chosen = text != nullptr ? std::strtoull(text, nullptr, 0) : 20250611u;
    std::printf("NUMPACT_SEED=%llu\n", static_cast<unsigned long long>(chosen));
    return chosen;
  }();
  return value;
}

class Random {
 public:
  // Different streams are independent.
  explicit Random(std::uint64_t stream = 0) : engine_(seed() * 0x9e3779b97f4a7c15u + stream) {}

  std::uint64_t bits() { return engine_(); }
  // A number whose low `n` (0 to 64) bits are random.
  std::uint64_t bits(unsigned n) { return n == 0 ? 0 : engine_() >> (64 - n); }
  // 0 to n - 1.
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  // first to last, inclusive.
  std::uint64_t between(std::uint64_t first, std::uint64_t last) {
    return first + below(last - first + 1);
  }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  double normal() { return normal_(engine_); }
  // In [0, 1).
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  template <class Range>
  const auto& pick(const Range& range) {
    return *(std::begin(range) + static_cast<std::ptrdiff_t>(below(std::size(range))));
  }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
};

}  // namespace numpact::testing
