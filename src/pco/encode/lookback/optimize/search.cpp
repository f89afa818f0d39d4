// SPDX-License-Identifier: Apache-2.0
// Each number takes the lookback with the lowest cost of lookback and delta together. The choices
// of other numbers affect it only through the costs, so the search alternates: choose by the costs,
// count the choices, derive the next costs from the counts. Short blocks spread over the page are
// enough for that. The final costs choose for the whole page.
//
// Candidates of a number: the most frequent lookbacks of the round before, the latest position of
// an equal latent or, if there is none, of a similar one, the latest with the same upper bits, and
// the end of the latest equal string.
//
// Example: a table of 90 columns by rows, in which three in four numbers equal the one a row
// before. Among the costs of the first round short lookbacks are the cheapest, yet for runs of
// equal numbers the latest equal string is 90, 180 or 270 back. As 90 is counted most often, it
// becomes cheap and its multiples expensive. So in the next round numbers choose 90 even if 180
// would give the same delta.
#include "pco/encode/lookback/optimize/search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/tuned.hpp"
#include "pco/bins/binning.hpp"
#include "pco/encode/lookback/match/candidates.hpp"
#include "pco/encode/lookback/match/periods.hpp"
#include "pco/encode/lookback/match/words.hpp"
#include "pco/encode/lookback/optimize/costs.hpp"
#include "pco/levels.hpp"

namespace numpact::internal {
namespace {

// The thresholds were set by the sizes of the shared columns (`./dev bench sizes`) against the time
// to encode them (`./dev bench levels`). Figures in comments are of the commit that set the value.

// Length of the blocks that costs are learned from. Many short ones learn more than few long ones
// where distances drift.
NUMPACT_TUNED(std::size_t, kLearnBlockN, 64);
// Length of the blocks that lookbacks are chosen for. Shorter blocks lose fewer frequent lookbacks
// at a page's start, as these must be valid for the whole block; longer ones have less overhead.
constexpr std::size_t kChooseBlockN = 256;
NUMPACT_TUNED(std::size_t, kLongChooseBlockN, 4096);
// From this page length on the first block is one of many that are learned from. In a shorter page
// it counts for too much: it has nothing to look back to.
NUMPACT_TUNED(std::size_t, kMinFirstBlockPageN, 4096);
// Costs are learned from at least this many latents. Pages shorter than kShortLearnOneIn times that
// have fewer distances, and use one in kShortLearnOneIn latents, but at least kMinShortLearnN.
NUMPACT_TUNED(std::size_t, kMinLearnN, 512);
NUMPACT_TUNED(std::size_t, kMinShortLearnN, 320);
NUMPACT_TUNED(std::size_t, kShortLearnOneIn, 8);
// From this page length on periods may be so long that their window is twice as long.
constexpr std::size_t kMinLongPeriodPageN = std::size_t{1} << 18;
// Vector kernels take at most this many latents at a time, so blocks are split into multiples of
// it. Before this position, where most lookbacks reach before the page's start, parts are shorter:
// without that short pages of interleaved streams were up to 28 % larger.
NUMPACT_TUNED(std::size_t, kPageStartN, 32);
NUMPACT_TUNED(std::size_t, kPageStartBlockN, 8);
// The most frequent lookbacks of each start that are tried as the only one, and the latents of each
// block that price them. More find better ones but take more time.
constexpr std::size_t kOnlyLookbackCandidates = 4;
NUMPACT_TUNED(std::size_t, kOnlyLookbackProbeN, 12);
// A sample does not show smaller differences than this factor between multiples of a period.
NUMPACT_TUNED(float, kMultipleErrorRatio, 1.05f);
// One in this many deltas is taken for LookbackSample::kApart.
NUMPACT_TUNED(std::size_t, kApartOneIn, 4);
// Costs that small samples learn are too high: by kMaxLearnErrorShare from kMinLearnN latents. The
// error shrinks to nothing at SearchLevel::no_error_n latents. A smaller number makes searches
// give up earlier.
NUMPACT_TUNED(float, kMaxLearnErrorShare, 0.15f);
// From this page length on similar latents mostly have a near latent that is as good and cheaper to
// find: to look for them took 6 % of the time at level 8 for 0.016 % of the bytes.
constexpr std::size_t kMinManyLatentsN = std::size_t{1} << 16;
// If one lookback starts for all, one in this many latents keeps another, so that the costs of
// others are learned, too.
NUMPACT_TUNED(std::size_t, kOtherLookbackOneIn, 64);

// Blocks spread over the page. Their positions follow a fixed pseudo-random sequence, so that
// periods in the data do not meet the same phase every time.
class LearnBlocks {
 public:
  // requested_n: latents in all blocks, about.
  LearnBlocks(std::size_t first, std::size_t n, std::size_t requested_n) : first_(first), n_(n) {
    const std::size_t blocks = (n - first + kLearnBlockN - 1) / kLearnBlockN;
    const std::size_t requested_blocks = std::max<std::size_t>(1, requested_n / kLearnBlockN);
    stride_ = std::max<std::size_t>(1, blocks / requested_blocks);
  }
  // Calls f(begin, n) for each block.
  template <class F>
  void each(F&& f) const {
    std::uint64_t random = 0x9e3779b97f4a7c15u;
    for (std::size_t begin = first_; begin < n_; begin += stride_ * kLearnBlockN) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      const bool is_skipped = begin == first_ && stride_ > 1 && n_ < kMinFirstBlockPageN;
      const std::size_t skipped = is_skipped ? 1 : 0;
      const std::size_t step =
          skipped + static_cast<std::size_t>((random >> 33) % (stride_ - skipped));
      const std::size_t block = begin + step * kLearnBlockN;
      if (block < n_) f(block, std::min(kLearnBlockN, n_ - block));
    }
  }

  bool has_all() const { return stride_ == 1; }

  // Upper bound of the latents in all blocks.
  std::size_t max_n() const {
    return (n_ - first_ + kLearnBlockN - 1) / (stride_ * kLearnBlockN) * kLearnBlockN +
           kLearnBlockN;
  }

 private:
  std::size_t first_;
  std::size_t n_;
  std::size_t stride_;
};

// The factor by which `lookback` may take more bits than `other` and still replace it. The smallest
// multiple of a period serves most of the page, although a sample may favour another one.
float max_ratio_to_replace(std::uint32_t lookback, std::uint32_t other) {
  if (other == 0) return 1;
  if (other % lookback == 0) return kMultipleErrorRatio;
  return lookback % other == 0 ? 1 / kMultipleErrorRatio : 1;
}

// A lookback that all latents use.
struct OnlyLookback {
  std::uint32_t lookback = 0;
  float bits = HUGE_VALF;
};

// Costs, and the bits per latent that lookbacks chosen by them take. Bins store deltas that are
// large but similar in fewer bits than their widths suggest.
struct Learned {
  LookbackCosts* costs = nullptr;
  float bits = 0;               // by the widths of deltas
  float binned_bits = 0;        // by their bins, if that is less
  float other_binned_bits = 0;  // by the bins of the other sample
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
        blocks_(state_n, latents.size(), effort.sample_n),
        equal_(arena.make<std::uint32_t>(latents.size())),
        arena_(arena) {}

  FoundLookbacks run(float max_bits) {
    const float give_up_bits = effort_.give_up_ratio * max_bits;
    const ArenaScope scratch(arena_);
    find_candidates();
    const std::span<std::uint32_t> counts = make_counts(latents_.size(), arena_);
    const std::size_t max_frequent = effort_.max_frequent;
    LookbackCosts from_near(counts, kBits<L>, unused_bits_, max_frequent, arena_);
    LookbackCosts from_strings(counts, kBits<L>, unused_bits_, max_frequent, arena_);
    chosen_.lookbacks = arena_.make<std::uint32_t>(blocks_.max_n());
    deltas_ = arena_.make<L>(blocks_.max_n());
    Learned best = estimate(from_near, start_near(from_near));
    Learned other = estimate(from_strings, start_with_strings(from_strings));
    if (is_less(other, best)) std::swap(best, other);
    const OnlyLookback only = find_only(from_near.frequent(), from_strings.frequent(), best.bits);
    const float min_bits = std::min(best.binned_bits, only.bits);
    if (min_bits > give_up_bits + spread_) return {{}, min_bits};
    // Starts once more, with the only lookback, if that seems better.
    const auto try_only = [&](std::size_t other_one_in) {
      if (only.bits >= best.bits) return;
      other = estimate(*other.costs, start_with_only(only.lookback, other_one_in, *other.costs));
      if (is_less(other, best)) std::swap(best, other);
    };
    try_only(kOtherLookbackOneIn);
    for (std::size_t round = 0; round < effort_.rounds; ++round) {
      best = estimate(*best.costs, choose_some(*best.costs));
    }
    try_only(chosen_.n);
    if (best.binned_bits > give_up_bits + spread_) return {{}, best.binned_bits};
    choose_all(*best.costs);
    return {equal_.subspan(state_n_), best.binned_bits, samples_agree_};
  }

 private:
  // By the search's sample. Notes whether the other sample leads to another decision.
  bool is_less(const Learned& a, const Learned& b) {
    const bool is = a.binned_bits < b.binned_bits;
    if (is != (a.other_binned_bits < b.other_binned_bits)) samples_agree_ = false;
    return is;
  }

  void find_candidates() {
    const std::size_t n = latents_.size();
    strings_ = arena_.make<std::uint32_t>(n);
    near_ = arena_.make<std::uint32_t>(n);
    const ArenaScope scratch(arena_);
    const ConstantBlocks blocks(latents_, arena_);
    internal::find_candidates(latents_, blocks, unused_bits_, effort_.prefix_n,
                              {equal_, strings_, near_}, arena_);
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

  // Starts with the cheapest by guessed costs, but keeps the last lookback while it matches.
  float start_near(LookbackCosts& costs) {
    costs.guess();
    chosen_.clear();
    std::uint32_t last = 1;
    blocks_.each([&](std::size_t begin, std::size_t n) {
      choose(costs, begin, n, best_.data());
      for (std::size_t i = begin; i < begin + n; ++i) {
        if (last > i || latents_[i - last] != latents_[i]) last = best_[i - begin];
        note(i, last);
      }
    });
    learn(costs);
    return choose_some(costs);
  }

  // Starts with the last lookback while it matches, else that of an equal string, else 1.
  float start_with_strings(LookbackCosts& costs) {
    chosen_.clear();
    std::uint32_t last = 1;
    blocks_.each([&](std::size_t begin, std::size_t n) {
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

  // The best lookback for all latents, of the most frequent ones of both starts, their common
  // divisors, and periods. bits: of a latent so close to
  // the page's start that the lookback would reach before it.
  OnlyLookback find_only(const FrequentLookbacks& near, const FrequentLookbacks& strings,
                         float bits) const {
    OnlyLookback best;
    std::array<std::uint32_t, 4 * kOnlyLookbackCandidates + 2 * Periods::kMaxPeriodsN> tried;
    std::size_t n = 0;
    const auto add = [&](std::uint32_t lookback) {
      const auto end = tried.begin() + static_cast<std::ptrdiff_t>(n);
      if (lookback == 1 || std::find(tried.begin(), end, lookback) != end) return;
      tried[n++] = lookback;
      const float own = bits_for_all(lookback, bits);
      if (own < best.bits * max_ratio_to_replace(lookback, best.lookback)) best = {lookback, own};
    };
    const auto add_all = [&](std::span<const std::uint32_t> lookbacks) {
      std::uint32_t divisor = 0;
      for (const std::uint32_t lookback : lookbacks) {
        if (lookback <= 1) return;
        // Restart the gcd when a lookback is coprime to those before.
        divisor = std::gcd(divisor, lookback);
        if (divisor == 1) divisor = lookback;
        add(lookback);
        add(divisor);
      }
    };
    for (const FrequentLookbacks* const frequent : {&near, &strings}) {
      add_all(std::span(frequent->lookbacks).first(std::min(frequent->n, kOnlyLookbackCandidates)));
    }
    const Periods periods = find_periods(period_window(), 2, arena_);
    for (const std::uint32_t period : periods.all()) add(period);
    return best;
  }

  std::span<const L> period_window() const {
    const std::size_t n = latents_.size();
    const std::size_t requested_n =
        n < kMinLongPeriodPageN ? period_window_n(n) : 2 * period_window_n(n);
    const std::size_t window_n = std::min(n, std::max(requested_n, effort_.sample_n));
    return latents_.subspan((n - window_n) / 2, window_n);
  }

  // Bits per latent if all use the lookback, and those it does not apply to take bits_before.
  float bits_for_all(std::uint32_t lookback, float bits_before) const {
    std::array<std::uint32_t, 65> widths{};
    std::size_t seen = 0;
    std::size_t before = 0;
    blocks_.each([&](std::size_t begin, std::size_t n) {
      const std::size_t count = std::min(n, kOnlyLookbackProbeN);
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
    const float ratio = static_cast<float>(seen) / static_cast<float>(seen + before);
    return ratio * width_bits(widths, seen, unused_bits_) + (1 - ratio) * bits_before;
  }

  // Starts with `only` for all latents except one in other_one_in, which keeps its last lookback.
  float start_with_only(std::uint32_t only, std::size_t other_one_in, LookbackCosts& costs) {
    chosen_.clear();
    blocks_.each([&](std::size_t begin, std::size_t block_n) {
      for (std::size_t i = begin; i < begin + block_n; ++i) {
        const bool keeps = only > i || chosen_.n % other_one_in == 0;
        note(i, keeps ? chosen_.lookbacks[chosen_.n] : only);
      }
    });
    learn(costs);
    return choose_some(costs);
  }

  // A round: chooses by the costs, then learns new ones. Returns the bits per latent.
  float choose_some(LookbackCosts& costs) {
    chosen_.clear();
    blocks_.each([&](std::size_t begin, std::size_t n) {
      choose(costs, begin, n, best_.data());
      for (std::size_t j = 0; j < n; ++j) note(begin + j, best_[j]);
    });
    return learn(costs);
  }

  // bits: the last result of choose_some(), for these costs.
  Learned estimate(LookbackCosts& costs, float bits) {
    spread_ = spread_of_blocks();
    const float all = delta_bits(1);
    const float apart = delta_bits(kApartOneIn);
    const float by_widths = width_bits(chosen_.widths, chosen_.n, unused_bits_);
    const auto by_bins = [&](float delta_bits) {
      return bits + std::min(0.0f, delta_bits - by_widths);
    };
    if (is_apart_) return {&costs, bits, by_bins(apart), by_bins(all)};
    return {&costs, bits, by_bins(all), by_bins(apart)};
  }

  // The standard error of the mean width of deltas over the blocks, in bits per latent: so much
  // less may the whole page take.
  float spread_of_blocks() const {
    const std::size_t blocks = chosen_.n / kLearnBlockN;
    if (blocks_.has_all() || blocks < 2) return 0;
    float sum = 0;
    float squares = 0;
    for (std::size_t k = 0; k < blocks; ++k) {
      std::size_t widths = 0;
      for (const L delta : deltas_.subspan(k * kLearnBlockN, kLearnBlockN)) {
        widths += signed_width(static_cast<L>(delta - (kMid<L> >> unused_bits_)));
      }
      const float mean = static_cast<float>(widths) / kLearnBlockN;
      sum += mean;
      squares += mean * mean;
    }
    const float n = static_cast<float>(blocks);
    return std::sqrt(std::max(0.0f, squares / n - sum * sum / (n * n)) / n);
  }

  // Bits per delta, from one in one_in of them.
  float delta_bits(std::size_t one_in) {
    const std::span<L> deltas = deltas_.first(chosen_.n);
    std::size_t count = 0;
    // In place: the next round notes new ones.
    for (std::size_t k = 0; k < deltas.size(); k += one_in) deltas[count++] = deltas[k];
    const float deltas_each = static_cast<float>(chosen_.n) / static_cast<float>(count);
    return estimate_bits(LatentArray(deltas.first(count)), deltas_each * chosen_.scale, arena_) /
           static_cast<float>(count);
  }

  // Chooses for the whole page, in place of the equal candidates. Blocks are long where no frequent
  // lookback reaches before the page's start.
  void choose_all(const LookbackCosts& costs) {
    const FrequentLookbacks& frequent = costs.frequent();
    const std::size_t furthest =
        *std::max_element(frequent.lookbacks.begin(),
                          frequent.lookbacks.begin() + static_cast<std::ptrdiff_t>(frequent.n));
    for (std::size_t begin = state_n_; begin < latents_.size();) {
      const std::size_t block_n = begin < furthest ? kChooseBlockN : kLongChooseBlockN;
      const std::size_t n = std::min(block_n, latents_.size() - begin);
      choose(costs, begin, n, &equal_[begin]);
      begin += n;
    }
  }

  // Chooses for a block, in shorter parts near the page's start: a frequent lookback that is not
  // valid for the first latent of a part is tried for none of it.
  void choose(const LookbackCosts& costs, std::size_t begin, std::size_t n,
              std::uint32_t* lookbacks) const {
    const std::size_t end = begin + n;
    while (begin < end) {
      const std::size_t max_n = begin < kPageStartN
                                    ? kPageStartBlockN
                                    : std::max(kPageStartN, begin / 4 / kPageStartN * kPageStartN);
      const std::size_t part_n = std::min(max_n, end - begin);
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
            &costs.delta_costs(),
            costs.lookback_costs(),
            equal_.data(),
            strings_.data(),
            near_.data()};
  }

  std::span<const L> latents_;
  unsigned unused_bits_;
  std::size_t state_n_;
  LookbackEffort effort_;
  bool is_apart_;
  bool samples_agree_ = true;
  float spread_ = 0;  // spread_of_blocks() of the last estimate
  LearnBlocks blocks_;
  // The kinds of find_candidates(). The result replaces equal_.
  std::span<std::uint32_t> equal_;
  std::span<std::uint32_t> strings_;
  std::span<std::uint32_t> near_;
  ChosenLookbacks chosen_;
  std::span<L> deltas_;  // under the chosen lookbacks, as they would be stored
  std::array<std::uint32_t, kChooseBlockN> best_{};
  Arena& arena_;
};

}  // namespace

LookbackEffort LookbackEffort::of(const SearchLevel& level, std::size_t n) {
  const auto give_up_ratio_of = [](std::size_t learn_n, std::size_t no_error_n) {
    if (learn_n >= no_error_n) return 1.0f;
    const float missing = static_cast<float>(no_error_n - std::max(learn_n, kMinLearnN));
    return 1 + kMaxLearnErrorShare * missing / static_cast<float>(no_error_n - kMinLearnN);
  };
  const bool has_many = n >= kMinManyLatentsN;
  // One in learn_one_in latents, within bounds. A short page uses more of its latents, but so few
  // that choosing for all of it still takes the longest.
  const std::size_t min_learn_n = std::size_t{1} << level.min_learn_n_log2;
  const std::size_t short_min_n = std::clamp(n / kShortLearnOneIn, kMinShortLearnN, kMinLearnN);
  const std::size_t min_n = std::clamp(n / level.short_one_in, short_min_n, min_learn_n);
  const std::size_t sample_n =
      std::clamp(n / level.learn_one_in, min_n, std::size_t{1} << level.max_learn_n_log2);
  const std::size_t prefix_n = !has_many ? kMaxSimilarPrefixes : level.long_page_prefixes;
  return {sample_n, level.rounds, level.max_frequent, prefix_n,
          give_up_ratio_of(sample_n, level.no_error_n)};
}

Lookback lookback_for(std::size_t n) {
  Lookback lookback;
  const unsigned log = static_cast<unsigned>(std::bit_width(n > 1 ? n - 1 : n));
  lookback.window_n_log = std::clamp(log, 1u, kMaxWindowNLog);
  return lookback;
}

FoundLookbacks find_lookbacks(const Lookback& lookback, const LatentArray& latents, Arena& arena,
                              float give_up_bits, const SearchLevel& level, LookbackSample sample) {
  if (latents.n <= lookback.state_n()) return {};
  const LookbackEffort effort = LookbackEffort::of(level, latents.n);
  return visit_words(latents, arena, [&](auto words, unsigned unused_bits) {
    using L = std::remove_const_t<typename decltype(words)::element_type>;
    Search<L> search(words, unused_bits, lookback.state_n(), effort, sample, arena);
    return search.run(give_up_bits);
  });
}

}  // namespace numpact::internal
