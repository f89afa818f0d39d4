// SPDX-License-Identifier: Apache-2.0
// Each kind of candidate has a table of the latest positions, by a hash or by upper bits. Hashes
// may collide: then the candidate is another latent, which only makes it a worse one.
#include "pco/encode/lookback/match/candidates.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/tuned.hpp"
#include "pco/encode/lookback/match/hash_kernel.hpp"
#include "pco/stats/histogram.hpp"

namespace numpact::internal {
namespace {

// Two tables of 2^this entries of 4 bytes are used at once. Smaller ones save little time, and lose
// more matches by collisions.
NUMPACT_TUNED(unsigned, kMaxPositionsLog2, 18);
// Length of the strings that are matched. Longer strings match more rarely, shorter ones by chance.
constexpr unsigned kMatchedStringN = 8;
static_assert(64 % kMatchedStringN == 0);
// Near latents share this many upper bits of the page's range: the table stays in the L1 cache.
NUMPACT_TUNED(unsigned, kNearPrefixBits, 10);
// Similar latents share this many bits more than it takes to number the page's latents, so that two
// latents rarely share them by chance.
constexpr std::array<unsigned, kMaxSimilarPrefixes> kSimilarPrefixSpareBits = {8, 1};
// Tables of prefixes have at most 2^this entries: they are used next to two larger ones.
NUMPACT_TUNED(unsigned, kMaxPrefixPositionsLog2, 15);

class LatestPositions {
 public:
  LatestPositions(std::size_t n, Arena& arena)
      : log_(std::clamp(static_cast<unsigned>(std::bit_width(n)), 8u, kMaxPositionsLog2)),
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

// The latest positions of latents without their lowest bits. An entry holds a position and, in the
// bits above it, as much of the hash as fits, to tell whether the position's latent is a match.
class LatestMatches {
 public:
  LatestMatches() = default;
  LatestMatches(std::size_t n, unsigned shift, unsigned max_log, Arena& arena)
      : shift_(shift),
        position_bits_(static_cast<unsigned>(std::bit_width(n))),
        log_(std::clamp(position_bits_, 8u, max_log)),
        slots_(arena.make<std::uint32_t>(std::size_t{1} << log_).data()) {
    std::fill_n(slots_, std::size_t{1} << log_, 0);
  }
  struct Match {
    std::uint32_t position;
    bool is_match;  // the hashes agree; mostly the latents do, too
  };
  // Returns the entry that the position replaces.
  Match put(std::uint64_t value, std::uint32_t position) const {
    const std::uint64_t product = (value >> shift_) * kLookbackHashFactor;
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
class LatestNear {
 public:
  template <Latent L>
  LatestNear(const Range<L>& range, Arena& arena)
      : LatestNear(static_cast<unsigned>(std::bit_width(static_cast<L>(range.upper - range.lower))),
                   arena) {}
  // above: the latent less the minimum.
  std::uint32_t& of(std::uint64_t above) const {
    return latest_[static_cast<std::size_t>(above >> shift_)];
  }

 private:
  LatestNear(unsigned width, Arena& arena)
      : shift_(width > kNearPrefixBits ? width - kNearPrefixBits : 0),
        latest_(arena.make<std::uint32_t>(std::size_t{1} << kNearPrefixBits)) {
    std::fill(latest_.begin(), latest_.end(), 0);
  }

  unsigned shift_;
  std::span<std::uint32_t> latest_;
};

// latest(latent): a reference to the latest position of the latent's kind. In a run of equal
// latents that is the position before.
template <Latent L, class F>
void find_latest(std::span<const L> latents, const ConstantBlocks& blocks, std::uint32_t* lookbacks,
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
void find_equal(std::span<const L> latents, const ConstantBlocks& blocks,
                std::span<std::uint32_t> lookbacks, Arena& arena) {
  const ArenaScope scratch(arena);
  LatestPositions latest(latents.size(), arena);
  find_latest(latents, blocks, lookbacks.data(), [latest](L latent) mutable -> std::uint32_t& {
    return latest.of(latent * kLookbackHashFactor);
  });
}

template <Latent L>
void find_near(std::span<const L> latents, const ConstantBlocks& blocks,
               std::span<std::uint32_t> lookbacks, Arena& arena) {
  const ArenaScope scratch(arena);
  const Range<L> range = range_of(latents);
  const LatestNear near(range, arena);
  find_latest(latents, blocks, lookbacks.data(),
              [near, lower = range.lower](L latent) -> std::uint32_t& {
                return near.of(static_cast<L>(latent - lower));
              });
}

template <Latent L>
void find_near(std::span<const L> latents, const ConstantBlocks& blocks, L lower, unsigned shift,
               std::span<std::uint32_t> lookbacks, Arena& arena) {
  const ArenaScope scratch(arena);
  LatestPositions latest(latents.size(), arena);
  find_latest(latents, blocks, lookbacks.data(), [=](L latent) mutable -> std::uint32_t& {
    const L upper = static_cast<L>(static_cast<L>(latent - lower) >> shift);
    return latest.of(upper * kLookbackHashFactor);
  });
}

namespace {

std::uint32_t put_position(std::uint32_t& latest, std::uint32_t position) {
  const std::uint32_t lookback = position - latest;
  latest = position;
  return lookback;
}

// Equal latents, given less the minimum.
class EqualFinder {
 public:
  EqualFinder(std::size_t n, Arena& arena) : latest_(n, arena) {}
  std::uint32_t put(std::uint64_t above, std::uint32_t position) {
    return put_position(latest_.of(above * kLookbackHashFactor), position);
  }

 private:
  LatestPositions latest_;
};

// Equal latents or, where there is none, similar ones: those that share a prefix.
template <std::size_t kPrefixes>
class SimilarFinder {
 public:
  SimilarFinder(std::size_t n, std::span<const LatestMatches> prefixes, Arena& arena)
      : equal_(n, 0, kMaxPositionsLog2, arena) {
    std::copy_n(prefixes.begin(), kPrefixes, prefixes_.begin());
  }
  std::uint32_t put(std::uint64_t above, std::uint32_t position) {
    LatestMatches::Match best = equal_.put(above, position);
    for (const LatestMatches& prefix : prefixes_) {
      const LatestMatches::Match other = prefix.put(above, position);
      best.position = best.is_match ? best.position : other.position;
      best.is_match = best.is_match || other.is_match;
    }
    return position - best.position;
  }

 private:
  LatestMatches equal_;
  std::array<LatestMatches, kPrefixes> prefixes_;
};

// Equal strings. Each latent shifts the rolling hash, so that after kMatchedStringN more it has
// dropped out.
class StringFinder {
 public:
  StringFinder(std::size_t n, Arena& arena) : latest_(n, arena) {}
  std::uint32_t put(std::uint64_t latent, std::uint32_t position) {
    const std::uint64_t product = latent * kLookbackHashFactor;
    hash_ = (hash_ << (64 / kMatchedStringN)) + (product ^ product >> 32);
    return put_position(latest_.of(hash_ * kLookbackHashFactor), position);
  }

 private:
  LatestPositions latest_;
  std::uint64_t hash_ = 0;
};

// One pass for the three kinds, so that the cache misses of their tables overlap.
template <Latent L, class Equal>
void find_in_one_pass(std::span<const L> latents, const ConstantBlocks& blocks,
                      const Range<L>& range, Equal equal, const LookbackCandidates& found,
                      Arena& arena) {
  StringFinder strings(latents.size(), arena);
  const LatestNear near(range, arena);
  std::uint32_t* const to_equal = found.equal.data();
  std::uint32_t* const to_strings = found.strings.data();
  std::uint32_t* const to_near = found.near.data();
  blocks.each(
      kMatchedStringN,
      [&, to_equal, to_strings, to_near, all = latents.data(), lower = range.lower](
          std::size_t begin, std::size_t end) {
        // Local copies stay in registers. They share the tables; the rolling hash is copied back.
        Equal local_equal = equal;
        StringFinder local_strings = strings;
        const LatestNear local_near = near;
        for (std::size_t i = begin; i < end; ++i) {
          const std::uint32_t position = static_cast<std::uint32_t>(i);
          const std::uint64_t above = static_cast<L>(all[i] - lower);
          to_equal[i] = local_equal.put(above, position);
          to_strings[i] = local_strings.put(all[i], position);
          to_near[i] = put_position(local_near.of(above), position);
        }
        strings = local_strings;
      },
      [&](std::size_t begin, std::size_t end) {
        const std::uint32_t last = static_cast<std::uint32_t>(end - 1);
        const std::uint64_t above = static_cast<L>(latents[begin] - range.lower);
        equal.put(above, last);
        strings.put(latents[begin], last);
        near.of(above) = last;
        for (std::uint32_t* const lookbacks : {to_equal, to_strings, to_near}) {
          std::fill(lookbacks + begin, lookbacks + end, 1);
        }
      });
}

}  // namespace

template <Latent L>
void find_candidates(std::span<const L> latents, const ConstantBlocks& blocks, unsigned unused_bits,
                     std::size_t prefix_n, const LookbackCandidates& found, Arena& arena) {
  const ArenaScope scratch(arena);
  const std::size_t n = latents.size();
  const Range<L> range = range_of(latents);
  const unsigned width =
      static_cast<unsigned>(std::bit_width(static_cast<L>(range.upper - range.lower)));
  std::array<LatestMatches, kMaxSimilarPrefixes> prefixes;
  std::size_t used_n = 0;
  for (const unsigned spare_bits : kSimilarPrefixSpareBits) {
    const unsigned prefix_bits = static_cast<unsigned>(std::bit_width(n)) + spare_bits;
    // A prefix of all used bits would only find equal latents.
    if (width <= prefix_bits + unused_bits || used_n == prefix_n) continue;
    prefixes[used_n++] = LatestMatches(n, width - prefix_bits, kMaxPrefixPositionsLog2, arena);
  }
  const auto find = [&](auto equal) {
    find_in_one_pass(latents, blocks, range, equal, found, arena);
  };
  if (used_n == 2) return find(SimilarFinder<2>(n, prefixes, arena));
  if (used_n == 1) return find(SimilarFinder<1>(n, prefixes, arena));
  find(EqualFinder(n, arena));
}

#define NUMPACT_INSTANTIATE(L)                                                                    \
  template void find_equal(std::span<const L>, const ConstantBlocks&, std::span<std::uint32_t>,   \
                           Arena&);                                                               \
  template void find_near(std::span<const L>, const ConstantBlocks&, std::span<std::uint32_t>,    \
                          Arena&);                                                                \
  template void find_near(std::span<const L>, const ConstantBlocks&, L, unsigned,                 \
                          std::span<std::uint32_t>, Arena&);                                      \
  template void find_candidates(std::span<const L>, const ConstantBlocks&, unsigned, std::size_t, \
                                const LookbackCandidates&, Arena&);
NUMPACT_INSTANTIATE(std::uint32_t)
NUMPACT_INSTANTIATE(std::uint64_t)
#undef NUMPACT_INSTANTIATE

}  // namespace numpact::internal
