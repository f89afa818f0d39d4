// SPDX-License-Identifier: Apache-2.0
// Hash table that numbers distinct values in the order of their first occurrence.
#pragma once

#include <algorithm>
#include <bit>
#include <span>

#include "base/arena.hpp"
#include "number/latent.hpp"
#include "pco/stats/constant_blocks.hpp"

namespace numpact::internal {

template <Latent L>
class ValueIndex {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // Holds at most max_values values. Memory grows with the values added.
  ValueIndex(std::size_t max_values, Arena& arena) : max_values_(max_values), arena_(arena) {
    grow_to(std::min(max_values, kInitialValuesN));
  }

  // The number of the value, a new one for a new value; kNone if the index is full.
  std::uint32_t add(L value) {
    std::size_t at = Table(slots_).slot_of(value);
    if (slots_[at].number == kNone) {
      if (size_ == max_values_) return kNone;
      if (size_ == values_.size()) {
        grow_to(std::min(max_values_, 4 * size_));
        at = Table(slots_).slot_of(value);
      }
      values_[size_] = value;
      slots_[at] = {value, static_cast<std::uint32_t>(size_++)};
    }
    return slots_[at].number;
  }

  // The number of the value; kNone if it was not added.
  std::uint32_t find(L value) const { return Table(slots_).find(value); }

  // Adds the values in order and calls use(number, times), once per element or once for several
  // equal adjacent elements. Stops and returns false when the index is full.
  template <class F>
  bool add_all(std::span<const L> values, F&& use) {
    bool is_complete = true;
    std::uint32_t last = kNone;
    ConstantBlocks(values, arena_)
        .each(
            1,
            [&](std::size_t begin, std::size_t end) {
              if (is_complete) is_complete = add_each(values.subspan(begin, end - begin), use);
              last = is_complete ? find(values[end - 1]) : kNone;
            },
            [&](std::size_t begin, std::size_t end) {
              if (is_complete) use(last, static_cast<std::uint32_t>(end - begin));
            });
    return is_complete;
  }

  // Sets numbers[i] to the number of values[i], which must have been added.
  void find_all(std::span<const L> values, std::uint32_t* numbers) const {
    const ArenaScope scratch(arena_);
    const Table table(slots_);
    ConstantBlocks(values, arena_)
        .each(
            1,
            [&](std::size_t begin, std::size_t end) {
              for (std::size_t i = begin; i < end; ++i) numbers[i] = table.find(values[i]);
            },
            [&](std::size_t begin, std::size_t end) {
              std::fill(numbers + begin, numbers + end, numbers[begin - 1]);
            });
  }

  std::span<const L> values() const { return values_.first(size_); }

 private:
  struct Slot {
    L value;
    std::uint32_t number;
  };

  // All values of 8 bits have a slot of their own.
  static constexpr bool kIsDirect = sizeof(L) == 1;

  // Open addressing. The count of slots is a power of two: one slot per possible value, or more
  // than twice the count of values, so that a search always meets a free slot.
  class Table {
   public:
    explicit Table(std::span<const Slot> slots)
        : slots_(slots.data()),
          mask_(slots.size() - 1),
          shift_(64 - static_cast<unsigned>(std::bit_width(mask_))) {}

    // The slot of the value, or the free slot where it would be inserted.
    std::size_t slot_of(L value) const {
      if constexpr (kIsDirect) return value;
      std::size_t at =
          static_cast<std::size_t>((std::uint64_t{value} * 0x9e3779b97f4a7c15u) >> shift_);
      while (slots_[at].value != value && slots_[at].number != kNone) at = (at + 1) & mask_;
      return at;
    }
    std::uint32_t find(L value) const { return slots_[slot_of(value)].number; }

   private:
    const Slot* slots_;
    std::size_t mask_;
    unsigned shift_;
  };

  template <class F>
  bool add_each(std::span<const L> values, F&& use) {
    for (std::size_t i = 0; i < values.size();) {
      // A local copy, which the compiler knows not to be changed by the stores of use().
      const Table table(slots_);
      for (; i < values.size(); ++i) {
        const std::uint32_t number = table.find(values[i]);
        if (number == kNone) break;
        use(number, 1u);
      }
      if (i == values.size()) break;
      const std::uint32_t number = add(values[i++]);
      if (number == kNone) return false;
      use(number, 1u);
    }
    return true;
  }

  void grow_to(std::size_t capacity) {
    const std::span<const L> old = values();
    values_ = arena_.make<L>(capacity);
    slots_ = arena_.make<Slot>(kIsDirect ? kDirectSlotsN : std::bit_ceil(2 * capacity + 2));
    std::fill(slots_.begin(), slots_.end(), Slot{0, kNone});
    for (std::size_t i = 0; i < old.size(); ++i) {
      values_[i] = old[i];
      slots_[Table(slots_).slot_of(old[i])] = {old[i], static_cast<std::uint32_t>(i)};
    }
  }

  // Initial capacity in values. It grows by factors of four.
  static constexpr std::size_t kInitialValuesN = std::size_t{1} << 10;
  static constexpr std::size_t kDirectSlotsN = std::size_t{1} << 8;

  std::size_t max_values_;
  Arena& arena_;
  std::span<L> values_;
  std::span<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace numpact::internal
