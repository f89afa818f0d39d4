// SPDX-License-Identifier: Apache-2.0
// An input of a fuzzer as a series of choices and some bytes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "support/bytes.hpp"

namespace numpact::fuzz {

// Choices are taken from the end of the input, bytes from its front, so that a change of the one
// does not move the other. Where the input is used up choices are 0.
class Draw {
 public:
  explicit Draw(testing::ByteSpan input) : rest_(input) {}

  // A number of `bytes` bytes.
  std::uint64_t bits(unsigned bytes) {
    std::uint64_t value = 0;
    for (; bytes > 0 && !rest_.empty(); --bytes) {
      value = value << 8 | std::to_integer<std::uint64_t>(rest_.back());
      rest_ = rest_.first(rest_.size() - 1);
    }
    return value;
  }
  // 0 to n - 1, by as many bytes as n takes.
  std::uint64_t below(std::uint64_t n) {
    return n < 2 ? 0 : bits(static_cast<unsigned>(std::bit_width(n - 1) + 7) / 8) % n;
  }
  // first to last, both possible.
  std::uint64_t between(std::uint64_t first, std::uint64_t last) {
    return first + below(last - first + 1);
  }
  bool flag() { return bits(1) % 2 != 0; }
  // Not where the input is used up.
  bool one_in(std::uint64_t n) { return below(n) == n - 1; }
  template <class Range>
  const auto& pick(const Range& range) {
    return *(std::begin(range) + static_cast<std::ptrdiff_t>(below(std::size(range))));
  }

  // The next bytes, at most `n`.
  testing::ByteSpan take(std::size_t n) {
    const testing::ByteSpan taken = rest_.first(std::min(n, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  testing::ByteSpan rest() { return take(rest_.size()); }
  bool is_empty() const { return rest_.empty(); }

 private:
  testing::ByteSpan rest_;
};

// Numbers that follow from a seed, for what need not be in the input.
class Sequence {
 public:
  explicit Sequence(std::uint64_t seed) : state_(seed) {}
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

}  // namespace numpact::fuzz
