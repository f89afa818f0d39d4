// SPDX-License-Identifier: Apache-2.0
// Repeats lie too far apart for a sample to show them. So one cheap pass over the page, or over
// parts of a long one, looks at a part of its latents, and of its short strings of them, the
// same ones wherever they occur, and counts how many occurred before and how far back
// (lookback_repeats.hpp). Streams that take turns show in the sample.
#include "pco/encode/lookback/prefilter.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "pco/encode/estimate/binned.hpp"
#include "pco/encode/lookback/detect/events.hpp"
#include "pco/encode/lookback/detect/near.hpp"
#include "pco/encode/lookback/detect/repeats.hpp"
#include "pco/encode/lookback/estimate.hpp"
#include "pco/encode/lookback/match/candidates.hpp"
#include "pco/encode/lookback/match/periods.hpp"
#include "pco/encode/lookback/match/words.hpp"
#include "pco/encode/lookback/optimize/costs.hpp"
#include "pco/mode/split.hpp"
#include "pco/stats/histogram.hpp"
#include "pco/stats/log2.hpp"

namespace numpact {
namespace {

// Strings hold this many bits more than it takes to tell the page's places apart, so that they
// don't recur by chance.
constexpr float kSpareBits = 8;
constexpr unsigned kMaxStringLog = 4;
// With less for each number, lookbacks that differ from one to the next cost more than they save.
constexpr float kMinNearBits = 0.7f;
// With less only those that are the same for most.
constexpr float kMinRepeatBits = 0.25f;
// Where more equal the one before, what the others take is known.
constexpr float kMostEqual = 0.75f;
// What must be promised before a search is tried.
constexpr float kPromise = 0.04f;
constexpr float kPromiseBesideConv1 = 0.015f;
constexpr float kPromiseForSize = 0.01f;
// But no more than so many bits.
constexpr float kMostPromise = 1.5f;
// And beyond that where only single values repeat: that a value is recalled by how long ago it was
// takes about as much as naming it.
constexpr float kPromiseOfValues = 0.04f;
constexpr float kMostPromiseOfValues = 1;
// And what estimates of that may be off where numbers are like their neighbours, as those that come
// again are more so than others, and take less as they are: a share of the bits, or so many.
constexpr float kDoubtOfValues = 0.16f;
constexpr float kMostDoubtOfValues = 1.5f;
// Below so many numbers a search takes most of its time whatever their number: so many bits of all
// are worth that, but no more than this share.
constexpr std::size_t kShortN = std::size_t{1} << 12;
constexpr float kSearchBits = 300;
constexpr float kMostSearchShare = 0.05f;
// The lookback variable's bins.
constexpr float kMetaBits = 200;
// One of them.
constexpr float kBinBits = 50;
// A value that takes less is not worth recalling, as how long ago it was takes about as much,
// unless size counts for most.
constexpr float kMinRecalledBits = 2;
// Fewer do where all values are recalled.
constexpr std::size_t kMostRecalled = 1024;
// A stretch of so many tells of all, unless more than this share of it is new.
constexpr std::size_t kRecalledN = 2048;
constexpr float kFewNew = 0.02f;
// Of fewer numbers trying what is near takes longer than all else.
constexpr std::size_t kShortestN = 256;
// Looking at so many takes longer than trying a sample's lookbacks.
constexpr std::size_t kLongN = std::size_t{1} << 15;
// Of fewer all may be looked at.
constexpr std::size_t kFewNumbers = std::size_t{1} << 16;
// Where this share of the strings that come again do so within a stretch, stretches tell of them.
constexpr float kMostlyNearby = 0.6f;
// Of the number of them that is to be expected, so many at least and at most.
constexpr float kFew = 0.6f;
constexpr float kMany = 1.6f;

// Each distance is tried on about so many latents.
constexpr std::size_t kTriedN = 256;
// Of those that differ this many at least are counted with.
constexpr float kUnseen = 0.5f;
// One lookback for all must promise more where a stretch tells of it, as the page is not as even.
constexpr float kPromiseOfOne = 0.2f;

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
  // All without branches, as these would not be foreseen.
  for (std::size_t i = 1; i < latents.size(); ++i) {
    const bool is_equal = latents[i] == latents[i - 1];
    most = (is_equal & (votes == 0)) ? latents[i] : most;
    const std::size_t vote = latents[i] == most ? 1 : std::size_t{0} - 1;
    votes += is_equal ? vote : 0;
  }
  std::size_t most_n = 0;
  std::size_t equal_most_n = 0;
  for (std::size_t i = 1; i < latents.size(); ++i) {
    const std::size_t is_most = latents[i] == most ? 1 : 0;
    most_n += is_most;
    equal_most_n += latents[i - 1] == most ? is_most : 0;
  }
  if (most_n == 0) return bits;
  const float of_equal = static_cast<float>(equal_most_n) / static_cast<float>(equal_n);
  const float of_all = static_cast<float>(most_n) / static_cast<float>(latents.size());
  return of_equal * -fast_log2(of_all) + (1 - of_equal) * bits;
}

// How many of a sample's latents equal the one before.
std::size_t count_equal(const LatentArray& sample) {
  return sample.visit([](auto latents) {
    std::size_t equal_n = 0;
    for (std::size_t i = 1; i < latents.size(); ++i) {
      equal_n += latents[i] == latents[i - 1] ? 1 : 0;
    }
    return equal_n;
  });
}

// Their share; 0 where it says nothing.
float equal_share(std::size_t equal_n, const LatentArray& sample) {
  const float share = static_cast<float>(equal_n) / static_cast<float>(sample.n);
  return share > 0.99f ? 0 : share;
}

PlainBits plain_bits(const LatentArray& sample, std::size_t equal_n, const AnyDelta& delta,
                     float bits) {
  const float share = equal_share(equal_n, sample);
  if (share == 0) return {0, bits, bits};
  const float equal = sample.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    return std::holds_alternative<NoDelta>(delta)
               ? equal_bits_without_delta(std::span<const L>(latents), equal_n, bits)
               : -fast_log2(share);
  });
  const float capped = std::min(equal, bits);
  return {share, capped, (bits - share * capped) / (1 - share)};
}

// Bits for each of `all` lookbacks, of which some are given: coded by a bin of its own where it is
// frequent, else by one that it shares with others of its width.
float lookback_bits(std::span<const std::uint32_t> some, float all, Arena& arena) {
  const unsigned slot_log =
      std::clamp(static_cast<unsigned>(std::bit_width(some.size())) + 3, 9u, 15u);
  const auto slot_of = [slot_log](std::uint32_t lookback) -> std::size_t {
    return lookback * 0x9e3779b1u >> (32 - slot_log);
  };
  const ArenaScope scratch(arena);
  const std::span<std::uint16_t> counts = arena.make<std::uint16_t>(std::size_t{1} << slot_log);
  std::fill(counts.begin(), counts.end(), std::uint16_t{0});
  const std::span<std::uint32_t> distinct = arena.make<std::uint32_t>(some.size() + 1);
  std::size_t distinct_n = 0;
  for (const std::uint32_t lookback : some) {
    distinct[distinct_n] = lookback;
    distinct_n += counts[slot_of(lookback)]++ == 0 ? 1 : 0;
  }
  const auto width_of = [](std::uint32_t lookback) {
    return static_cast<std::size_t>(std::bit_width(lookback));
  };
  std::array<std::uint32_t, 33> width_counts{};
  for (const std::uint32_t lookback : distinct.first(distinct_n)) {
    width_counts[width_of(lookback)] += counts[slot_of(lookback)];
  }
  const float n = static_cast<float>(some.size());
  const float scale = std::max(1.0f, all / n);
  // Those that occur once among some stand for many others that do not occur among them.
  const float unseen = scale > 1.5f ? 0.5f : 0.0f;
  std::array<float, 33> shared{};
  for (std::size_t width = 1; width < shared.size(); ++width) {
    const float count = static_cast<float>(width_counts[width] + 1);
    shared[width] = fast_log2(n / count) + static_cast<float>(width - 1);
  }
  const auto own_bits = [=](std::uint32_t occurrences) {
    const float count = static_cast<float>(occurrences) - unseen;
    return fast_log2(n / count) + kBinBits / (count * scale);
  };
  std::array<float, 32> rare{};
  for (std::uint32_t count = 1; count < rare.size(); ++count) rare[count] = own_bits(count);
  float bits = 0;
  for (const std::uint32_t lookback : distinct.first(distinct_n)) {
    const std::uint32_t count = counts[slot_of(lookback)];
    const float own = count < rare.size() ? rare[count] : own_bits(count);
    bits += static_cast<float>(count) * std::min(own, shared[width_of(lookback)]);
  }
  return bits / n;
}

Telling telling_of(float equal_share, const PageParts& parts) {
  const float expected = (1 - equal_share) * static_cast<float>(parts.n()) /
                         static_cast<float>(std::size_t{1} << pick_log(parts.page_n()));
  return {kFew * expected, kMany * expected};
}

// What a number would take if the repeats were coded by lookbacks and the rest as it is.
float promised_bits(const Repeats& repeats, const PlainBits& plain, float bits, std::size_t page_n,
                    Arena& arena) {
  if (repeats.repeated == 0) return bits;
  const float yes = static_cast<float>(repeats.repeated) / static_cast<float>(repeats.looked);
  const float known = (1 - yes) * plain.other + entropy(yes);
  const float equal = plain.equal_share > 0
                          ? plain.equal_share * std::min(plain.equal, -fast_log2(plain.equal_share))
                          : 0;
  const float other_share = 1 - plain.equal_share;
  if (equal + other_share * known > bits) return bits;
  const float found = other_share * yes * static_cast<float>(page_n);
  return equal + other_share * (known + yes * lookback_bits(repeats.kept(), found, arena));
}

// Whether most strings that come again do so within one of the stretches of a page.
bool are_mostly_nearby(const Repeats& strings) {
  const std::span<const std::uint32_t> lookbacks = strings.kept();
  const auto nearby = std::count_if(lookbacks.begin(), lookbacks.end(),
                                    [](std::uint32_t lookback) { return lookback < kStretchN; });
  return static_cast<float>(nearby) > kMostlyNearby * static_cast<float>(lookbacks.size());
}

struct Recalled {
  float bits;
  float new_share;  // of those that did not come before
};

// What a number would take if all that came before were recalled by how long ago that was, and the
// others took what they do, or the width of all; or that it is no less than wanted.
Recalled recalled_bits(const LatentArray& page, float other_bits, float wanted, Arena& arena) {
  const ArenaScope scratch(arena);
  return visit_words(page, arena, [&](auto words, unsigned unused_bits) -> Recalled {
    using L = std::remove_const_t<typename decltype(words)::element_type>;
    const std::span<std::uint32_t> lookbacks = arena.make<std::uint32_t>(words.size());
    find_same(words, FlatBlocks(words, arena), lookbacks, arena);
    std::size_t found = 0;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::uint32_t lookback = lookbacks[i];
      if (words[i - lookback] == words[i]) lookbacks[found++] = lookback;
    }
    if (found == 0) return {HUGE_VALF, 1};
    const Range<L> range = range_of(words);
    const unsigned width =
        std::max(unused_bits, static_cast<unsigned>(std::bit_width(range.upper - range.lower)));
    const float yes = static_cast<float>(found) / static_cast<float>(words.size());
    const float all = static_cast<float>(found);
    const float other = std::min(other_bits, static_cast<float>(width - unused_bits));
    const float known = entropy(yes) + (1 - yes) * other;
    if (known >= wanted) return {known, 1 - yes};
    if (found > kMostRecalled) {
      for (std::size_t k = 0; k < kMostRecalled; ++k) {
        lookbacks[k] = lookbacks[k * found / kMostRecalled];
      }
      found = kMostRecalled;
    }
    return {known + yes * lookback_bits(lookbacks.first(found), all, arena), 1 - yes};
  });
}

// By all numbers of a page, or a stretch that tells of them.
bool may_be_recalled(const LatentArray& page, float other_bits, float wanted, Arena& arena) {
  if (page.n > kRecalledN) {
    const LatentArray stretch = page.slice((page.n - kRecalledN) / 2, kRecalledN);
    const Recalled some = recalled_bits(stretch, other_bits, wanted, arena);
    if (some.new_share <= kFewNew) return some.bits < wanted;
  }
  return recalled_bits(page, other_bits, wanted, arena).bits < wanted;
}

template <Latent L>
float bits_at(std::span<const L> words, std::size_t distance, unsigned unused_bits) {
  std::array<std::uint32_t, 65> widths{};
  std::size_t n = 0;
  const std::size_t step = (words.size() - distance) / kTriedN + 1;
  for (std::size_t i = distance; i < words.size(); i += step, ++n) {
    ++widths[signed_width(static_cast<L>(words[i] - words[i - distance]))];
  }
  return width_bits(widths, n, unused_bits);
}

// What a number's primary latent would take if all looked back as far, not less than
// `least_lookback`; plain_bits if there is nothing to look back to.
float bits_of_one(const LatentArray& page, const AnyMode& mode, std::size_t least_lookback,
                  float plain_bits, Arena& arena) {
  const ArenaScope scratch(arena);
  const std::size_t n = period_stretch_n(page.n);
  const SplitLatents latents = split(mode, page.slice((page.n - n) / 2, n), arena);
  return visit_words(latents.primary, arena, [&](auto words, unsigned unused_bits) {
    float bits = HUGE_VALF;
    const Periods periods = find_periods(words, least_lookback, arena);
    for (const std::uint32_t period : periods.all()) {
      // Those before the first period's end are as they are.
      const float before = static_cast<float>(period) / static_cast<float>(page.n);
      const float period_bits = bits_at(words, period, unused_bits);
      bits = std::min(bits, before * plain_bits + (1 - before) * period_bits);
    }
    return bits;
  });
}

// What a number would take if all looked back by a period of events, but those before the first
// one, which are as they are; and any that then differ took half the bits of a latent.
float bits_of_events(const LatentArray& page, const AnyMode& mode, float bits, Arena& arena) {
  const ArenaScope scratch(arena);
  const std::size_t n = event_stretch_n(page.n);
  const SplitLatents latents = split(mode, page.slice((page.n - n) / 2, n), arena);
  float least = HUGE_VALF;
  const Periods periods = find_event_periods(latents.primary, arena);
  for (const std::uint32_t period : periods.all()) {
    const Matches matches = count_matches(page, period);
    if (matches.looked == 0) continue;
    // What was not seen among some may be there. Those that differ do so by little.
    const float others = std::max(kUnseen, static_cast<float>(matches.looked - matches.same)) /
                         static_cast<float>(matches.looked);
    const float before = static_cast<float>(period) / static_cast<float>(page.n);
    const float period_bits = entropy(others) + others * static_cast<float>(page.bits) / 2;
    least = std::min(least, entropy(before) + before * bits + (1 - before) * period_bits);
  }
  return least;
}

// A way to encode all numbers, and what each takes.
struct PlainDelta {
  AnyDelta delta;
  float bits;
};

// Looking back to the latent before is what the first order does, and to one that is the most
// frequent much like no delta. Other deltas are lost where some numbers look back.
bool is_at_hand(const AnyDelta& delta) {
  const auto* const consecutive = std::get_if<Consecutive>(&delta);
  return consecutive != nullptr ? consecutive->order == 1 : std::holds_alternative<NoDelta>(delta);
}

PlainDelta delta_at_hand(const Sample& sample, const Choice& choice, const Trial& trial,
                         Arena& arena) {
  const ArenaScope scratch(arena);
  const SplitLatents latents = split(choice.mode, sample.latents, arena);
  const float none = weigh_consecutive(sample, latents.primary, 0, arena);
  const float first = weigh_consecutive(sample, latents.primary, 1, arena);
  if (none < first) return {NoDelta{}, none + trial.secondary_bits};
  return {Consecutive{1, false}, first + trial.secondary_bits};
}

}  // namespace

bool may_look_back(const Sample& sample, const LatentArray& page, const Choice& choice,
                   const Trial& trial, Arena& arena) {
  const ArenaScope scratch(arena);
  const float bits = trial.bits;
  const float usual_promise = trial.level >= kLevelForSize                  ? kPromiseForSize
                              : std::holds_alternative<Conv1>(choice.delta) ? kPromiseBesideConv1
                                                                            : kPromise;
  const float promise = std::max(usual_promise, trial.promise);
  const float wanted =
      bits - std::min(promise * bits, kMostPromise) - kMetaBits / static_cast<float>(page.n);
  const float string_bits = kSpareBits + fast_log2(static_cast<float>(page.n));
  unsigned string_log = 1;
  while (string_log < kMaxStringLog && bits * static_cast<float>(1u << string_log) < string_bits) {
    ++string_log;
  }
  const float wanted_of_values =
      wanted -
      (trial.level < kLevelForSize ? std::min(kPromiseOfValues * bits, kMostPromiseOfValues) : 0);
  const bool is_doubtful =
      trial.level < kLevelForSize && !std::holds_alternative<NoDelta>(choice.delta);
  const float least_recalled = trial.level < kLevelForSize ? kMinRecalledBits : 0;
  const float doubt = is_doubtful ? std::min(kDoubtOfValues * bits, kMostDoubtOfValues) : 0;
  const float primary_bits = bits - trial.secondary_bits;
  const float wanted_of_primary = wanted - trial.secondary_bits;
  const bool is_all_looked_at = period_stretch_n(page.n) == page.n;
  const float of_one = is_all_looked_at ? 0 : kPromiseOfOne;
  const float wanted_of_one = std::min(wanted, (1 - of_one) * bits) - trial.secondary_bits;
  if (bits < kMinNearBits) {
    if (bits_of_events(page, choice.mode, bits, arena) < wanted_of_one) return true;
    if (bits < kMinRepeatBits) return false;
  }
  // A short search says more than a sample or counts, where a search in full takes long.
  const auto is_confirmed = [&] {
    return page.n < (trial.is_part ? kLeastForStretchesOfPart : kLeastForStretches) ||
           stretches_look_back(page, choice, bits / trial.sampled_bits, trial.secondary_bits,
                               trial.level, arena);
  };
  const auto is_near = [&] {
    const auto comparison = trial.level >= kLevelForSize ? NearComparison::kWithAll
                            : page.n < kLongN            ? NearComparison::kWithSame
                                                         : NearComparison::kWithBoth;
    const bool is_short = page.n < kShortN && trial.level < kLevelForSize;
    const float worth = std::min(kSearchBits / static_cast<float>(page.n), kMostSearchShare * bits);
    const NearWish wish{wanted_of_primary - (is_short ? worth : 0),
                        trial.sampled_bits - trial.secondary_bits, comparison};
    return may_look_back_nearby(sample, choice, wish, arena) && is_confirmed();
  };
  // Of a long page a sample is asked first.
  const bool is_long = page.n >= kLongN;
  if (is_long && bits >= kMinNearBits && is_near()) return true;
  const bool promising = page.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    const PageParts parts(page.n, trial.level);
    const std::size_t equal_n = count_equal(sample.latents);
    const Telling telling = telling_of(equal_share(equal_n, sample.latents), parts);
    PageRepeats& repeats = *(trial.repeats != nullptr ? trial.repeats : unknown_repeats(arena));
    find_repeats(std::span<const L>(span), parts, string_log, telling, repeats, arena);
    const auto promise_with = [&](const AnyDelta& delta, float plain_bits_each) {
      const bool strings_tell = telling.holds_for(repeats.strings);
      const bool values_tell = telling.holds_for(repeats.values);
      const bool recalls = page.n < kFewNumbers && !values_tell && plain_bits_each > least_recalled;
      if (!strings_tell && !values_tell && !recalls) return false;
      const PlainBits plain = plain_bits(sample.latents, equal_n, delta, plain_bits_each);
      const auto promised = [&](const Repeats& found) {
        return promised_bits(found, plain, plain_bits_each, page.n, arena);
      };
      if (strings_tell && promised(repeats.strings) < wanted) return true;
      if (recalls) {
        const float other_bits = plain.equal_share > kMostEqual ? plain.other : HUGE_VALF;
        return may_be_recalled(page, other_bits, wanted_of_values, arena);
      }
      return values_tell && promised(repeats.values) < wanted_of_values - doubt;
    };
    if (!promise_with(choice.delta, bits)) return false;
    if (!is_at_hand(choice.delta)) {
      const PlainDelta other = delta_at_hand(sample, choice, trial, arena);
      if (!promise_with(other.delta, other.bits)) return false;
    }
    return !(trial.is_part || are_mostly_nearby(repeats.strings)) || is_confirmed();
  });
  if (promising) return true;
  if (bits >= kMinNearBits) {
    const bool is_shortest = page.n < kShortestN;
    if (!is_long && !is_shortest && is_near()) return true;
    // Further than is_near() tries.
    const std::size_t least = is_shortest ? 2 : kMaxFrequent + 1;
    if (bits_of_one(page, choice.mode, least, primary_bits, arena) < wanted_of_one) return true;
  }
  // Conv1 that was fitted to a period decodes as slowly, and comes near in bits.
  return std::holds_alternative<Conv1>(choice.delta) &&
         bits_of_one(page, choice.mode, 2, primary_bits, arena) < wanted_of_one;
}

}  // namespace numpact
