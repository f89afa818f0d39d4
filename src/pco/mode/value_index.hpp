// SPDX-License-Identifier: Apache-2.0
// Numbers distinct values in the order in which they are met.
#ifndef NUMPACT_PCO_MODE_VALUE_INDEX_HPP
#define NUMPACT_PCO_MODE_VALUE_INDEX_HPP

#include <algorithm>
#include <bit>
#include <span>

#include "base/arena.hpp"
#include "number/latent.hpp"

namespace numpact {

template <Latent L>
class ValueIndex {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // For at most `most` values. Grows as they come.
  ValueIndex(std::size_t most, Arena& arena) : most_(most), arena_(arena) {
    make_room(std::min(most, kFirstRoom));
  }

  // The value's number; a new one if it was not met before, kNone if there is no room for it.
  std::uint32_t add(L value) {
    std::size_t at = find_slot(value);
    if (slots_[at].number == kNone) {
      if (size_ == most_) return kNone;
      if (size_ == values_.size()) {
        make_room(std::min(most_, 4 * size_));
        at = find_slot(value);
      }
      values_[size_] = value;
      slots_[at] = {value, static_cast<std::uint32_t>(size_++)};
    }
    return slots_[at].number;
  }

  // kNone if it was not met.
  std::uint32_t find(L value) const { return slots_[find_slot(value)].number; }

  std::span<const L> values() const { return values_.first(size_); }

 private:
  struct Slot {
    L value;
    std::uint32_t number;
  };

  void make_room(std::size_t room) {
    const std::span<const L> old = values();
    values_ = arena_.make<L>(room);
    log_ = std::max(1u, static_cast<unsigned>(std::bit_width(2 * room)));
    slots_ = arena_.make<Slot>(std::size_t{1} << log_);
    std::fill(slots_.begin(), slots_.end(), Slot{0, kNone});
    for (std::size_t i = 0; i < old.size(); ++i) {
      values_[i] = old[i];
      slots_[find_slot(old[i])] = {old[i], static_cast<std::uint32_t>(i)};
    }
  }

  // There are more than twice as many slots as values, so one is free.
  std::size_t find_slot(L value) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at =
        static_cast<std::size_t>((std::uint64_t{value} * 0x9e3779b97f4a7c15u) >> (64 - log_));
    while (slots_[at].number != kNone && slots_[at].value != value) at = (at + 1) & mask;
    return at;
  }

  static constexpr std::size_t kFirstRoom = std::size_t{1} << 10;

  std::size_t most_;
  Arena& arena_;
  std::span<L> values_;
  std::span<Slot> slots_;
  unsigned log_ = 1;
  std::size_t size_ = 0;
};

}  // namespace numpact

#endif
