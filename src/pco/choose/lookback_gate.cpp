// SPDX-License-Identifier: Apache-2.0
// Repeats lie too far apart for a sample to show them. So one cheap pass over the page looks at a
// part of its latents, and of its short strings of them, the same ones wherever they occur, and
// counts how many occurred before and how far back. Streams that take turns show in the sample.
#include "pco/choose/lookback_gate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "pco/choose/lookback_costs.hpp"
#include "pco/choose/lookback_words.hpp"
#include "pco/mode/split.hpp"
#include "pco/stats/log2.hpp"

namespace numpact {
namespace {

constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15u;
constexpr std::uint64_t kPickFactor = 0xbf58476d1ce4e5b9u;
// Strings hold this many bits more than it takes to tell the page's places apart, so that they
// don't recur by chance.
constexpr float kSpareBits = 8;
constexpr std::size_t kMaxString = 16;
// What must be promised before a search is tried.
constexpr float kPromise = 0.04f;
// The lookback variable's bins.
constexpr float kMetaBits = 200;
// Of so many lookbacks the costs are counted: the last ones.
constexpr std::size_t kMostLookbacks = 8192;
// One in 2^this is looked at.
constexpr unsigned kPickLog = 3;
constexpr unsigned kPickLogOfMany = 4;
constexpr std::size_t kManyN = std::size_t{1} << 17;
// Of the number of them that is to be expected, so many at least and at most.
constexpr float kFew = 0.6f;
constexpr float kMany = 1.6f;

unsigned pick_log(std::size_t n) { return n < kManyN ? kPickLog : kPickLogOfMany; }

// Of those looked at: the ones whose last latent is not that before it.
struct Repeats {
  std::size_t looked = 0;
  std::size_t repeated = 0;
  std::span<std::uint32_t> lookbacks;

  std::span<std::uint32_t> kept() const {
    return lookbacks.first(std::min(repeated, lookbacks.size()));
  }
};

// The latest positions of what is looked at.
template <Latent L>
class Seen {
 public:
  Seen(std::span<const L> latents, unsigned log, Arena& arena)
      : latents_(latents), log_(log), slots_(arena.make<Slot>(std::size_t{1} << log)) {
    std::fill(slots_.begin(), slots_.end(), Slot{0, 0});
    found_.lookbacks = arena.make<std::uint32_t>(kMostLookbacks);
  }
  void look(std::uint64_t hash, std::uint32_t position) {
    Slot& slot = slots_[static_cast<std::size_t>((hash << kPickLogOfMany) >> (64 - log_))];
    const std::uint32_t check = static_cast<std::uint32_t>(hash) | 1;
    if (position == 0 || latents_[position] != latents_[position - 1]) {
      ++found_.looked;
      if (slot.check == check) {
        found_.lookbacks[found_.repeated++ % kMostLookbacks] = position - slot.position;
      }
    }
    slot = {check, position};
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

struct Picked {
  std::uint64_t hash;
  std::uint32_t position;
};

template <Latent L>
void find_repeats(std::span<const L> latents, std::size_t string_n, Seen<L>& values,
                  Seen<L>& strings) {
  constexpr std::size_t kBlockN = 512;
  std::array<Picked, kBlockN> values_picked;
  std::array<Picked, kBlockN> strings_picked;
  const unsigned pick_shift = 64 - pick_log(latents.size());
  const unsigned string_shift = static_cast<unsigned>((63 + string_n) / string_n);
  std::uint64_t string = 0;
  for (std::size_t begin = 0; begin < latents.size(); begin += kBlockN) {
    const std::size_t end = std::min(begin + kBlockN, latents.size());
    std::size_t value_n = 0;
    std::size_t picked_n = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t position = static_cast<std::uint32_t>(i);
      const std::uint64_t product = (std::uint64_t{latents[i]} + 1) * kFactor;
      const std::uint64_t mixed = product ^ product >> 32;
      string = (string << string_shift) + mixed;
      const std::uint64_t value_hash = mixed * kPickFactor;
      const std::uint64_t string_hash = (string ^ string >> 29) * kPickFactor;
      values_picked[value_n] = {value_hash, position};
      value_n += value_hash >> pick_shift == 0 ? 1 : 0;
      strings_picked[picked_n] = {string_hash, position};
      picked_n += string_hash >> pick_shift == 0 ? 1 : 0;
    }
    for (std::size_t j = 0; j < value_n; ++j) {
      values.look(values_picked[j].hash, values_picked[j].position);
    }
    for (std::size_t j = 0; j < picked_n; ++j) {
      strings.look(strings_picked[j].hash, strings_picked[j].position);
    }
  }
}

// What numbers take under the choice as it is, by whether they equal the one before.
struct PlainBits {
  float equal_share = 0;
  float equal;
  float other;
};

// Without delta, equal numbers are cheap as far as most of them are the same one.
template <Latent L>
float equal_bits_without_delta(std::span<const L> latents, std::size_t equal_n, float bits) {
  L most{};
  std::size_t votes = 0;
  for (std::size_t i = 1; i < latents.size(); ++i) {
    if (latents[i] != latents[i - 1]) continue;
    if (votes == 0) most = latents[i];
    votes = latents[i] == most ? votes + 1 : votes - 1;
  }
  std::size_t most_n = 0;
  std::size_t equal_most_n = 0;
  for (std::size_t i = 1; i < latents.size(); ++i) {
    most_n += latents[i] == most ? 1 : 0;
    equal_most_n += latents[i] == most && latents[i - 1] == most ? 1 : 0;
  }
  if (most_n == 0) return bits;
  const float of_equal = static_cast<float>(equal_most_n) / static_cast<float>(equal_n);
  const float of_all = static_cast<float>(most_n) / static_cast<float>(latents.size());
  return of_equal * -fast_log2(of_all) + (1 - of_equal) * bits;
}

PlainBits plain_bits(const Sample& sample, const AnyDelta& delta, float bits) {
  return sample.latents.visit([&](auto span) -> PlainBits {
    using L = typename decltype(span)::value_type;
    const std::span<const L> latents(span);
    std::size_t equal_n = 0;
    for (std::size_t i = 1; i < latents.size(); ++i) {
      equal_n += latents[i] == latents[i - 1] ? 1 : 0;
    }
    const float share = static_cast<float>(equal_n) / static_cast<float>(latents.size());
    if (equal_n == 0 || share > 0.99f) return {0, bits, bits};
    const float equal = std::holds_alternative<NoDelta>(delta)
                            ? equal_bits_without_delta(latents, equal_n, bits)
                            : -fast_log2(share);
    const float capped = std::min(equal, bits);
    return {share, capped, (bits - share * capped) / (1 - share)};
  });
}

float entropy(float share) {
  const float other = 1 - share;
  float bits = share > 0 ? -share * fast_log2(share) : 0;
  bits -= other > 0 ? other * fast_log2(other) : 0;
  return bits;
}

// What a number would take if the repeats were coded by lookbacks and the rest as it is.
float promised_bits(const Repeats& repeats, const PlainBits& plain, float bits, std::size_t page_n,
                    Arena& arena) {
  const float looked = static_cast<float>(repeats.looked);
  const float expected = (1 - plain.equal_share) * static_cast<float>(page_n) /
                         static_cast<float>(std::size_t{1} << pick_log(page_n));
  // A few frequent ones, or the lack of them, say little of the rest.
  if (looked < kFew * expected || looked > kMany * expected) return bits;
  const float yes = static_cast<float>(repeats.repeated) / looked;
  const float known = (1 - yes) * plain.other + entropy(yes);
  const float equal = plain.equal_share > 0
                          ? plain.equal_share * std::min(plain.equal, -fast_log2(plain.equal_share))
                          : 0;
  const float other_share = 1 - plain.equal_share;
  if (equal + other_share * known > bits) return bits;
  const ArenaScope scratch(arena);
  LookbackCosts costs(make_counts(page_n, arena), 32, 0, 1, arena);
  ChosenLookbacks chosen;
  chosen.lookbacks = repeats.kept();
  chosen.n = chosen.lookbacks.size();
  chosen.widths[0] = static_cast<std::uint32_t>(chosen.n);
  chosen.scale =
      std::max(1.0f, other_share * yes * static_cast<float>(page_n) / static_cast<float>(chosen.n));
  return equal + other_share * (known + yes * costs.learn(chosen));
}

// What a number would take if each looked back no further than to the last kMaxFrequent, by the
// entropies of lookbacks and of the deltas' widths.
float near_bits(const Sample& sample, const AnyMode& mode, Arena& arena) {
  const ArenaScope scratch(arena);
  if (sample.run_n <= kMaxFrequent) return HUGE_VALF;
  const SplitLatents latents = split(mode, sample.latents, arena);
  return visit_words(latents.primary, arena, [&](auto words, unsigned unused_bits) {
    using L = std::remove_const_t<typename decltype(words)::element_type>;
    const std::size_t n = words.size();
    LookbackCosts costs(make_counts(kMaxFrequent + 1, arena), kBits<L>, unused_bits, kMaxFrequent,
                        arena);
    ChosenLookbacks chosen;
    chosen.lookbacks = arena.make<std::uint32_t>(n);
    chosen.scale = sample.scale;
    std::array<std::uint32_t, 256> best;
    costs.guess();
    float bits = 0;
    for (int round = 0; round < 2; ++round) {
      chosen.clear();
      for (std::size_t run = 0; run + sample.run_n <= n; run += sample.run_n) {
        for (std::size_t j = kMaxFrequent; j < sample.run_n; j += best.size()) {
          const std::size_t count = std::min(best.size(), sample.run_n - j);
          choose_cheapest(
              LookbackTask<L>{words.data(), run + j, count, &costs.frequent(), &costs.of_deltas(),
                              costs.of_lookbacks(), nullptr, nullptr, nullptr},
              best.data());
          for (std::size_t k = 0; k < count; ++k) {
            const std::size_t i = run + j + k;
            chosen.add(best[k], signed_width(static_cast<L>(words[i] - words[i - best[k]])));
          }
        }
      }
      bits = costs.learn(chosen);
    }
    return bits;
  });
}

}  // namespace

bool may_look_back(const Sample& sample, const LatentArray& page, const Choice& choice,
                   const Trial& trial, Arena& arena) {
  const ArenaScope scratch(arena);
  const float bits = trial.bits;
  const float wanted = (1 - kPromise) * bits - kMetaBits / static_cast<float>(page.n);
  const float string_bits = kSpareBits + fast_log2(static_cast<float>(page.n));
  const std::size_t string_n = static_cast<std::size_t>(
      std::clamp(std::ceil(string_bits / bits), 2.0f, static_cast<float>(kMaxString)));
  const PlainBits plain = plain_bits(sample, choice.delta, bits);
  const bool promising = page.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    const std::span<const L> latents(span);
    const unsigned log =
        std::clamp(static_cast<unsigned>(std::bit_width(latents.size() / 8)), 6u, 16u);
    Seen<L> values(latents, log, arena);
    Seen<L> strings(latents, log, arena);
    find_repeats(latents, string_n, values, strings);
    const float by_strings = promised_bits(strings.found(), plain, bits, page.n, arena);
    const float by_values = promised_bits(values.found(), plain, bits, page.n, arena);
    return by_strings < wanted || by_values < wanted;
  });
  if (promising) return true;
  const float near = near_bits(sample, choice.mode, arena);
  return near + trial.secondary_bits < wanted;
}

}  // namespace numpact
