// SPDX-License-Identifier: Apache-2.0
// Lists of alternatives for a chunk: those that are encoded, and the best estimates.
#pragma once

#include <array>
#include <span>

#include "pco/encode/choice.hpp"
#include "pco/encode/estimate/binned.hpp"

namespace numpact::internal {

// The alternatives for a chunk in the order in which they are encoded: the best by estimate first,
// then those that are encoded for comparison.
class ChoiceList {
 public:
  // Alternatives encoded for one chunk: more take longer than they save. From level 10 on up to six
  // may be worth an attempt: the best, two other orders of its delta, two other modes, and Classic
  // without a delta. The first four are kept.
  static constexpr std::size_t kCapacity = 4;

  // Returns false, and does not add the choice, if the list is full.
  bool add(const Choice& choice) {
    if (size_ == kCapacity) return false;
    choices_[size_++] = choice;
    return true;
  }
  // Inserts a choice before the others and keeps the first `others` of them, if the capacity allows
  // it. Returns how many are kept. The first of these is encoded only if the new one takes more
  // than attempt_above_bits.
  std::size_t prepend(const Choice& choice, std::size_t others, float attempt_above_bits);

  std::span<const Choice> all() const { return {choices_.data(), size_}; }

 private:
  std::array<Choice, kCapacity> choices_;
  std::size_t size_ = 0;
};

// The best estimates so far, in ascending order of their bits.
class Ranking {
 public:
  // More are never encoded.
  static constexpr std::size_t kMaxRanked = ChoiceList::kCapacity;

  void add(const Estimate& estimate);
  const Estimate& first() const { return estimates_[0]; }
  std::span<const Estimate> all() const { return {estimates_.data(), size_}; }

 private:
  std::array<Estimate, kMaxRanked> estimates_;
  std::size_t size_ = 0;
};

}  // namespace numpact::internal
