// SPDX-License-Identifier: Apache-2.0
#include "pco/encode/lookback/detect/near.hpp"

#include <algorithm>
#include <array>

#include "base/tuned.hpp"
#include "pco/bins/binning.hpp"
#include "pco/encode/lookback/match/words.hpp"
#include "pco/encode/lookback/optimize/costs.hpp"
#include "pco/mode/split.hpp"

namespace numpact::internal {
namespace {

// About this many latents of a sample are examined, in windows of this length with gaps between
// them. More latents make the costs more accurate and the test slower: half as many, together with
// fewer hopeless searches, saved 7 % of the time at the same size.
NUMPACT_TUNED(std::size_t, kNearSampleN, 2048);
// Latents of a window: as long as the runs of a sample.
constexpr std::size_t kNearWindowN = 128;
// The windows that a round examines, whether its costs are guessed or learned in the round before,
// and the multiple of max_bits above which the test is given up. It decreases as costs are learned.
struct NearRound {
  std::size_t window_one_in;
  std::size_t kept_one_in;  // windows whose lookbacks are kept from the round before; 0: none
  bool has_guessed_costs;
  float prune_ratio;
};
// Later rounds examine more windows and give up closer to the limit.
constexpr std::array kNearRounds = {NearRound{4, 0, true, 1.3f}, NearRound{2, 4, true, 1.2f},
                                    NearRound{2, 0, false, 1.1f}};

template <Latent L>
class NearSearch {
 public:
  // words: the sample's latents, in runs of run_n, which is more than kMaxFrequent.
  NearSearch(std::span<const L> words, std::size_t run_n, unsigned unused_bits, float scale,
             Arena& arena)
      : words_(words),
        run_n_(run_n),
        unused_bits_(unused_bits),
        scale_(scale),
        costs_(make_counts(kMaxFrequent + 1, arena), kBits<L>, unused_bits, kMaxFrequent, arena),
        deltas_(arena.make<L>(words.size())),
        arena_(arena) {
    chosen_.lookbacks = arena.make<std::uint32_t>(words.size());
    chosen_.scale = scale;  // a lower bound, as not all of the sample is examined
  }

  NearResult run(float max_bits) {
    float bits = 0;
    for (const NearRound& round : kNearRounds) {
      if (round.has_guessed_costs) costs_.guess();
      if (round.kept_one_in == 0) chosen_.clear();
      examine(round);
      bits = costs_.learn(chosen_);
      if (bits > round.prune_ratio * max_bits) return {false, bits};
    }
    if (bits >= max_bits) {
      // Bins store deltas that are large but similar in fewer bits than their widths suggest.
      bits += std::min(0.0f, binned_bits(deltas_.first(chosen_.n)) -
                                 width_bits(chosen_.widths, chosen_.n, unused_bits_));
    }
    return {bits < max_bits, bits};
  }

 private:
  void examine(const NearRound& round) {
    // Skips runs if there are many.
    const std::size_t step = run_n_ * std::max<std::size_t>(1, words_.size() / (4 * kNearSampleN));
    // Windows of a whole page are longer than those of runs, and fewer suffice until the last
    // round.
    const std::size_t sparse = scale_ <= 1 && round.has_guessed_costs ? 2 : 1;
    std::size_t window = 0;
    for (std::size_t run = 0; run + run_n_ <= words_.size(); run += step) {
      for (std::size_t j = kMaxFrequent; j < run_n_; j += best_.size()) {
        const std::size_t index = window++;
        if (index % (sparse * round.window_one_in) != 0) continue;
        if (round.kept_one_in != 0 && index % (sparse * round.kept_one_in) == 0) continue;
        choose(run + j, std::min(best_.size(), run_n_ - j));
      }
    }
  }

  void choose(std::size_t begin, std::size_t n) {
    choose_cheapest(
        LookbackTask<L>{words_.data(), begin, n, &costs_.frequent(), &costs_.delta_costs(),
                        costs_.lookback_costs(), nullptr, nullptr, nullptr},
        best_.data());
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = begin + k;
      const L delta = static_cast<L>(words_[i] - words_[i - best_[k]]);
      deltas_[chosen_.n] = stored(static_cast<L>(delta + kMid<L>));
      chosen_.add(best_[k], signed_width(delta));
    }
  }

  float binned_bits(std::span<L> latents) {
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
  std::array<std::uint32_t, kNearWindowN> best_{};
  Arena& arena_;
};

}  // namespace

NearResult look_back_nearby(const Sample& sample, const AnyMode& mode, float max_bits,
                            Arena& arena) {
  const ArenaScope scratch(arena);
  if (sample.run_n <= kMaxFrequent) return {};
  const SplitLatents latents = split(mode, sample.latents, arena);
  return visit_words(latents.primary, arena, [&](auto words, unsigned unused_bits) {
    using L = std::remove_const_t<typename decltype(words)::element_type>;
    return NearSearch<L>(words, sample.run_n, unused_bits, sample.scale, arena).run(max_bits);
  });
}

}  // namespace numpact::internal
