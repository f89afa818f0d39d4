// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/choice_list.hpp"

#include <algorithm>

namespace numpact::internal {

std::size_t ChoiceList::prepend(const Choice& choice, std::size_t others,
                                float attempt_above_bits) {
  choices_[0].attempt_above_bits = attempt_above_bits;
  const std::size_t kept = std::min({size_, others, kCapacity - 1});
  std::copy_backward(choices_.begin(), choices_.begin() + static_cast<std::ptrdiff_t>(kept),
                     choices_.begin() + static_cast<std::ptrdiff_t>(kept) + 1);
  choices_[0] = choice;
  size_ = kept + 1;
  return kept;
}

void Ranking::add(const Estimate& estimate) {
  std::size_t at = size_ < kMaxRanked ? size_++ : kMaxRanked;
  while (at > 0 && estimate.bits < estimates_[at - 1].bits) {
    if (at < kMaxRanked) estimates_[at] = estimates_[at - 1];
    --at;
  }
  if (at < kMaxRanked) estimates_[at] = estimate;
}

}  // namespace numpact::internal
