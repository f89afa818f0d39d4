// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/lookback/detect/near.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "pco/bins/binning.hpp"
#include "pco/encode/lookback/match/words.hpp"
#include "pco/encode/lookback/optimize/costs.hpp"
#include "pco/mode/split.hpp"

namespace numpact {
namespace {

// So many of a sample are looked at, in stretches with gaps.
constexpr std::size_t kNearN = 2048;
constexpr std::size_t kNearStretchN = 256;
// Compared with what the same latents take, this share of what is wanted is little enough, alone or
// beside the comparison with all.
constexpr float kOfSame = 0.95f;
constexpr float kOfSameBesideAll = 1.02f;
// Under higher orders, which are rare, all are compared.
constexpr unsigned kMostOrderOfSame = 2;

// The stretches that are looked at, with costs that are only guessed or learned in the round
// before, and what is too much over.
struct NearRound {
  std::size_t one_in;
  std::size_t but_one_in;  // whose lookbacks are kept from the round before; 0: none
  bool guesses;
  float hopeless;
};
constexpr std::array kNearRounds = {NearRound{4, 0, true, 1.3f}, NearRound{2, 4, true, 1.2f},
                                    NearRound{2, 0, false, 1.1f}};

// If the same latents are to be compared under the delta.
std::optional<unsigned> order_of(const AnyDelta& delta) {
  if (std::holds_alternative<NoDelta>(delta)) return 0;
  const auto* const consecutive = std::get_if<Consecutive>(&delta);
  if (consecutive == nullptr || consecutive->order > kMostOrderOfSame) return {};
  return consecutive->order;
}

template <Latent L>
class NearSearch {
 public:
  NearSearch(std::span<const L> words, std::size_t run_n, unsigned unused_bits, float scale,
             Arena& arena)
      : words_(words),
        run_n_(run_n),
        unused_bits_(unused_bits),
        scale_(scale),
        costs_(make_counts(kMaxFrequent + 1, arena), kBits<L>, unused_bits, kMaxFrequent, arena),
        deltas_(arena.make<L>(words.size())),
        places_(arena.make<std::uint32_t>(words.size())),
        arena_(arena) {
    chosen_.lookbacks = arena.make<std::uint32_t>(words.size());
    chosen_.scale = scale;  // or more
  }

  // order: of the deltas under the choice; none if all are to be compared.
  bool run(const NearWish& wish, std::optional<unsigned> order) {
    float bits = 0;
    for (const NearRound& round : kNearRounds) {
      if (round.guesses) costs_.guess();
      if (round.but_one_in == 0) chosen_.clear();
      look(round);
      bits = costs_.learn(chosen_);
      if (bits > round.hopeless * wish.bits) return false;
    }
    const bool asks_same = order && wish.comparison != NearComparison::kWithAll;
    if (bits >= wish.bits || asks_same) {
      // By the bins of the deltas, which are fewer bits where these are much alike but large.
      bits += std::min(0.0f, bits_each(deltas_.first(chosen_.n)) -
                                 width_bits(chosen_.widths, chosen_.n, unused_bits_));
    }
    if (!asks_same) return bits < wish.bits;
    const bool asks_both = wish.comparison == NearComparison::kWithBoth;
    if (asks_both && bits >= wish.bits) return false;
    const float most = (asks_both ? kOfSameBesideAll : kOfSame) * wish.bits;
    return bits * wish.plain_bits < most * plain_bits(*order);
  }

 private:
  // By the entropies of lookbacks and of the deltas' widths.
  void look(const NearRound& round) {
    // Not all of the runs, where there are many.
    const std::size_t step = run_n_ * std::max<std::size_t>(1, words_.size() / (4 * kNearN));
    std::size_t stretch = 0;
    for (std::size_t run = 0; run + run_n_ <= words_.size(); run += step) {
      for (std::size_t j = kMaxFrequent; j < run_n_; j += best_.size()) {
        const std::size_t index = stretch++;
        if (index % round.one_in != 0) continue;
        if (round.but_one_in != 0 && index % round.but_one_in == 0) continue;
        choose(run + j, std::min(best_.size(), run_n_ - j));
      }
    }
  }

  void choose(std::size_t begin, std::size_t n) {
    choose_cheapest(
        LookbackTask<L>{words_.data(), begin, n, &costs_.frequent(), &costs_.of_deltas(),
                        costs_.of_lookbacks(), nullptr, nullptr, nullptr},
        best_.data());
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = begin + k;
      const L delta = static_cast<L>(words_[i] - words_[i - best_[k]]);
      deltas_[chosen_.n] = stored(static_cast<L>(delta + kMid<L>));
      places_[chosen_.n] = static_cast<std::uint32_t>(i);
      chosen_.add(best_[k], signed_width(delta));
    }
  }

  // What those that were looked at last take as they are.
  float plain_bits(unsigned order) {
    for (std::size_t k = 0; k < chosen_.n; ++k) {
      // All are at least kMaxFrequent behind a run's first.
      const L delta = difference_at(&words_[places_[k]], order);
      deltas_[k] = stored(order == 0 ? delta : static_cast<L>(delta + kMid<L>));
    }
    return bits_each(deltas_.first(chosen_.n));
  }

  float bits_each(std::span<L> latents) {
    return estimate_bits(LatentArray(latents), scale_, arena_) / static_cast<float>(latents.size());
  }

  L stored(L latent) const { return static_cast<L>(latent >> unused_bits_); }

  std::span<const L> words_;
  std::size_t run_n_;
  unsigned unused_bits_;
  float scale_;
  LookbackCosts costs_;
  ChosenLookbacks chosen_;
  std::span<L> deltas_;
  std::span<std::uint32_t> places_;
  std::array<std::uint32_t, kNearStretchN> best_{};
  Arena& arena_;
};

}  // namespace

bool may_look_back_nearby(const Sample& sample, const Choice& choice, const NearWish& wish,
                          Arena& arena) {
  const ArenaScope scratch(arena);
  if (sample.run_n <= kMaxFrequent) return false;
  const SplitLatents latents = split(choice.mode, sample.latents, arena);
  const std::optional<unsigned> order = order_of(choice.delta);
  return visit_words(latents.primary, arena, [&](auto words, unsigned unused_bits) {
    using L = std::remove_const_t<typename decltype(words)::element_type>;
    return NearSearch<L>(words, sample.run_n, unused_bits, sample.scale, arena).run(wish, order);
  });
}

}  // namespace numpact
