// SPDX-License-Identifier: Apache-2.0
// One pass over parts of a page: a part of its latents and of its short strings of them, the same
// ones wherever they occur, how many of them occurred before, and how far back.
#ifndef NUMPACT_PCO_ENCODE_LOOKBACK_DETECT_REPEATS_HPP
#define NUMPACT_PCO_ENCODE_LOOKBACK_DETECT_REPEATS_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "base/arena.hpp"
#include "number/latent.hpp"
#include "pco/encode/lookback/match/hash_kernel.hpp"
#include "pco/levels.hpp"

namespace numpact {

// Of so many lookbacks the costs are counted: the last ones.
inline constexpr std::size_t kMostLookbacks = 4096;
// One in 2^this is looked at.
inline constexpr unsigned kPickLog = 4;
inline constexpr unsigned kPickLogOfMany = 6;
inline constexpr std::size_t kLongPageN = std::size_t{1} << 17;
// Of longer pages only so many latents are looked at from each of some places on, such that what
// the halves, thirds or quarters of a page share shows.
inline constexpr std::size_t kPagePartN = std::size_t{1} << 17;

inline unsigned pick_log(std::size_t n) { return n < kLongPageN ? kPickLog : kPickLogOfMany; }

// The parts of a page that are looked at.
class PageParts {
 public:
  PageParts(std::size_t page_n, unsigned level) : page_n_(page_n) {
    if (level >= kLevelForSize || page_n <= 3 * kPagePartN) {
      add(0, page_n);
      return;
    }
    for (const std::size_t from : {std::size_t{0}, page_n / 2, page_n / 3 * 2}) {
      add(std::max(from, size_ == 0 ? 0 : parts_[size_ - 1].end), from + kPagePartN);
    }
  }
  struct Part {
    std::size_t begin;
    std::size_t end;
  };
  std::span<const Part> all() const { return {parts_.data(), size_}; }
  std::size_t page_n() const { return page_n_; }
  std::size_t n() const { return n_; }

 private:
  void add(std::size_t begin, std::size_t end) {
    parts_[size_++] = {begin, end};
    n_ += end - begin;
  }

  std::size_t page_n_;
  std::size_t n_ = 0;
  std::array<Part, 3> parts_{};
  std::size_t size_ = 0;
};

// Of those looked at: the ones whose last latent is not that before it.
struct Repeats {
  std::size_t looked = 0;
  std::size_t repeated = 0;
  std::span<std::uint32_t> lookbacks;

  std::span<std::uint32_t> kept() const {
    return lookbacks.first(std::min(repeated, lookbacks.size()));
  }
};

// What a page was found to repeat, kept for who asks again, whatever mode or cuts it is asked for.
struct PageRepeats {
  unsigned string_log = 0;  // strings of 2^this latents; 0: not looked at yet
  Repeats values;
  Repeats strings;
  // What these point to.
  std::array<std::uint32_t, kMostLookbacks> of_values;
  std::array<std::uint32_t, kMostLookbacks> of_strings;
};

// Of a page that was not looked at yet.
inline PageRepeats* unknown_repeats(Arena& arena) {
  PageRepeats* const repeats = arena.make<PageRepeats>(1).data();
  repeats->string_log = 0;
  return repeats;
}

// How many are to be looked at for a part of them to stand for all; of more or fewer a few frequent
// ones, or the lack of them, say little of the rest.
struct Telling {
  float least;
  float most;

  bool is_too_many(std::size_t looked) const { return static_cast<float>(looked) > most; }
  bool holds_for(const Repeats& repeats) const {
    return static_cast<float>(repeats.looked) >= least && !is_too_many(repeats.looked);
  }
};

// The latest positions of what is looked at.
template <Latent L>
class SeenBefore {
 public:
  SeenBefore(std::span<const L> latents, unsigned log, std::span<std::uint32_t> lookbacks,
             Arena& arena)
      : latents_(latents), log_(log), slots_(arena.make<Slot>(std::size_t{1} << log)) {
    std::fill(slots_.begin(), slots_.end(), Slot{0, 0});
    found_.lookbacks = lookbacks;
  }
  void look(const PickedHashes& picked, std::size_t begin) {
    for (std::size_t j = 0; j < picked.n; ++j) {
      const std::uint32_t hash = picked.hashes[j];
      const std::uint32_t position = static_cast<std::uint32_t>(begin) + picked.positions[j];
      Slot& slot = slots_[(hash << kPickLogOfMany) >> (32 - log_)];
      const std::uint32_t check = hash | 1;
      if (position == 0 || latents_[position] != latents_[position - 1]) {
        found_.lookbacks[found_.repeated % kMostLookbacks] = position - slot.position;
        ++found_.looked;
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
  unsigned log_;
  std::span<Slot> slots_;
  Repeats found_;
};

template <Latent L>
class RepeatFinder {
 public:
  // What is looked at too often to tell anything is given up.
  RepeatFinder(std::span<const L> page, const PageParts& parts, unsigned string_log,
               const Telling& telling, PageRepeats& room, Arena& arena)
      : page_(page),
        log_(pick_log(parts.page_n())),
        string_log_(string_log),
        telling_(telling),
        values_(page, slot_log(parts.n()), room.of_values, arena),
        strings_(page, slot_log(parts.n()), room.of_strings, arena) {
    for (const PageParts::Part& part : parts.all()) look(part.begin, part.end);
  }
  const Repeats& values() const { return values_.found(); }
  const Repeats& strings() const { return strings_.found(); }

 private:
  static unsigned slot_log(std::size_t n) {
    return std::clamp(static_cast<unsigned>(std::bit_width(n / 16)) + 1, 6u, 16u);
  }

  void look(std::size_t from, std::size_t to) {
    HashBlock block;
    HashBlock string_block;
    PickedHashes picked;
    for (std::size_t begin = from; begin < to; begin += kHashBlockN) {
      const std::size_t n = std::min(kHashBlockN, to - begin);
      const bool looks_at_values = !telling_.is_too_many(values().looked);
      const bool looks_at_strings = !telling_.is_too_many(strings().looked);
      if (!looks_at_values && !looks_at_strings) return;
      hash_latents(page_.data() + begin, n, block);
      if (looks_at_values) {
        pick_hashes(block, n, log_, picked);
        values_.look(picked, begin);
      }
      if (!looks_at_strings) continue;
      hash_strings(block, n, string_log_, string_block);
      pick_hashes(string_block, n, log_, picked);
      strings_.look(picked, begin);
      std::copy_n(block.hashes + n, kHashHistory, block.hashes);
    }
  }

  std::span<const L> page_;
  unsigned log_;
  unsigned string_log_;
  Telling telling_;
  SeenBefore<L> values_;
  SeenBefore<L> strings_;
};

// What the page repeats, in values and strings of 2^string_log, unless that is known already.
// parts, telling: the same each time that a page is asked for.
template <Latent L>
void find_repeats(std::span<const L> page, const PageParts& parts, unsigned string_log,
                  const Telling& telling, PageRepeats& known, Arena& arena) {
  if (known.string_log == string_log) return;
  const ArenaScope scratch(arena);
  const RepeatFinder<L> found(page, parts, string_log, telling, known, arena);
  known.string_log = string_log;
  known.values = found.values();
  known.strings = found.strings();
}

}  // namespace numpact

#endif
