// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/lookback/match/candidates.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "pco/stats/histogram.hpp"

namespace numpact {
namespace {

constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15u;
// Two tables of 4 bytes an entry are used at once: smaller ones save little time, and lose more.
constexpr unsigned kMaxHashLog = 18;
// A latent drops out of the string's hash after this many more.
constexpr unsigned kStringN = 8;
static_assert(64 % kStringN == 0);
constexpr unsigned kNearBits = 10;

class Latest {
 public:
  Latest(std::size_t n, Arena& arena)
      : log_(std::clamp(static_cast<unsigned>(std::bit_width(n)), 8u, kMaxHashLog)),
        positions_(arena.make<std::uint32_t>(std::size_t{1} << log_)) {
    std::fill(positions_.begin(), positions_.end(), 0);
  }
  // The latest position of the hash.
  std::uint32_t& of(std::uint64_t hash) {
    return positions_[static_cast<std::size_t>(hash >> (64 - log_))];
  }

 private:
  unsigned log_;
  std::span<std::uint32_t> positions_;
};

// Upper bits that latents may share: so many beyond those that tell as many places apart as there
// are latents.
constexpr std::array<unsigned, kMostAlike> kAlikeBits = {8, 1};
constexpr unsigned kMaxAlikeLog = 15;

// The latest positions of latents without their last bits, with as many bits of a hash as a word
// has room for, to tell what is the same.
class LatestKeys {
 public:
  LatestKeys() = default;
  LatestKeys(std::size_t n, unsigned shift, unsigned max_log, Arena& arena)
      : shift_(shift),
        position_bits_(static_cast<unsigned>(std::bit_width(n))),
        log_(std::clamp(position_bits_, 8u, max_log)),
        slots_(arena.make<std::uint32_t>(std::size_t{1} << log_).data()) {
    std::fill_n(slots_, std::size_t{1} << log_, 0);
  }
  // The one before, which mostly is of the same key if the words are the same but for the position.
  struct Before {
    std::uint32_t position;
    bool is_same;
  };
  Before put(std::uint64_t value, std::uint32_t position) const {
    const std::uint64_t product = (value >> shift_) * kFactor;
    const auto check = static_cast<std::uint32_t>(product >> (32 - log_)) << position_bits_;
    std::uint32_t& slot = slots_[static_cast<std::size_t>(product >> (64 - log_))];
    const std::uint32_t before = slot;
    slot = check | position;
    return {before & ((std::uint32_t{1} << position_bits_) - 1),
            (before ^ check) >> position_bits_ == 0};
  }

 private:
  unsigned shift_ = 0;
  unsigned position_bits_ = 0;
  unsigned log_ = 0;
  std::uint32_t* slots_ = nullptr;
};

// The latest positions by upper bits.
class Near {
 public:
  template <Latent L>
  Near(const Range<L>& range, Arena& arena)
      : Near(static_cast<unsigned>(std::bit_width(static_cast<L>(range.upper - range.lower))),
             arena) {}
  // above: how far a latent is above the least.
  std::uint32_t& of(std::uint64_t above) const {
    return latest_[static_cast<std::size_t>(above >> shift_)];
  }

 private:
  Near(unsigned width, Arena& arena)
      : shift_(width > kNearBits ? width - kNearBits : 0),
        latest_(arena.make<std::uint32_t>(std::size_t{1} << kNearBits)) {
    std::fill(latest_.begin(), latest_.end(), 0);
  }

  unsigned shift_;
  std::span<std::uint32_t> latest_;
};

// latest(latent): where the latest position of what is the same for the latent is kept. In runs of
// equal latents that is the one before.
template <Latent L, class F>
void find_latest(std::span<const L> latents, const FlatBlocks& blocks, std::uint32_t* lookbacks,
                 F&& latest) {
  blocks.each(
      1,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const std::uint32_t position = static_cast<std::uint32_t>(i);
          std::uint32_t& slot = latest(latents[i]);
          lookbacks[i] = position - slot;
          slot = position;
        }
      },
      [&](std::size_t begin, std::size_t end) {
        std::fill(lookbacks + begin, lookbacks + end, 1);
        latest(latents[begin]) = static_cast<std::uint32_t>(end - 1);
      });
}

}  // namespace

template <Latent L>
void find_same(std::span<const L> latents, const FlatBlocks& blocks,
               std::span<std::uint32_t> lookbacks, Arena& arena) {
  const ArenaScope scratch(arena);
  Latest latest(latents.size(), arena);
  find_latest(latents, blocks, lookbacks.data(),
              [latest](L latent) mutable -> std::uint32_t& { return latest.of(latent * kFactor); });
}

template <Latent L>
void find_near(std::span<const L> latents, const FlatBlocks& blocks,
               std::span<std::uint32_t> lookbacks, Arena& arena) {
  const ArenaScope scratch(arena);
  const Range<L> range = range_of(latents);
  const Near near(range, arena);
  find_latest(latents, blocks, lookbacks.data(),
              [near, lower = range.lower](L latent) -> std::uint32_t& {
                return near.of(static_cast<L>(latent - lower));
              });
}

template <Latent L>
void find_near(std::span<const L> latents, const FlatBlocks& blocks, L lower, unsigned shift,
               std::span<std::uint32_t> lookbacks, Arena& arena) {
  const ArenaScope scratch(arena);
  Latest latest(latents.size(), arena);
  find_latest(latents, blocks, lookbacks.data(), [=](L latent) mutable -> std::uint32_t& {
    const L upper = static_cast<L>(static_cast<L>(latent - lower) >> shift);
    return latest.of(upper * kFactor);
  });
}

namespace {

std::uint32_t put(std::uint32_t& latest, std::uint32_t position) {
  const std::uint32_t lookback = position - latest;
  latest = position;
  return lookback;
}

// Latents, by how far they are above the least.
class Same {
 public:
  Same(std::size_t n, Arena& arena) : latest_(n, arena) {}
  std::uint32_t put(std::uint64_t above, std::uint32_t position) {
    return numpact::put(latest_.of(above * kFactor), position);
  }

 private:
  Latest latest_;
};

// Or by their upper bits, where none is the same.
template <std::size_t kLevels>
class Alike {
 public:
  Alike(std::size_t n, std::span<const LatestKeys> levels, Arena& arena)
      : same_(n, 0, kMaxHashLog, arena) {
    std::copy_n(levels.begin(), kLevels, levels_.begin());
  }
  std::uint32_t put(std::uint64_t above, std::uint32_t position) {
    LatestKeys::Before before = same_.put(above, position);
    for (const LatestKeys& level : levels_) {
      const LatestKeys::Before other = level.put(above, position);
      before.position = before.is_same ? before.position : other.position;
      before.is_same = before.is_same || other.is_same;
    }
    return position - before.position;
  }

 private:
  LatestKeys same_;
  std::array<LatestKeys, kLevels> levels_;
};

class Strings {
 public:
  Strings(std::size_t n, Arena& arena) : latest_(n, arena) {}
  // Of the string that the latent ends.
  std::uint32_t put(std::uint64_t latent, std::uint32_t position) {
    const std::uint64_t product = latent * kFactor;
    hash_ = (hash_ << (64 / kStringN)) + (product ^ product >> 32);
    return numpact::put(latest_.of(hash_ * kFactor), position);
  }

 private:
  Latest latest_;
  std::uint64_t hash_ = 0;
};

// In one pass, as each of the three waits for its table.
template <Latent L, class SameOrAlike>
void find_in_pass(std::span<const L> latents, const FlatBlocks& blocks, const Range<L>& range,
                  SameOrAlike same, const LookbackCandidates& found, Arena& arena) {
  Strings strings(latents.size(), arena);
  const Near near(range, arena);
  std::uint32_t* const to_same = found.same.data();
  std::uint32_t* const to_strings = found.strings.data();
  std::uint32_t* const to_near = found.near.data();
  blocks.each(
      kStringN,
      [&, to_same, to_strings, to_near, all = latents.data(), lower = range.lower](
          std::size_t begin, std::size_t end) {
        // Copies can stay in registers. They share the tables; what strings have beside goes back.
        SameOrAlike here_same = same;
        Strings here_strings = strings;
        const Near here_near = near;
        for (std::size_t i = begin; i < end; ++i) {
          const std::uint32_t position = static_cast<std::uint32_t>(i);
          const std::uint64_t above = static_cast<L>(all[i] - lower);
          to_same[i] = here_same.put(above, position);
          to_strings[i] = here_strings.put(all[i], position);
          to_near[i] = put(here_near.of(above), position);
        }
        strings = here_strings;
      },
      [&](std::size_t begin, std::size_t end) {
        const std::uint32_t last = static_cast<std::uint32_t>(end - 1);
        const std::uint64_t above = static_cast<L>(latents[begin] - range.lower);
        same.put(above, last);
        strings.put(latents[begin], last);
        near.of(above) = last;
        for (std::uint32_t* const lookbacks : {to_same, to_strings, to_near}) {
          std::fill(lookbacks + begin, lookbacks + end, 1);
        }
      });
}

}  // namespace

template <Latent L>
void find_candidates(std::span<const L> latents, const FlatBlocks& blocks, unsigned unused_bits,
                     std::size_t alike_n, const LookbackCandidates& found, Arena& arena) {
  const ArenaScope scratch(arena);
  const std::size_t n = latents.size();
  const Range<L> range = range_of(latents);
  const unsigned width =
      static_cast<unsigned>(std::bit_width(static_cast<L>(range.upper - range.lower)));
  std::array<LatestKeys, kMostAlike> alike;
  std::size_t levels = 0;
  for (const unsigned more_bits : kAlikeBits) {
    const unsigned place_bits = static_cast<unsigned>(std::bit_width(n)) + more_bits;
    if (width <= place_bits + unused_bits || levels == alike_n) continue;
    alike[levels++] = LatestKeys(n, width - place_bits, kMaxAlikeLog, arena);
  }
  const auto find = [&](auto same) { find_in_pass(latents, blocks, range, same, found, arena); };
  if (levels == 2) return find(Alike<2>(n, alike, arena));
  if (levels == 1) return find(Alike<1>(n, alike, arena));
  find(Same(n, arena));
}

#define NUMPACT_INSTANTIATE(L)                                                                \
  template void find_same(std::span<const L>, const FlatBlocks&, std::span<std::uint32_t>,    \
                          Arena&);                                                            \
  template void find_near(std::span<const L>, const FlatBlocks&, std::span<std::uint32_t>,    \
                          Arena&);                                                            \
  template void find_near(std::span<const L>, const FlatBlocks&, L, unsigned,                 \
                          std::span<std::uint32_t>, Arena&);                                  \
  template void find_candidates(std::span<const L>, const FlatBlocks&, unsigned, std::size_t, \
                                const LookbackCandidates&, Arena&);
NUMPACT_INSTANTIATE(std::uint32_t)
NUMPACT_INSTANTIATE(std::uint64_t)
#undef NUMPACT_INSTANTIATE

}  // namespace numpact
