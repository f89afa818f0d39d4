// SPDX-License-Identifier: Apache-2.0
#include "pco/choose/lookback_candidates.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "pco/stats/histogram.hpp"

namespace numpact {
namespace {

constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15u;
// Tables of 4 bytes an entry fit second-level caches.
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

// latest(latent): where the latest position of what is the same for the latent is kept. In runs of
// equal latents that go on for before_n, that is the one before, and latest() itself stays the
// same.
template <Latent L, class F>
void find_latest(std::span<const L> latents, const FlatBlocks& blocks, std::size_t before_n,
                 std::uint32_t* lookbacks, F&& latest) {
  blocks.each(
      before_n,
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
  find_latest(latents, blocks, 1, lookbacks.data(),
              [latest](L latent) mutable -> std::uint32_t& { return latest.of(latent * kFactor); });
}

namespace {

template <std::size_t kLevels, Latent L>
void find_alike(std::span<const L> latents, const FlatBlocks& blocks, L lower,
                const LatestKeys& same, const std::array<LatestKeys, kLevels>& alike,
                std::uint32_t* lookbacks) {
  const auto put = [latents, lower, same, alike](std::size_t i) {
    const std::uint64_t value = static_cast<L>(latents[i] - lower);
    const auto position = static_cast<std::uint32_t>(i);
    LatestKeys::Before before = same.put(value, position);
    for (const LatestKeys& level : alike) {
      const LatestKeys::Before other = level.put(value, position);
      before.position = before.is_same ? before.position : other.position;
      before.is_same = before.is_same || other.is_same;
    }
    return position - before.position;
  };
  blocks.each(
      1,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) lookbacks[i] = put(i);
      },
      [&](std::size_t begin, std::size_t end) {
        std::fill(lookbacks + begin, lookbacks + end, 1);
        put(end - 1);
      });
}

}  // namespace

template <Latent L>
void find_alike(std::span<const L> latents, const FlatBlocks& blocks, unsigned unused_bits,
                std::size_t alike_n, std::span<std::uint32_t> lookbacks, Arena& arena) {
  const ArenaScope scratch(arena);
  const std::size_t n = latents.size();
  const Range<L> range = range_of(latents);
  const unsigned width =
      static_cast<unsigned>(std::bit_width(static_cast<L>(range.upper - range.lower)));
  const LatestKeys same(n, 0, kMaxHashLog, arena);
  std::array<LatestKeys, kMostAlike> alike;
  std::size_t levels = 0;
  for (const unsigned more_bits : kAlikeBits) {
    const unsigned place_bits = static_cast<unsigned>(std::bit_width(n)) + more_bits;
    if (width <= place_bits + unused_bits || levels == alike_n) continue;
    alike[levels++] = LatestKeys(n, width - place_bits, kMaxAlikeLog, arena);
  }
  const auto find = [&](auto some) {
    find_alike(latents, blocks, range.lower, same, some, lookbacks.data());
  };
  if (levels == 2) return find(alike);
  if (levels == 1) return find(std::array{alike[0]});
  find(std::array<LatestKeys, 0>{});
}

template <Latent L>
void find_near(std::span<const L> latents, const FlatBlocks& blocks,
               std::span<std::uint32_t> lookbacks, Arena& arena) {
  const ArenaScope scratch(arena);
  const Range<L> range = range_of(latents);
  const unsigned width =
      static_cast<unsigned>(std::bit_width(static_cast<L>(range.upper - range.lower)));
  const unsigned shift = width > kNearBits ? width - kNearBits : 0;
  const std::span<std::uint32_t> positions = arena.make<std::uint32_t>(std::size_t{1} << kNearBits);
  std::fill(positions.begin(), positions.end(), 0);
  find_latest(latents, blocks, 1, lookbacks.data(),
              [=, lower = range.lower](L latent) -> std::uint32_t& {
                return positions[static_cast<std::size_t>((latent - lower) >> shift)];
              });
}

template <Latent L>
void find_near(std::span<const L> latents, const FlatBlocks& blocks, L lower, unsigned shift,
               std::span<std::uint32_t> lookbacks, Arena& arena) {
  const ArenaScope scratch(arena);
  Latest latest(latents.size(), arena);
  find_latest(latents, blocks, 1, lookbacks.data(), [=](L latent) mutable -> std::uint32_t& {
    const L upper = static_cast<L>(static_cast<L>(latent - lower) >> shift);
    return latest.of(upper * kFactor);
  });
}

template <Latent L>
void find_same_strings(std::span<const L> latents, const FlatBlocks& blocks,
                       std::span<std::uint32_t> lookbacks, Arena& arena) {
  const ArenaScope scratch(arena);
  Latest latest(latents.size(), arena);
  find_latest(latents, blocks, kStringN, lookbacks.data(),
              [=, hash = std::uint64_t{0}](L latent) mutable -> std::uint32_t& {
                const std::uint64_t product = latent * kFactor;
                hash = (hash << (64 / kStringN)) + (product ^ product >> 32);
                return latest.of(hash * kFactor);
              });
}

#define NUMPACT_INSTANTIATE(L)                                                                     \
  template void find_same(std::span<const L>, const FlatBlocks&, std::span<std::uint32_t>,         \
                          Arena&);                                                                 \
  template void find_alike(std::span<const L>, const FlatBlocks&, unsigned, std::size_t,           \
                           std::span<std::uint32_t>, Arena&);                                      \
  template void find_near(std::span<const L>, const FlatBlocks&, std::span<std::uint32_t>,         \
                          Arena&);                                                                 \
  template void find_near(std::span<const L>, const FlatBlocks&, L, unsigned,                      \
                          std::span<std::uint32_t>, Arena&);                                       \
  template void find_same_strings(std::span<const L>, const FlatBlocks&, std::span<std::uint32_t>, \
                                  Arena&);
NUMPACT_INSTANTIATE(std::uint32_t)
NUMPACT_INSTANTIATE(std::uint64_t)
#undef NUMPACT_INSTANTIATE

}  // namespace numpact
