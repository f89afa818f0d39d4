// SPDX-License-Identifier: Apache-2.0
// Each test estimates what a number takes under one kind of lookbacks. It passes if that is below
// a limit: the bits of the current choice less a required saving, which is larger where estimates
// are less reliable. The search starts after the first test that passes. The tests run in this
// order:
//
// 1. Near lookbacks in the sample, on long pages. Rules out pages without interleaved streams:
//    looking back at most 64 numbers saves too little.
// 2. Repeats. Equal values and strings are too far apart for a sample to contain both, so one pass
//    over the page, or over windows of a long one, counts them (detect/repeats.hpp). Rules out
//    pages that repeat too little to pay for the distances: under the current delta, and under the
//    best simple delta (none, or first order) if the current one is another.
// 3. Near lookbacks in the sample, on shorter pages. There the pass of test 2 takes less time.
//
// One distance for all numbers is sought before (lookback/fixed.hpp).
//
// A full search of a long page is expensive. So test 1 passes there only if short searches within
// windows of the page confirm it; test 2 too, if its repeats are mostly near each other.
#include "pco/encode/lookback/prefilter.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/tuned.hpp"
#include "pco/encode/estimate/binned.hpp"
#include "pco/encode/lookback/detect/near.hpp"
#include "pco/encode/lookback/detect/repeats.hpp"
#include "pco/encode/lookback/estimate.hpp"
#include "pco/encode/lookback/match/candidates.hpp"
#include "pco/encode/lookback/match/words.hpp"
#include "pco/encode/lookback/optimize/costs.hpp"
#include "pco/mode/split.hpp"
#include "pco/stats/histogram.hpp"
#include "pco/stats/log2.hpp"

namespace numpact::internal {
namespace {

// The thresholds were set by the sizes of the shared columns (`./dev bench sizes`) against the time
// to encode them (`./dev bench levels`). Figures in comments are of the commit that set the value.

// Caps each share of the saving that a passing test must show (PrefilterLevel): numbers of many
// bits need not save more than this to be worth a search.
NUMPACT_TUNED(float, kMaxPrefilterSavingBitsPerNumber, 1.5f);
// Bits charged to the page for the metadata of the lookback variable: four bins of its own for
// frequent lookbacks, of kLookbackBinBits each.
NUMPACT_TUNED(float, kLookbackVariableBits, 200);

// Below this page length the time of a search hardly depends on the length. The near test must then
// save PrefilterLevel::search_time_page_bits in all for it, but no more than this share of the
// current bits.
constexpr std::size_t kMinProportionalSearchN = std::size_t{1} << 12;
NUMPACT_TUNED(float, kMaxSearchTimeShare, 0.05f);

// Below this, lookbacks that differ from number to number cost more than they save.
NUMPACT_TUNED(float, kMinNearBitsPerNumber, 0.7f);
// Below this, only lookbacks that are equal for all numbers save anything (lookback/fixed.hpp).
NUMPACT_TUNED(float, kMinRepeatBitsPerNumber, 0.5f);

// Strings hold this many bits more than it takes to number the page's positions, so that they
// rarely recur by chance. More spare bits mean longer strings and fewer repeats of short ones.
NUMPACT_TUNED(float, kStringSpareBits, 8);
// Strings have at most 2^this latents, which is what blocks of hashes keep as history.
NUMPACT_TUNED(unsigned, kMaxStringLog2, 4);

// Above this ratio the few other numbers of a sample are too few to represent anything.
NUMPACT_TUNED(float, kMaxInformativeEqualRatio, 0.99f);

// Slots for the counts of lookbacks: at least 2^this for each lookback, so that few share one, and
// 2^9 (1 KiB of counters) to 2^15 (64 KiB, which are set to zero first) in all.
NUMPACT_TUNED(unsigned, kCountSlotsPerLookbackLog2, 3);
NUMPACT_TUNED(unsigned, kMinCountSlotsLog2, 9);
NUMPACT_TUNED(unsigned, kMaxCountSlotsLog2, 15);
// If a lookback occurs once in a part of the page, this many of its occurrences stand for others
// that do not occur in it: half of what the search assumes, as the test must not reject too much.
NUMPACT_TUNED(float, kUnseenLookbackN, 0.5f);

// Below this page length every value may be matched, if too few repeats were picked.
constexpr std::size_t kMaxMatchedPageN = std::size_t{1} << 16;

// Below this page length the near test would take longer than all other tests.
NUMPACT_TUNED(std::size_t, kMinNearTestN, 256);
// From this page length on the near test is faster than counting repeats, and comes first.
constexpr std::size_t kMinNearFirstN = std::size_t{1} << 15;

// Above this ratio of repeated strings within a window's length windows can confirm the test.
NUMPACT_TUNED(float, kMostlyNearbyRatio, 0.6f);
// The number of picked latents or strings, relative to the expected one, must lie in this range. A
// few frequent values, picked or not, distort the count of others outside it.
NUMPACT_TUNED(float, kMinPickedRatio, 0.6f);
NUMPACT_TUNED(float, kMaxPickedRatio, 1.6f);

// Estimated bits of a number under the current choice, by whether it equals its predecessor.
struct PlainBits {
  float equal_ratio = 0;
  float equal;
  float other;
};

// Without delta a number that equals its predecessor is cheap if it is the value that most such
// numbers have. Majority voting finds that value.
template <Latent L>
float equal_bits_without_delta(std::span<const L> latents, std::size_t equal_n, float bits) {
  L usual{};
  std::size_t votes = 0;
  // Branchless: branches on the data would be mispredicted.
  for (std::size_t i = 1; i < latents.size(); ++i) {
    const bool is_equal = latents[i] == latents[i - 1];
    usual = (is_equal & (votes == 0)) ? latents[i] : usual;
    const std::size_t vote = latents[i] == usual ? 1 : std::size_t{0} - 1;
    votes += is_equal ? vote : 0;
  }
  std::size_t usual_n = 0;
  std::size_t equal_usual_n = 0;
  for (std::size_t i = 1; i < latents.size(); ++i) {
    const std::size_t is_usual = latents[i] == usual ? 1 : 0;
    usual_n += is_usual;
    equal_usual_n += latents[i - 1] == usual ? is_usual : 0;
  }
  if (usual_n == 0) return bits;
  const float of_equal = static_cast<float>(equal_usual_n) / static_cast<float>(equal_n);
  const float of_all = static_cast<float>(usual_n) / static_cast<float>(latents.size());
  return of_equal * -fast_log2(of_all) + (1 - of_equal) * bits;
}

// The number of latents of a sample that equal their predecessor.
std::size_t count_equal(const LatentArray& sample) {
  return sample.visit([](auto latents) {
    const auto* const values = latents.data();
    const std::size_t n = latents.size();
    std::size_t equal_n = 0;
    for (std::size_t i = 1; i < n; ++i) equal_n += values[i] == values[i - 1] ? 1 : 0;
    return equal_n;
  });
}

// Their ratio; 0 if it is too high to be informative.
float informative_equal_ratio(std::size_t equal_n, const LatentArray& sample) {
  const float ratio = static_cast<float>(equal_n) / static_cast<float>(sample.n);
  return ratio > kMaxInformativeEqualRatio ? 0 : ratio;
}

// bits: of a number under the delta, which is split into those of equal and other numbers.
PlainBits split_plain_bits(const LatentArray& sample, std::size_t equal_n, const AnyDelta& delta,
                           float bits) {
  const float ratio = informative_equal_ratio(equal_n, sample);
  if (ratio == 0) return {0, bits, bits};
  const float equal = sample.visit([&](auto latents) {
    using L = typename decltype(latents)::value_type;
    return std::holds_alternative<NoDelta>(delta)
               ? equal_bits_without_delta(std::span<const L>(latents), equal_n, bits)
               : -fast_log2(ratio);
  });
  const float capped = std::min(equal, bits);
  return {ratio, capped, (bits - ratio * capped) / (1 - ratio)};
}

// Bits of each of all_n lookbacks, of which `some` are given. A frequent lookback is coded by a bin
// of its own, the others by a bin that they share with those of the same width.
float lookback_bits(std::span<const std::uint32_t> some, float all_n, Arena& arena) {
  const unsigned slot_log =
      std::clamp(static_cast<unsigned>(std::bit_width(some.size())) + kCountSlotsPerLookbackLog2,
                 kMinCountSlotsLog2, kMaxCountSlotsLog2);
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
  const float scale = std::max(1.0f, all_n / n);
  const float unseen = scale > kMinPartScale ? kUnseenLookbackN : 0.0f;
  std::array<float, 33> shared{};
  for (std::size_t width = 1; width < shared.size(); ++width) {
    const float count = static_cast<float>(width_counts[width] + 1);
    shared[width] = fast_log2(n / count) + static_cast<float>(width - 1);
  }
  const auto own_bits = [=](std::uint32_t occurrences) {
    const float count = static_cast<float>(occurrences) - unseen;
    return fast_log2(n / count) + kLookbackBinBits / (count * scale);
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

// The range for the number of picked latents that do not equal their predecessor.
RepresentativeRange representative_range(float equal_ratio, const PageWindows& windows) {
  const float expected = (1 - equal_ratio) * static_cast<float>(windows.n()) /
                         static_cast<float>(std::size_t{1} << pick_log(windows.page_n()));
  return {kMinPickedRatio * expected, kMaxPickedRatio * expected};
}

struct RepeatBits {
  float bits;      // of a number; those of the choice if repeats save nothing
  float estimate;  // the same, or a lower bound, if they save nothing; infinite if none were found
};

// The cost if repeats are coded by lookbacks and the other numbers as they are. bits: of the
// choice.
RepeatBits bits_with_repeats(const Repeats& repeats, const PlainBits& plain, float bits,
                             std::size_t page_n, Arena& arena) {
  if (repeats.repeated == 0) return {bits, HUGE_VALF};
  const float yes = static_cast<float>(repeats.repeated) / static_cast<float>(repeats.examined);
  const float known = (1 - yes) * plain.other + entropy(yes);
  const float equal = plain.equal_ratio > 0
                          ? plain.equal_ratio * std::min(plain.equal, -fast_log2(plain.equal_ratio))
                          : 0;
  const float other_ratio = 1 - plain.equal_ratio;
  if (equal + other_ratio * known > bits) return {bits, equal + other_ratio * known};
  const float found = other_ratio * yes * static_cast<float>(page_n);
  const float sum =
      equal + other_ratio * (known + yes * lookback_bits(repeats.kept(), found, arena));
  return {sum, sum};
}

// Whether most strings repeat within the length of one window.
bool are_mostly_nearby(const Repeats& strings) {
  const std::span<const std::uint32_t> lookbacks = strings.kept();
  const auto nearby = std::count_if(lookbacks.begin(), lookbacks.end(), [](std::uint32_t lookback) {
    return lookback < kConfirmWindowN;
  });
  return static_cast<float>(nearby) > kMostlyNearbyRatio * static_cast<float>(lookbacks.size());
}

// Bits of a number if every value with an earlier equal one is coded by its distance, and a new one
// by the width of the range. Or a lower bound of that which is not below `limit`.
float bits_with_all_matched(const LatentArray& page, float limit, Arena& arena) {
  const ArenaScope scratch(arena);
  return visit_words(page, arena, [&](auto words, unsigned unused_bits) {
    using L = std::remove_const_t<typename decltype(words)::element_type>;
    const std::span<std::uint32_t> lookbacks = arena.make<std::uint32_t>(words.size());
    find_equal(words, ConstantBlocks(words, arena), lookbacks, arena);
    std::size_t found = 0;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::uint32_t lookback = lookbacks[i];
      if (words[i - lookback] == words[i]) lookbacks[found++] = lookback;
    }
    if (found == 0) return HUGE_VALF;
    const Range<L> range = range_of(words);
    const unsigned width =
        std::max(unused_bits, static_cast<unsigned>(std::bit_width(range.upper - range.lower)));
    const float yes = static_cast<float>(found) / static_cast<float>(words.size());
    const float known = entropy(yes) + (1 - yes) * static_cast<float>(width - unused_bits);
    if (known >= limit) return known;
    return known + yes * lookback_bits(lookbacks.first(found), static_cast<float>(found), arena);
  });
}

// Lookbacks can imitate these: a lookback of 1 is Consecutive of order 1, and a lookback to the
// most frequent latent is much like no delta. The saving of any other delta is lost wherever
// numbers look back.
bool is_simple(const AnyDelta& delta) {
  const auto* const consecutive = std::get_if<Consecutive>(&delta);
  return consecutive != nullptr ? consecutive->order == 1 : std::holds_alternative<NoDelta>(delta);
}

// Upper limits of the tests, in bits per number.
struct PrefilterLimits {
  float all_bits;             // any kind of lookbacks
  float primary_bits;         // the same, without the secondary variable
  float matched_value_bits;   // single values, all of them matched
  float repeated_value_bits;  // single values, counted by picking some
};

PrefilterLimits limits_for(const LatentArray& page, const Choice& choice,
                           const LookbackInput& input) {
  const float bits = input.bits;
  const PrefilterLevel& level = input.level->prefilter;
  const float share =
      has_weights(choice.delta) ? level.saving_share_vs_weights : level.saving_share;
  PrefilterLimits limits;
  limits.all_bits = bits - std::min(share * bits, kMaxPrefilterSavingBitsPerNumber) -
                    kLookbackVariableBits / static_cast<float>(page.n);
  limits.primary_bits = limits.all_bits - input.secondary_bits;
  const float margin = std::min(level.value_margin_share * bits, kMaxPrefilterSavingBitsPerNumber);
  const bool has_error = !std::holds_alternative<NoDelta>(choice.delta);
  const float error =
      has_error ? std::min(level.value_error_share * bits, kMaxPrefilterSavingBitsPerNumber) : 0;
  limits.matched_value_bits = limits.all_bits - margin;
  limits.repeated_value_bits = limits.matched_value_bits - error;
  return limits;
}

class Prefilter {
 public:
  Prefilter(const Sample& sample, const LatentArray& page, const Choice& choice,
            const LookbackInput& input, Arena& arena)
      : sample_(sample),
        page_(page),
        choice_(choice),
        input_(input),
        limits_(limits_for(page, choice, input)),
        arena_(arena) {}

  PrefilterResult run() {
    const bool passes = passes_any();
    return {passes, min_bits_, input_.bits - limits_.all_bits};
  }

 private:
  // The tests in the order of the file's comment.
  bool passes_any() {
    if (input_.bits < kMinRepeatBitsPerNumber) return false;
    const bool may_be_near = input_.bits >= kMinNearBitsPerNumber && page_.n >= kMinNearTestN;
    const bool is_near_first = page_.n >= kMinNearFirstN;
    if (is_near_first && may_be_near && near_lookbacks_pay()) return true;
    if (repeats_pay()) return true;
    return !is_near_first && may_be_near && near_lookbacks_pay();
  }

  const PrefilterLevel& level() const { return input_.level->prefilter; }

  // Notes an estimate of all bits per number.
  void note(float bits) { min_bits_ = std::min(min_bits_, bits); }

  bool near_lookbacks_pay() {
    const bool is_short = page_.n < kMinProportionalSearchN;
    const float search_time_bits =
        std::min(level().search_time_page_bits / static_cast<float>(page_.n),
                 kMaxSearchTimeShare * input_.bits);
    const float max_bits = limits_.primary_bits - (is_short ? search_time_bits : 0);
    const NearResult near = look_back_nearby(sample_, choice_.mode, max_bits, arena_);
    if (near.is_met) return windows_confirm();
    note(near.bits + input_.secondary_bits);
    return false;
  }

  // A short search is more reliable than a sample or counts. Short pages need none, as a full
  // search of them is short.
  bool windows_confirm() {
    if (page_.n < kMinConfirmPageN) return true;
    const WindowsEstimate windows =
        look_back_in_windows(page_, choice_, input_.bits / input_.sampled_bits,
                             input_.secondary_bits, input_.level->search, arena_);
    note(windows.ratio * input_.sampled_bits);
    return windows.saves;
  }

  bool repeats_pay() {
    const std::size_t equal_n = count_equal(sample_.latents);
    const PageWindows windows(page_.n, level());
    const RepresentativeRange range =
        representative_range(informative_equal_ratio(equal_n, sample_.latents), windows);
    PageRepeats& repeats =
        *(input_.repeats != nullptr ? input_.repeats : make_page_repeats(arena_));
    page_.visit([&](auto latents) {
      using L = typename decltype(latents)::value_type;
      find_repeats(std::span<const L>(latents), windows, string_log(), range, repeats, arena_);
    });
    if (!repeats_pay_under(choice_.delta, input_.bits, equal_n, range, repeats)) return false;
    if (!is_simple(choice_.delta)) {
      const SimpleDelta simple = best_simple_delta();
      if (!repeats_pay_under(simple.delta, simple.bits, equal_n, range, repeats)) return false;
    }
    return !are_mostly_nearby(repeats.strings) || windows_confirm();
  }

  // The fewest doublings after which a string holds enough bits not to recur by chance.
  unsigned string_log() const {
    const float string_bits = kStringSpareBits + fast_log2(static_cast<float>(page_.n));
    unsigned log = 1;
    while (log < kMaxStringLog2 && input_.bits * static_cast<float>(1u << log) < string_bits) ++log;
    return log;
  }

  // bits: of a number under the delta, if no number looks back.
  bool repeats_pay_under(const AnyDelta& delta, float bits, std::size_t equal_n,
                         const RepresentativeRange& range, const PageRepeats& repeats) {
    const bool has_strings = range.contains(repeats.strings);
    const bool has_values = range.contains(repeats.values);
    const bool matches_all = page_.n < kMaxMatchedPageN && !has_values;
    if (!has_strings && !has_values && !matches_all) return false;
    const PlainBits plain = split_plain_bits(sample_.latents, equal_n, delta, bits);
    const auto bits_with = [&](const Repeats& found) {
      const RepeatBits with = bits_with_repeats(found, plain, bits, page_.n, arena_);
      note(with.estimate);
      return with.bits;
    };
    if (has_strings && bits_with(repeats.strings) < limits_.all_bits) return true;
    if (matches_all) {
      const float matched_bits = bits_with_all_matched(page_, limits_.matched_value_bits, arena_);
      note(matched_bits);
      return matched_bits < limits_.matched_value_bits;
    }
    return has_values && bits_with(repeats.values) < limits_.repeated_value_bits;
  }

  struct SimpleDelta {
    AnyDelta delta;
    float bits;  // of a number
  };
  SimpleDelta best_simple_delta() const {
    const ArenaScope scratch(arena_);
    const SplitLatents latents = split(choice_.mode, sample_.latents, arena_);
    const float none = estimate_consecutive(sample_, latents.primary, 0, arena_);
    const float first = estimate_consecutive(sample_, latents.primary, 1, arena_);
    if (none < first) return {NoDelta{}, none + input_.secondary_bits};
    return {Consecutive{1, false}, first + input_.secondary_bits};
  }

  const Sample& sample_;
  const LatentArray& page_;
  const Choice& choice_;
  const LookbackInput& input_;
  PrefilterLimits limits_;
  float min_bits_ = HUGE_VALF;
  Arena& arena_;
};

}  // namespace

PrefilterResult prefilter_lookback(const Sample& sample, const LatentArray& page,
                                   const Choice& choice, const LookbackInput& input, Arena& arena) {
  const ArenaScope scratch(arena);
  return Prefilter(sample, page, choice, input, arena).run();
}

}  // namespace numpact::internal
