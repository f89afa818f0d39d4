// SPDX-License-Identifier: Apache-2.0
#include "cvc/quality/row_sample.hpp"

#include <algorithm>

namespace numpact::cvc::quality {
namespace {

// splitmix64, a bijection, so that keys are unique.
std::uint64_t key_of(std::uint64_t row) {
  std::uint64_t bits = (row + 1) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

}  // namespace

std::optional<std::size_t> RowSample::offer(std::uint64_t row) {
  Taken taken{key_of(row), taken_.size()};
  if (taken_.size() == capacity_) {
    if (capacity_ == 0 || taken_.top() < taken) return std::nullopt;
    taken.place = taken_.top().place;
    taken_.pop();
  }
  taken_.push(taken);
  return taken.place;
}

std::vector<std::size_t> RowSample::order() const {
  std::priority_queue<Taken> left = taken_;
  std::vector<std::size_t> places;
  for (; !left.empty(); left.pop()) places.push_back(left.top().place);
  std::reverse(places.begin(), places.end());
  return places;
}

}  // namespace numpact::cvc::quality
