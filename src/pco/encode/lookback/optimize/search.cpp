// SPDX-License-Identifier: Apache-2.0
// Each number takes the lookback with the least cost of lookback and delta together. Nothing
// depends on the neighbours' choices but the costs themselves, so the search alternates: choose by
// the costs, then count what was chosen and take the counts for the next costs. A part of the page
// is enough for that; its last costs then choose for all of it.
//
// Candidates at a number: the lookbacks used most in the round before, and the latest positions
// that had the same latent or, if none had, one much like it, one with the same upper bits, or the
// same string of latents up to here.
#include "pco/encode/lookback/optimize/search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "pco/bins/binning.hpp"
#include "pco/encode/lookback/match/candidates.hpp"
#include "pco/encode/lookback/match/periods.hpp"
#include "pco/encode/lookback/match/words.hpp"
#include "pco/encode/lookback/optimize/costs.hpp"
#include "pco/levels.hpp"

namespace numpact {
namespace {

// Many short stretches learn more than few long ones where the distances drift.
constexpr std::size_t kSampleBlockN = 64;
constexpr std::size_t kBlockN = 256;
// Where all of a block have the same lookbacks at hand, fewer begin anew.
constexpr std::size_t kLongBlockN = 4096;
// From so many latents on the first block is one of many.
constexpr std::size_t kFirstCountsN = 4096;
// Of the shortest pages fewer do, as they have fewer distances.
constexpr std::size_t kFewestN = 320;
constexpr std::size_t kLeastSampleN = 512;
constexpr std::size_t kShortShare = 8;
// From so many latents on periods may be so long that a stretch must be twice as long.
constexpr std::size_t kLongPeriodsN = std::size_t{1} << 18;
// Before so many of a page, parts of it that share their frequent lookbacks are as short.
constexpr std::size_t kStartN = 32;
constexpr std::size_t kStartPartN = 8;
// So many lookbacks of each start are tried as the only one, on so many latents of a block.
constexpr std::size_t kTriedForAll = 4;
constexpr std::size_t kTriedOfBlock = 12;
// A sample tells no smaller differences between multiples of a period.
constexpr float kAlike = 1.05f;
// Of latents that are to lie apart one in so many is taken.
constexpr std::size_t kApart = 4;
// More lookbacks at each number take longer: they must save this share.
constexpr float kWorthMany = 0.99f;
// Of short pages fewer don't tell which are worth it.
constexpr std::size_t kLeastForMany = 2048;
// Costs that small samples teach are too high: those of the least by this share, others by less.
constexpr float kMostSlack = 0.15f;
constexpr std::size_t kNoSlackN = 1024;
constexpr std::size_t kNoSlackNForSize = 2048;
// What is so much more than is wanted before the costs were learned for long stays more.
constexpr float kFarOver = 1.02f;
// Of so many, what is alike but not the same mostly has one near it that is found by fewer bits. A
// sample may be a smaller part of them, unless they take so few bits that rare ones count.
constexpr std::size_t kManyLatents = std::size_t{1} << 16;
constexpr float kRareBits = 1;
// One in so many takes another when the costs are learned first.
constexpr std::size_t kOneOther = 64;

// Blocks spread over the page; a fixed sequence says where, so that periods in the data don't meet
// the same phase every time.
class Blocks {
 public:
  Blocks(std::size_t first, std::size_t n, std::size_t wanted) : first_(first), n_(n) {
    const std::size_t blocks = (n - first + kSampleBlockN - 1) / kSampleBlockN;
    const std::size_t wanted_blocks = std::max<std::size_t>(1, wanted / kSampleBlockN);
    stride_ = std::max<std::size_t>(1, blocks / wanted_blocks);
  }
  template <class F>
  void each(F&& f) const {
    std::uint64_t random = 0x9e3779b97f4a7c15u;
    for (std::size_t begin = first_; begin < n_; begin += stride_ * kSampleBlockN) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      // A short page's first has nothing to look back to, which would count for more than it is.
      const bool is_skipped = begin == first_ && stride_ > 1 && n_ < kFirstCountsN;
      const std::size_t skipped = is_skipped ? 1 : 0;
      const std::size_t step =
          skipped + static_cast<std::size_t>((random >> 33) % (stride_ - skipped));
      const std::size_t block = begin + step * kSampleBlockN;
      if (block < n_) f(block, std::min(kSampleBlockN, n_ - block));
    }
  }

  // How many latents they hold at most.
  std::size_t max_n() const {
    return (n_ - first_ + kSampleBlockN - 1) / (stride_ * kSampleBlockN) * kSampleBlockN +
           kSampleBlockN;
  }

 private:
  std::size_t first_;
  std::size_t n_;
  std::size_t stride_;
};

// How much worse a lookback may be than another and yet be taken: of multiples of a period the
// least is the best, as it serves most of the page; a sample may say otherwise.
float advantage(std::uint32_t lookback, std::uint32_t other) {
  if (other == 0) return 1;
  if (other % lookback == 0) return kAlike;
  return lookback % other == 0 ? 1 / kAlike : 1;
}

// A lookback for all.
struct One {
  std::uint32_t lookback = 0;
  float bits = HUGE_VALF;
};

// Costs, and what a latent takes that is chosen by them. Of deltas that are large but much alike,
// bins know what widths don't.
struct Learned {
  LookbackCosts* costs = nullptr;
  float bits = 0;           // by the widths of deltas
  float in_bins = 0;        // by their bins, where that is less
  float in_other_bins = 0;  // by the bins of the other sample
};

template <Latent L>
class Search {
 public:
  Search(std::span<const L> latents, unsigned unused_bits, std::size_t state_n,
         const LookbackEffort& effort, LookbackSample sample, Arena& arena)
      : latents_(latents),
        unused_bits_(unused_bits),
        state_n_(state_n),
        effort_(effort),
        is_apart_(sample == LookbackSample::kApart),
        some_(state_n, latents.size(), effort.sample_n),
        same_(arena.make<std::uint32_t>(latents.size())),
        arena_(arena) {}

  // None if a number would take more than give_up bits, more or less.
  FoundLookbacks run(float give_up) {
    const float give_up_bits = effort_.slack * give_up;
    const ArenaScope scratch(arena_);
    find_candidates();
    const std::span<std::uint32_t> counts = make_counts(latents_.size(), arena_);
    const std::size_t most = effort_.max_frequent;
    LookbackCosts from_near(counts, kBits<L>, unused_bits_, most, arena_);
    LookbackCosts from_strings(counts, kBits<L>, unused_bits_, most, arena_);
    chosen_.lookbacks = arena_.make<std::uint32_t>(some_.max_n());
    deltas_ = arena_.make<L>(some_.max_n());
    Learned best = weigh(from_near, start_near(from_near));
    Learned other = weigh(from_strings, start_with_strings(from_strings));
    if (is_less(other, best)) std::swap(best, other);
    const One one = find_one(from_near.frequent(), from_strings.frequent(), best.bits);
    const float least = std::min(best.in_bins, one.bits);
    if (least > kFarOver * give_up_bits) return {{}, least};
    const auto try_one = [&](std::size_t one_other) {
      if (one.bits >= best.bits) return;
      other = weigh(*other.costs, start_with_one(one.lookback, one_other, *other.costs));
      if (is_less(other, best)) std::swap(best, other);
    };
    try_one(kOneOther);
    for (std::size_t round = 0; round < effort_.rounds; ++round) {
      best = weigh(*best.costs, choose_some(*best.costs));
    }
    std::optional<LookbackCosts> many;
    if (effort_.more_frequent > most) {
      many.emplace(counts, kBits<L>, unused_bits_, effort_.more_frequent, arena_);
      learn(*many);
      const Learned with_many = weigh(*many, choose_some(*many));
      if (is_less(with_many, best, kWorthMany)) best = with_many;
    }
    try_one(chosen_.n);
    if (best.in_bins > give_up_bits) return {{}, best.in_bins};
    choose_all(*best.costs);
    return {same_.subspan(state_n_), best.in_bins, samples_agree_};
  }

 private:
  bool is_less(const Learned& a, const Learned& b, float share = 1) {
    const bool is = a.in_bins < share * b.in_bins;
    if (is != (a.in_other_bins < share * b.in_other_bins)) samples_agree_ = false;
    return is;
  }

  void find_candidates() {
    const std::size_t n = latents_.size();
    strings_ = arena_.make<std::uint32_t>(n);
    near_ = arena_.make<std::uint32_t>(n);
    const ArenaScope scratch(arena_);
    const FlatBlocks blocks(latents_, arena_);
    numpact::find_candidates(latents_, blocks, unused_bits_, effort_.alike_n,
                             {same_, strings_, near_}, arena_);
  }

  void note(std::size_t i, std::uint32_t lookback) {
    const L delta = static_cast<L>(latents_[i] - latents_[i - lookback]);
    deltas_[chosen_.n] = static_cast<L>(static_cast<L>(delta + kMid<L>) >> unused_bits_);
    chosen_.add(lookback, signed_width(delta));
  }
  float learn(LookbackCosts& costs) {
    chosen_.scale = static_cast<float>(latents_.size() - state_n_) / static_cast<float>(chosen_.n);
    return costs.learn(chosen_);
  }

  // The least by guessed costs; the lookback used last is kept while it matches.
  float start_near(LookbackCosts& costs) {
    costs.guess();
    chosen_.clear();
    std::uint32_t last = 1;
    some_.each([&](std::size_t begin, std::size_t n) {
      choose(costs, begin, n, best_.data());
      for (std::size_t i = begin; i < begin + n; ++i) {
        if (last > i || latents_[i - last] != latents_[i]) last = best_[i - begin];
        note(i, last);
      }
    });
    learn(costs);
    return choose_some(costs);
  }

  // The lookback used last while it matches, else to the same string, else 1.
  float start_with_strings(LookbackCosts& costs) {
    chosen_.clear();
    std::uint32_t last = 1;
    some_.each([&](std::size_t begin, std::size_t n) {
      for (std::size_t i = begin; i < begin + n; ++i) {
        const L x = latents_[i];
        if (last > i || latents_[i - last] != x) {
          const std::uint32_t string = strings_[i];
          last = latents_[i - string] == x ? string : 1;
        }
        note(i, last);
      }
    });
    learn(costs);
    return choose_some(costs);
  }

  // Of the most frequent ones and their common divisors the one that suits all best.
  One find_one(const FrequentLookbacks& near, const FrequentLookbacks& strings, float bits) const {
    One best;
    std::array<std::uint32_t, 4 * kTriedForAll + 2 * Periods::kMost> tried;
    std::size_t n = 0;
    const auto add = [&](std::uint32_t lookback) {
      const auto end = tried.begin() + static_cast<std::ptrdiff_t>(n);
      if (lookback == 1 || std::find(tried.begin(), end, lookback) != end) return;
      tried[n++] = lookback;
      const float own = bits_for_all(lookback, bits);
      if (own < best.bits * advantage(lookback, best.lookback)) best = {lookback, own};
    };
    const auto add_all = [&](std::span<const std::uint32_t> lookbacks) {
      std::uint32_t divisor = 0;
      for (const std::uint32_t lookback : lookbacks) {
        if (lookback <= 1) return;
        // One that has nothing to do with the rest begins anew.
        divisor = std::gcd(divisor, lookback);
        if (divisor == 1) divisor = lookback;
        add(lookback);
        add(divisor);
      }
    };
    for (const FrequentLookbacks* const frequent : {&near, &strings}) {
      add_all(std::span(frequent->lookbacks).first(std::min(frequent->n, kTriedForAll)));
    }
    const Periods periods = find_periods(stretch_of_periods(), 2, arena_);
    for (const std::uint32_t period : periods.all()) add(period);
    return best;
  }

  std::span<const L> stretch_of_periods() const {
    const std::size_t n = latents_.size();
    const std::size_t wanted = n < kLongPeriodsN ? period_stretch_n(n) : 2 * period_stretch_n(n);
    const std::size_t stretch_n = std::min(n, std::max(wanted, effort_.sample_n));
    return latents_.subspan((n - stretch_n) / 2, stretch_n);
  }

  // What a latent takes if all look back as far, and those before do with so many bits.
  float bits_for_all(std::uint32_t lookback, float bits_before) const {
    std::array<std::uint32_t, 65> widths{};
    std::size_t seen = 0;
    std::size_t before = 0;
    some_.each([&](std::size_t begin, std::size_t n) {
      const std::size_t count = std::min(n, kTriedOfBlock);
      if (begin < lookback) {
        before += count;
        return;
      }
      for (std::size_t i = begin; i < begin + count; ++i) {
        ++widths[signed_width(static_cast<L>(latents_[i] - latents_[i - lookback]))];
      }
      seen += count;
    });
    if (seen == 0) return HUGE_VALF;
    const float share = static_cast<float>(seen) / static_cast<float>(seen + before);
    return share * width_bits(widths, seen, unused_bits_) + (1 - share) * bits_before;
  }

  // All take the one lookback but one in so many, which keeps what it took last, so that others
  // have costs too.
  float start_with_one(std::uint32_t one, std::size_t one_other, LookbackCosts& costs) {
    chosen_.clear();
    some_.each([&](std::size_t begin, std::size_t block_n) {
      for (std::size_t i = begin; i < begin + block_n; ++i) {
        const bool other = one > i || chosen_.n % one_other == 0;
        note(i, other ? chosen_.lookbacks[chosen_.n] : one);
      }
    });
    learn(costs);
    return choose_some(costs);
  }

  float choose_some(LookbackCosts& costs) {
    chosen_.clear();
    some_.each([&](std::size_t begin, std::size_t n) {
      choose(costs, begin, n, best_.data());
      for (std::size_t j = 0; j < n; ++j) note(begin + j, best_[j]);
    });
    return learn(costs);
  }

  // `bits`: what choose_some() returned last, for the costs.
  Learned weigh(LookbackCosts& costs, float bits) {
    const float all = delta_bits(1);
    const float apart = delta_bits(kApart);
    const float in_widths = width_bits(chosen_.widths, chosen_.n, unused_bits_);
    const auto in_bins = [&](float delta_bits) {
      return bits + std::min(0.0f, delta_bits - in_widths);
    };
    if (is_apart_) return {&costs, bits, in_bins(apart), in_bins(all)};
    return {&costs, bits, in_bins(all), in_bins(apart)};
  }

  // What a delta takes, by one in so many of them.
  float delta_bits(std::size_t one_in) {
    const std::span<L> deltas = deltas_.first(chosen_.n);
    std::size_t count = 0;
    // In place: they are noted anew before they are weighed again.
    for (std::size_t k = 0; k < deltas.size(); k += one_in) deltas[count++] = deltas[k];
    const float spread = static_cast<float>(chosen_.n) / static_cast<float>(count);
    return estimate_bits(LatentArray(deltas.first(count)), spread * chosen_.scale, arena_) /
           static_cast<float>(count);
  }

  // In longer blocks from where on no frequent lookback reaches before the page.
  void choose_all(const LookbackCosts& costs) {
    const FrequentLookbacks& frequent = costs.frequent();
    const std::size_t furthest =
        *std::max_element(frequent.lookbacks.begin(),
                          frequent.lookbacks.begin() + static_cast<std::ptrdiff_t>(frequent.n));
    for (std::size_t begin = state_n_; begin < latents_.size();) {
      const std::size_t block_n = begin < furthest ? kBlockN : kLongBlockN;
      const std::size_t n = std::min(block_n, latents_.size() - begin);
      choose(costs, begin, n, &same_[begin]);
      begin += n;
    }
  }

  // In parts that are short where a page begins, as a part's lookbacks end there for all of it.
  void choose(const LookbackCosts& costs, std::size_t begin, std::size_t n,
              std::uint32_t* lookbacks) const {
    const std::size_t end = begin + n;
    while (begin < end) {
      // No kernel takes more than kStartN at a time.
      const std::size_t most =
          begin < kStartN ? kStartPartN : std::max(kStartN, begin / 4 / kStartN * kStartN);
      const std::size_t part_n = std::min(most, end - begin);
      choose_cheapest(task(costs, begin, part_n), lookbacks);
      lookbacks += part_n;
      begin += part_n;
    }
  }

  LookbackTask<L> task(const LookbackCosts& costs, std::size_t begin, std::size_t n) const {
    return {latents_.data(),
            begin,
            n,
            &costs.frequent(),
            &costs.of_deltas(),
            costs.of_lookbacks(),
            same_.data(),
            strings_.data(),
            near_.data()};
  }

  std::span<const L> latents_;
  unsigned unused_bits_;
  std::size_t state_n_;
  LookbackEffort effort_;
  bool is_apart_;
  bool samples_agree_ = true;
  Blocks some_;
  std::span<std::uint32_t> same_;  // how far back the same, or one alike, was; at last the result
  std::span<std::uint32_t> strings_;  // and the same string
  std::span<std::uint32_t> near_;     // and a latent with the same upper bits
  ChosenLookbacks chosen_;
  std::span<L> deltas_;  // under the chosen ones, as they would be stored
  std::array<std::uint32_t, kBlockN> best_{};
  Arena& arena_;
};

}  // namespace

LookbackEffort LookbackEffort::of_level(unsigned level, std::size_t n, float bits) {
  const auto slack_of = [](std::size_t learned_n, std::size_t none_n) {
    if (learned_n >= none_n) return 1.0f;
    const float missing = static_cast<float>(none_n - std::max(learned_n, kLeastSampleN));
    return 1 + kMostSlack * missing / static_cast<float>(none_n - kLeastSampleN);
  };
  // A part of a short page, so that choosing its lookbacks takes the longest.
  const std::size_t short_share = level < kLevelForSize ? 16 : 4;
  const auto part = [n, short_share](std::size_t share, unsigned least_log, unsigned most_log) {
    const std::size_t fewest = std::clamp(n / kShortShare, kFewestN, kLeastSampleN);
    const std::size_t least = std::clamp(n / short_share, fewest, std::size_t{1} << least_log);
    return std::clamp(n / share, least, std::size_t{1} << most_log);
  };
  const bool is_long = n >= kManyLatents;
  const std::size_t alike_n = !is_long ? kMostAlike : level >= kLevelForSize ? 1 : 0;
  if (level >= kLevelForSize) {
    const std::size_t sample_n = level >= 10 ? part(4, 16, 18) : part(32, 12, 15);
    const std::size_t rounds = level >= 10 ? 3 : 1;
    const std::size_t most = level >= 10 ? 64 : 24;
    return {sample_n, rounds, most, most, alike_n, slack_of(sample_n, kNoSlackNForSize)};
  }
  const std::size_t sample_n = part(64, is_long && bits > kRareBits ? 10 : 11, 15);
  const bool tries_more = level >= 8 && (is_long || sample_n >= kLeastForMany);
  return {sample_n, level < 6 ? 0u : 1u,          8, tries_more ? 24u : 8u,
          alike_n,  slack_of(sample_n, kNoSlackN)};
}

Lookback lookback_for(std::size_t n) {
  Lookback lookback;
  const unsigned log = static_cast<unsigned>(std::bit_width(n > 1 ? n - 1 : n));
  lookback.window_n_log = std::clamp(log, 1u, kMaxWindowNLog);
  return lookback;
}

FoundLookbacks find_lookbacks(const Lookback& lookback, const LatentArray& latents, Arena& arena,
                              float give_up_bits, unsigned level, LookbackSample sample) {
  if (latents.n <= lookback.state_n()) return {};
  const LookbackEffort effort = LookbackEffort::of_level(level, latents.n, give_up_bits);
  return visit_words(latents, arena, [&](auto words, unsigned unused_bits) {
    using L = std::remove_const_t<typename decltype(words)::element_type>;
    Search<L> search(words, unused_bits, lookback.state_n(), effort, sample, arena);
    return search.run(give_up_bits);
  });
}

}  // namespace numpact
