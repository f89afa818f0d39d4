// SPDX-License-Identifier: Apache-2.0
// Counts how many latents, and short strings of latents, of a page occurred before, and how far
// back. One pass picks a part of them by their hash, so equal ones are picked wherever they occur.
//
// Example, one in 4 picked, of the page 7 3 9 7 5 3 9 3: if only the hash of 3 begins with two zero
// bits, the three 3s are examined. Two of them repeat, with lookbacks 4 and 2.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "base/arena.hpp"
#include "base/tuned.hpp"
#include "number/latent.hpp"
#include "pco/encode/lookback/match/hash_kernel.hpp"
#include "pco/levels.hpp"

namespace numpact::internal {

// At most this many lookbacks, the last ones, are kept to estimate their cost.
inline constexpr std::size_t kMaxKeptLookbackN = 4096;
// One in 2^this latents is picked, and fewer on long pages: fewer take less time, and represent the
// page if it is long.
NUMPACT_TUNED(unsigned, kPickLog2, 4);
NUMPACT_TUNED(unsigned, kLongPagePickLog2, 6);
// Latents of a long page, from which on fewer are picked: 2^11 of them are left.
inline constexpr std::size_t kMinLongPickPageN = std::size_t{1} << 17;
// log2 of the slots of a hash table: twice the picked latents, so that few share a slot, within
// bounds. The upper one keeps a table of 8-byte slots within 512 KiB, about an L2 cache.
NUMPACT_TUNED(unsigned, kMinRepeatSlotsLog2, 6);
NUMPACT_TUNED(unsigned, kMaxRepeatSlotsLog2, 16);
// A longer page is examined in three windows of this length, at its start, at one half and at two
// thirds, so that equal halves, thirds or quarters of a page still show.
inline constexpr std::size_t kRepeatWindowN = std::size_t{1} << 17;

inline unsigned pick_log(std::size_t page_n) {
  return page_n < kMinLongPickPageN ? kPickLog2 : kLongPagePickLog2;
}

// The windows of a page that are examined: all of it if the level asks for that or it is short.
class PageWindows {
 public:
  PageWindows(std::size_t page_n, const PrefilterLevel& level) : page_n_(page_n) {
    if (!level.windows_of_long_pages || page_n <= 3 * kRepeatWindowN) {
      add(0, page_n);
      return;
    }
    for (const std::size_t from : {std::size_t{0}, page_n / 2, page_n / 3 * 2}) {
      add(std::max(from, size_ == 0 ? 0 : windows_[size_ - 1].end), from + kRepeatWindowN);
    }
  }
  struct Window {
    std::size_t begin;
    std::size_t end;
  };
  std::span<const Window> all() const { return {windows_.data(), size_}; }
  std::size_t page_n() const { return page_n_; }
  // Latents in all windows.
  std::size_t n() const { return n_; }

 private:
  void add(std::size_t begin, std::size_t end) {
    windows_[size_++] = {begin, end};
    n_ += end - begin;
  }

  std::size_t page_n_;
  std::size_t n_ = 0;
  std::array<Window, 3> windows_{};
  std::size_t size_ = 0;
};

// The picked latents or strings whose last latent does not equal its predecessor.
struct Repeats {
  std::size_t examined = 0;
  std::size_t repeated = 0;            // of them, by their hash
  std::span<std::uint32_t> lookbacks;  // a ring of those that repeated

  std::span<std::uint32_t> kept() const {
    return lookbacks.first(std::min(repeated, lookbacks.size()));
  }
};

// The repeats of a page. They do not depend on the mode, so they are kept for other calls.
struct PageRepeats {
  unsigned string_log = 0;  // strings have 2^this latents; 0: not examined yet
  Repeats values;
  Repeats strings;
  // Memory of the two lists of lookbacks.
  std::array<std::uint32_t, kMaxKeptLookbackN> value_lookbacks;
  std::array<std::uint32_t, kMaxKeptLookbackN> string_lookbacks;
};

// For a page that was not examined yet.
inline PageRepeats* make_page_repeats(Arena& arena) {
  PageRepeats* const repeats = arena.make<PageRepeats>(1).data();
  repeats->string_log = 0;
  return repeats;
}

// The number that must be examined for the picked ones to represent the page. If there are more or
// fewer, a few frequent ones were picked, or not picked, by chance.
struct RepresentativeRange {
  float min_n;
  float max_n;

  bool is_exceeded_by(std::size_t examined) const { return static_cast<float>(examined) > max_n; }
  bool contains(const Repeats& repeats) const {
    return static_cast<float>(repeats.examined) >= min_n && !is_exceeded_by(repeats.examined);
  }
};

// Strings are counted if at least this share of the values repeats: fewer save too little.
NUMPACT_TUNED(float, kMinRepeatedShare, 0.05f);

// Counts repeats of one kind, by a hash table of their latest positions.
template <Latent L>
class RepeatCounter {
 public:
  RepeatCounter(std::span<const L> latents, unsigned slot_log, std::span<std::uint32_t> lookbacks,
                Arena& arena)
      : latents_(latents),
        slot_log_(slot_log),
        slots_(arena.make<Slot>(std::size_t{1} << slot_log)) {
    std::fill(slots_.begin(), slots_.end(), Slot{0, 0});
    found_.lookbacks = lookbacks;
  }
  void count(const PickedHashes& picked, std::size_t begin) {
    for (std::size_t j = 0; j < picked.n; ++j) {
      const std::uint32_t hash = picked.hashes[j];
      const std::uint32_t position = static_cast<std::uint32_t>(begin) + picked.positions[j];
      // Skips upper bits, of which four or six are zero in every picked hash.
      Slot& slot = slots_[(hash << kLongPagePickLog2) >> (32 - slot_log_)];
      const std::uint32_t check = hash | 1;  // never that of an empty slot
      if (position == 0 || latents_[position] != latents_[position - 1]) {
        found_.lookbacks[found_.repeated % kMaxKeptLookbackN] = position - slot.position;
        ++found_.examined;
        found_.repeated += slot.check == check ? 1 : 0;
      }
      slot = {check, position};
    }
  }
  const Repeats& found() const { return found_; }

 private:
  struct Slot {
    std::uint32_t check;
    std::uint32_t position;
  };
  std::span<const L> latents_;
  unsigned slot_log_;
  std::span<Slot> slots_;
  Repeats found_;
};

template <Latent L>
class RepeatFinder {
 public:
  // A kind is given up once too many of it were examined to represent the page.
  RepeatFinder(std::span<const L> page, const PageWindows& windows, unsigned string_log,
               const RepresentativeRange& range, PageRepeats& memory, Arena& arena)
      : page_(page),
        pick_log_(pick_log(windows.page_n())),
        string_log_(string_log),
        range_(range),
        values_(page, slot_log(windows.n()), memory.value_lookbacks, arena),
        strings_(page, slot_log(windows.n()), memory.string_lookbacks, arena) {
    for (const PageWindows::Window& window : windows.all()) {
      examine(window, [&](const HashBlock& block, std::size_t begin, std::size_t n) {
        return count_values(block, begin, n);
      });
    }
    if (!may_repeat()) return;
    for (const PageWindows::Window& window : windows.all()) {
      examine(window, [&](const HashBlock& block, std::size_t begin, std::size_t n) {
        return count_strings(block, begin, n);
      });
    }
  }
  const Repeats& values() const { return values_.found(); }
  const Repeats& strings() const { return strings_.found(); }

 private:
  static unsigned slot_log(std::size_t n) {
    return std::clamp(static_cast<unsigned>(std::bit_width(n >> kPickLog2)) + 1,
                      kMinRepeatSlotsLog2, kMaxRepeatSlotsLog2);
  }

  // Strings repeat only where their last values do.
  bool may_repeat() const {
    const Repeats& values = values_.found();
    return !range_.contains(values) || static_cast<float>(values.repeated) >=
                                           kMinRepeatedShare * static_cast<float>(values.examined);
  }

  // Calls count(block, begin, n) for each block of a window, until it returns false.
  template <class F>
  void examine(const PageWindows::Window& window, F&& count) {
    HashBlock block;
    for (std::size_t begin = window.begin; begin < window.end; begin += kHashBlockN) {
      const std::size_t n = std::min(kHashBlockN, window.end - begin);
      hash_latents(page_.data() + begin, n, block);
      if (!count(block, begin, n)) return;
      std::copy_n(block.hashes + n, kHashHistory, block.hashes);
    }
  }
  bool count_values(const HashBlock& block, std::size_t begin, std::size_t n) {
    PickedHashes picked;
    pick_hashes(block, n, pick_log_, picked);
    values_.count(picked, begin);
    return !range_.is_exceeded_by(values().examined);
  }
  bool count_strings(const HashBlock& block, std::size_t begin, std::size_t n) {
    HashBlock hashes;
    PickedHashes picked;
    hash_strings(block, n, string_log_, hashes);
    pick_hashes(hashes, n, pick_log_, picked);
    strings_.count(picked, begin);
    return !range_.is_exceeded_by(strings().examined);
  }

  std::span<const L> page_;
  unsigned pick_log_;
  unsigned string_log_;
  RepresentativeRange range_;
  RepeatCounter<L> values_;
  RepeatCounter<L> strings_;
};

// Sets `known` to the repeats of values and of strings of 2^string_log latents, unless it holds
// them already. windows, range: the same in each call for a page.
template <Latent L>
void find_repeats(std::span<const L> page, const PageWindows& windows, unsigned string_log,
                  const RepresentativeRange& range, PageRepeats& known, Arena& arena) {
  if (known.string_log == string_log) return;
  const ArenaScope scratch(arena);
  const RepeatFinder<L> found(page, windows, string_log, range, known, arena);
  known.string_log = string_log;
  known.values = found.values();
  known.strings = found.strings();
}

}  // namespace numpact::internal
