// SPDX-License-Identifier: Apache-2.0
// Proposes splits whose remainders are long, but few different ones: positions on a grid that were
// rounded to decimals, decimals with an offset, or those of single precision. The numbers are no
// multiples of such a base, so that other proposals miss it. For example, k * 6 / 2^17 rounded to 8
// decimals has 256 different errors of rounding, and about a thousand different low halves of its
// mantissa. These take 9 bits each, while multiples of 10^-8 take 12 bits more than those of the
// grid.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/tuned.hpp"
#include "pco/encode/modes/propose.hpp"
#include "pco/mode/split.hpp"
#include "pco/stats/histogram.hpp"
#include "pco/stats/log2.hpp"

namespace numpact::internal {
namespace {

// Different numbers of the chunk that splits are tried on, at least and at most. More see more
// remainders repeat, and take longer.
constexpr std::size_t kMinDifferentProbes = 256;
constexpr std::size_t kMaxDifferentProbes = 512;
// log2 of the slots that values are counted in: enough that few different ones share one.
constexpr unsigned kSlotsLog2 = 11;
// Values repeat if at most this many are different: the probes show no more.
NUMPACT_TUNED(float, kMaxDifferent, 1000);
// Bits per number that a split must save over any other candidate: the probes show frequent
// remainders, and there may be rare ones too.
NUMPACT_TUNED(float, kMinSavedBits, 3);
// What values are taken to cost, as a ratio of the logarithm of how many are different: frequent
// ones make more of the pairs than of the cost.
NUMPACT_TUNED(float, kUnevenRatio, 1.2f);
// Candidates that take fewer bits before deltas leave too little to save for the time.
NUMPACT_TUNED(float, kMinCandidateBits, 20);
// In chunks of fewer numbers the bins of the remainders take what they save.
constexpr float kMinChunkN = 1024;
// The finest decimals that are tried.
constexpr int kMaxDecimals = 9;
// Bits of the mantissa that FloatQuant leaves to the primary variable, at least: repetition of all
// is one of the numbers, up to signs and exponents, which Lookback finds.
constexpr unsigned kMinPrimaryMantissaBits = 8;
// From one k of FloatQuant to the next one; those between are tried around the best one.
constexpr unsigned kQuantStep = 4;

constexpr std::uint64_t hash(std::uint64_t value) { return value * 0x9e3779b97f4a7c15u; }

// Counts pairs of equal values. Of different ones that share a slot the last is counted.
class Pairs {
 public:
  void add(std::uint64_t value) {
    const std::uint64_t hashed = hash(value);
    const auto mark = static_cast<std::uint32_t>(hashed >> 8) & ~kCountMask;
    std::uint32_t& slot = slots_[hashed >> (64 - kSlotsLog2)];
    const std::uint32_t before = (slot & ~kCountMask) == mark ? slot & kCountMask : 0;
    slot = mark | (before + 1);
    n_ += before;
    max_count_ = std::max(max_count_, before + 1);
  }
  std::uint32_t n() const { return n_; }
  // How often the most frequent value was seen.
  std::uint32_t max_count() const { return max_count_; }

 private:
  // Of a slot: the low bits, for up to kMaxDifferentProbes equal values; above them are other bits
  // of the hash, which tell values apart.
  static constexpr std::uint32_t kCountMask = (1u << 12) - 1;
  static_assert(kMaxDifferentProbes < kCountMask);
  std::array<std::uint32_t, std::size_t{1} << kSlotsLog2> slots_{};
  std::uint32_t n_ = 0;
  std::uint32_t max_count_ = 0;
};

// The bits of a value, before deltas: at most `width`, and fewer where values repeat. Two of n that
// are drawn from D different ones are equal in one of D pairs; each of the D, and as many rare
// ones, takes a bin, whose share of the chunk is bin_share. The most frequent value is counted
// apart, since it says nothing about the others.
template <Latent L>
float bits_of_values(std::span<const L> values, unsigned width, float bin_share) {
  Pairs pairs;
  for (const L value : values) pairs.add(value);
  const std::uint32_t max_count = pairs.max_count();
  const float n = static_cast<float>(values.size());
  const float rest = n - static_cast<float>(max_count);
  const float rest_pairs = rest * (rest - 1) / 2;
  const float equal = static_cast<float>(pairs.n() - max_count * (max_count - 1) / 2);
  float rest_bits = static_cast<float>(width);
  if (rest_pairs < kMaxDifferent * equal) {
    const float different = rest_pairs / equal;
    const float bin_bits = 2 * different * rest_bits * bin_share;
    rest_bits = std::min(rest_bits, kUnevenRatio * fast_log2(different) + bin_bits);
  }
  return entropy(rest / n) + rest / n * rest_bits;
}

template <Latent L>
unsigned width_of(std::span<const L> values) {
  const Range<L> range = range_of(values);
  return static_cast<unsigned>(std::bit_width(static_cast<L>(range.upper - range.lower)));
}

float bits_of(const LatentArray& latents, float bin_share) {
  if (latents.n == 0) return 0;
  return latents.visit([&](auto span) {
    const std::span<const typename decltype(span)::value_type> values = span;
    return bits_of_values(values, width_of(values), bin_share);
  });
}

// The mode of some whose latents of the probes take the fewest bits.
class BestSplit {
 public:
  BestSplit(const LatentArray& probes, float bin_share, float max_bits, Arena& arena)
      : probes_(probes), bin_share_(bin_share), arena_(arena), bits_(max_bits) {}

  void attempt(const AnyMode& mode) {
    const ArenaScope scratch(arena_);
    const SplitLatents latents = split(mode, probes_, arena_);
    const float bits =
        bits_of(latents.primary, bin_share_) + bits_of(latents.secondary, bin_share_);
    if (bits >= bits_) return;
    bits_ = bits;
    mode_ = mode;
  }
  float bits() const { return bits_; }
  // Classic if none took less than max_bits.
  const AnyMode& mode() const { return mode_; }

 private:
  const LatentArray& probes_;
  float bin_share_;
  Arena& arena_;
  float bits_;
  AnyMode mode_;
};

// Different numbers from all of the chunk, as near ones have few remainders by chance. Fewer than
// kMinDifferentProbes if the numbers themselves repeat so often that splits have little to save.
LatentArray probes_of(const LatentArray& latents, Arena& arena) {
  return latents.visit([&](auto all) {
    using L = typename decltype(all)::value_type;
    std::array<L, std::size_t{1} << kSlotsLog2> seen{};
    const std::span<L> probes = arena.make<L>(kMaxDifferentProbes);
    const std::size_t looked_at = std::min(all.size(), 2 * kMaxDifferentProbes);
    const EvenPositions places(all.size(), looked_at);
    // Ends early where most numbers repeat.
    constexpr std::size_t kSomeN = 64;
    std::size_t n = 0;
    for (std::size_t i = 0; i < std::min(looked_at, 4 * n + kSomeN) && n < kMaxDifferentProbes;
         ++i) {
      const L number = all[places[i]];
      L& slot = seen[hash(number) >> (64 - kSlotsLog2)];
      if (slot != number) probes[n++] = number;
      slot = number;
    }
    return LatentArray(probes.first(2 * n < looked_at ? 0 : n));
  });
}

// Whether remainders take much less than their width: low bits of the mantissa, which repeat if
// more of them do, or those of fine decimals, which repeat if those of coarser ones do.
bool may_repeat(NumberType type, const LatentArray& probes, float bin_share, Arena& arena) {
  const unsigned mantissa = mantissa_bits(latent_bits(type));
  const AnyMode some[] = {FloatQuant{mantissa / 3},
                          FloatMult::of(type == NumberType::kF64 ? 1e-6 : 1e-3, type)};
  return std::any_of(std::begin(some), std::end(some), [&](const AnyMode& mode) {
    const ArenaScope scratch(arena);
    const LatentArray remainders = split(mode, probes, arena).secondary;
    return remainders.visit([&](auto span) {
      const std::span<const typename decltype(span)::value_type> values = span;
      const unsigned width = width_of(values);
      return bits_of_values(values, width, bin_share) + kMinSavedBits < static_cast<float>(width);
    });
  });
}

// Of the candidates. Looks no further than for one that leaves too little to save: from the last
// one, as bases follow other modes.
float min_bits(const Candidates& candidates, const LatentArray& probes, float bin_share,
               Arena& arena) {
  BestSplit best(probes, bin_share, HUGE_VALF, arena);
  for (std::size_t i = candidates.size(); i > 0 && best.bits() >= kMinCandidateBits; --i) {
    best.attempt(candidates.begin()[i - 1].mode);
  }
  return best.bits();
}

void attempt_quants(unsigned max_k, BestSplit& best) {
  for (unsigned k = kQuantStep; k <= max_k; k += kQuantStep) best.attempt(FloatQuant{k});
  if (!std::holds_alternative<FloatQuant>(best.mode())) return;
  const unsigned near = std::get<FloatQuant>(best.mode()).k;
  for (unsigned k = near - kQuantStep + 1; k < std::min(near + kQuantStep, max_k + 1); ++k) {
    best.attempt(FloatQuant{k});
  }
}

void attempt_decimals(NumberType type, BestSplit& best) {
  double scale = 1;
  for (int decimals = 0; decimals <= kMaxDecimals; ++decimals, scale *= 10) {
    const FloatMult mult = FloatMult::of(1 / scale, type);
    if (mult.is_valid(type)) best.attempt(mult);
  }
}

}  // namespace

void propose_few_remainders(NumberType type, const LatentArray& ordered, Candidates& candidates,
                            Arena& arena) {
  const float chunk_n = static_cast<float>(ordered.n);
  if (type == NumberType::kF16 || chunk_n < kMinChunkN) return;
  const ArenaScope scratch(arena);
  const LatentArray probes = probes_of(ordered, arena);
  if (probes.n < kMinDifferentProbes) return;
  const float bin_share = 1 / chunk_n;
  const LatentArray some = probes.slice(0, kMinDifferentProbes);
  if (!may_repeat(type, some, bin_share, arena)) return;
  if (min_bits(candidates, some, bin_share, arena) < kMinCandidateBits) return;
  const float others = min_bits(candidates, probes, bin_share, arena);
  BestSplit best(probes, bin_share, others - kMinSavedBits, arena);
  attempt_quants(mantissa_bits(latent_bits(type)) - kMinPrimaryMantissaBits, best);
  attempt_decimals(type, best);
  if (std::holds_alternative<Classic>(best.mode())) return;
  Candidate found{best.mode()};
  found.has_few_remainders = true;
  found.is_independent = true;  // coarse estimates do not see that remainders repeat
  candidates.add(found);
}

}  // namespace numpact::internal
