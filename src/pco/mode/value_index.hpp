// SPDX-License-Identifier: Apache-2.0
// Numbers distinct values in the order in which they are met.
#ifndef NUMPACT_PCO_MODE_VALUE_INDEX_HPP
#define NUMPACT_PCO_MODE_VALUE_INDEX_HPP

#include <algorithm>
#include <bit>
#include <span>

#include "base/arena.hpp"
#include "number/latent.hpp"
#include "pco/stats/flat_blocks.hpp"

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
    std::size_t at = Table(slots_).place_of(value);
    if (slots_[at].number == kNone) {
      if (size_ == most_) return kNone;
      if (size_ == values_.size()) {
        make_room(std::min(most_, 4 * size_));
        at = Table(slots_).place_of(value);
      }
      values_[size_] = value;
      slots_[at] = {value, static_cast<std::uint32_t>(size_++)};
    }
    return slots_[at].number;
  }

  // kNone if it was not met.
  std::uint32_t find(L value) const { return Table(slots_).find(value); }

  // Adds the values in turn and calls use(number, times) for each, or at once for some that follow
  // each other and are the same. False, as soon as there is no room for one.
  template <class F>
  bool add_all(std::span<const L> values, F&& use) {
    bool is_complete = true;
    std::uint32_t last = kNone;
    FlatBlocks(values, arena_)
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

  // The numbers of values that were met.
  void find_all(std::span<const L> values, std::uint32_t* numbers) const {
    const ArenaScope scratch(arena_);
    const Table table(slots_);
    FlatBlocks(values, arena_)
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

  // So few different values exist that each has a slot of its own.
  static constexpr bool kIsDirect = sizeof(L) == 1;

  // A power of two of slots: one for each value that exists, or at least two and more than twice as
  // many as values, so that one is free.
  class Table {
   public:
    explicit Table(std::span<const Slot> slots)
        : slots_(slots.data()),
          mask_(slots.size() - 1),
          shift_(64 - static_cast<unsigned>(std::bit_width(mask_))) {}

    // Where the value stands or would.
    std::size_t place_of(L value) const {
      if constexpr (kIsDirect) return value;
      std::size_t at =
          static_cast<std::size_t>((std::uint64_t{value} * 0x9e3779b97f4a7c15u) >> shift_);
      while (slots_[at].value != value && slots_[at].number != kNone) at = (at + 1) & mask_;
      return at;
    }
    std::uint32_t find(L value) const { return slots_[place_of(value)].number; }

   private:
    const Slot* slots_;
    std::size_t mask_;
    unsigned shift_;
  };

  template <class F>
  bool add_each(std::span<const L> values, F&& use) {
    for (std::size_t i = 0; i < values.size();) {
      // Copied, so that what is written meanwhile can't change it.
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

  void make_room(std::size_t room) {
    const std::span<const L> old = values();
    values_ = arena_.make<L>(room);
    slots_ = arena_.make<Slot>(kIsDirect ? kDirectSlots : std::bit_ceil(2 * room + 2));
    std::fill(slots_.begin(), slots_.end(), Slot{0, kNone});
    for (std::size_t i = 0; i < old.size(); ++i) {
      values_[i] = old[i];
      slots_[Table(slots_).place_of(old[i])] = {old[i], static_cast<std::uint32_t>(i)};
    }
  }

  static constexpr std::size_t kFirstRoom = std::size_t{1} << 10;
  static constexpr std::size_t kDirectSlots = std::size_t{1} << 8;

  std::size_t most_;
  Arena& arena_;
  std::span<L> values_;
  std::span<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace numpact

#endif
