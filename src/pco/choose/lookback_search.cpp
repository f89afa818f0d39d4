// SPDX-License-Identifier: Apache-2.0
// Each number takes the lookback with the least cost of lookback and delta together. Nothing
// depends on the neighbours' choices but the costs themselves, so the search alternates: choose by
// the costs, then count what was chosen and take the counts for the next costs.
//
// Candidates at a number: the lookbacks used most in the pass before, those used last, and the
// latest positions that had the same one, two or four latents up to here, or a latent near it.
#include "pco/choose/lookback_search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>

#include "pco/stats/histogram.hpp"
#include "pco/stats/log2.hpp"

namespace numpact {
namespace {

constexpr std::size_t kFrequent = 8;
constexpr std::size_t kRecent = 2;
constexpr std::size_t kExactContexts = 3;  // of 1, 2 and 4 latents
// Latents by their top bits, counted from the range's: what lies near is worth a look too.
constexpr unsigned kCoarseBits[] = {6, 10, 14};
constexpr std::size_t kContexts = kExactContexts + std::size(kCoarseBits);
constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
// Bits over the cheapest lookback up to which one is taken for cheap.
constexpr float kCheapMargin = 1.5f;
// What a lookback costs in the bins' metadata, spread over its uses.
constexpr float kMetaBits = 50;

// Deltas by their width as signed numbers: 0, 1 bit, 2 bits, ...
template <Latent L>
unsigned delta_class(L latent, L earlier) {
  const L delta = static_cast<L>(latent - earlier);
  const L folded = static_cast<L>((delta << 1) ^ (delta >= kMid<L> ? static_cast<L>(~L{0}) : L{0}));
  return static_cast<unsigned>(std::bit_width(folded));
}

template <Latent L>
class Search {
 public:
  Search(std::span<const L> latents, std::size_t state_n, float give_up_bits, Arena& arena)
      : latents_(latents),
        state_n_(state_n),
        lookbacks_(
            arena.make<std::uint32_t>(latents.size() > state_n ? latents.size() - state_n : 0)) {
    if (lookbacks_.empty()) return;
    const ArenaScope scratch(arena);
    const std::size_t n = latents.size();
    counts_ = arena.make<std::uint32_t>(n);
    costs_ = arena.make<float>(n);
    hash_log_ = std::clamp(static_cast<unsigned>(std::bit_width(n)), 8u, 18u);
    for (auto& table : tables_) table = arena.make<std::uint32_t>(std::size_t{1} << hash_log_);
    const Range<L> range = range_of(latents);
    lower_ = range.lower;
    const unsigned width =
        static_cast<unsigned>(std::bit_width(static_cast<L>(range.upper - range.lower)));
    for (std::size_t c = 0; c < coarse_shifts_.size(); ++c) {
      coarse_shifts_[c] = width > kCoarseBits[c] ? width - kCoarseBits[c] : 0;
    }
    guess_costs();
    run_pass();
    learn_costs();
    if (learned_bits() > give_up_bits) {
      lookbacks_ = {};
      return;
    }
    run_pass();
  }

  std::span<std::uint32_t> result() const { return lookbacks_; }

 private:
  void guess_costs() {
    // As if lookbacks were spread evenly over their widths.
    for (std::size_t i = 1; i < costs_.size(); ++i) costs_[i] = 3 + width_of(i);
    class_costs_[0] = 1;
    for (unsigned c = 1; c < class_costs_.size(); ++c) class_costs_[c] = 3 + static_cast<float>(c);
    frequent_n_ = 0;
    cheap_ = HUGE_VALF;
    repeat_discount_ = fast_log2(static_cast<float>(latents_.size())) / 3;
  }

  // Bits of a lookback within those of its width.
  static float width_of(std::size_t lookback) {
    return static_cast<float>(std::bit_width(lookback) - 1);
  }

  // A lookback is coded by a bin of its own if it is frequent, else by one that it shares with
  // others of about its size.
  void learn_costs() {
    const float total = fast_log2(static_cast<float>(lookbacks_.size()));
    std::array<std::uint32_t, 33> width_counts{};
    for (std::size_t i = 1; i < counts_.size(); ++i) {
      width_counts[static_cast<std::size_t>(std::bit_width(i))] += counts_[i];
    }
    for (std::size_t i = 1; i < costs_.size(); ++i) {
      const auto width = static_cast<std::size_t>(std::bit_width(i));
      const float shared = total - fast_log2(static_cast<float>(width_counts[width] + 1));
      costs_[i] = shared + width_of(i);
      if (counts_[i] == 0) continue;
      const float count = static_cast<float>(counts_[i]);
      costs_[i] = std::min(costs_[i], total - fast_log2(count) + kMetaBits / count);
    }
    for (unsigned c = 0; c < class_costs_.size(); ++c) {
      const float count = static_cast<float>(class_counts_[c]) + 0.1f;
      class_costs_[c] = total - fast_log2(count) + static_cast<float>(c > 0 ? c - 1 : 0);
    }
    repeat_discount_ = 0;
    find_frequent();
    cheap_ = frequent_n_ > 0 ? costs_[frequent_[0]] + kCheapMargin : 0;
  }

  // For each number under the costs just learned.
  float learned_bits() const {
    float bits = 0;
    for (std::size_t i = 0; i < costs_.size(); ++i) {
      if (counts_[i] != 0) bits += static_cast<float>(counts_[i]) * costs_[i];
    }
    for (std::size_t c = 0; c < class_costs_.size(); ++c) {
      bits += static_cast<float>(class_counts_[c]) * class_costs_[c];
    }
    return bits / static_cast<float>(lookbacks_.size());
  }

  void find_frequent() {
    std::size_t taken = 0;
    for (std::uint32_t lookback = 1; lookback < counts_.size(); ++lookback) {
      const std::uint32_t count = counts_[lookback];
      if (count == 0 || (taken == kFrequent && count <= counts_[frequent_[kFrequent - 1]]))
        continue;
      std::size_t at = std::min(taken, kFrequent - 1);
      while (at > 0 && counts_[frequent_[at - 1]] < count) {
        frequent_[at] = frequent_[at - 1];
        --at;
      }
      frequent_[at] = lookback;
      taken = std::min(taken + 1, kFrequent);
    }
    frequent_n_ = taken;
  }

  std::size_t slot(std::uint64_t key) const {
    return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15u) >> (64 - hash_log_));
  }

  void run_pass() {
    std::fill(counts_.begin(), counts_.end(), 0);
    class_counts_.fill(0);
    for (auto& table : tables_) std::fill(table.begin(), table.end(), kNowhere);
    std::array<std::uint32_t, kRecent> recent{1, 1};
    std::uint64_t pair = 0;
    std::uint64_t four = 0;
    for (std::size_t i = 0; i < latents_.size(); ++i) {
      const std::uint64_t x = latents_[i];
      std::array<std::size_t, kContexts> slots{slot(x), slot(pair + x), slot(four + x)};
      for (std::size_t c = 0; c < coarse_shifts_.size(); ++c) {
        slots[kExactContexts + c] = slot((x - lower_) >> coarse_shifts_[c]);
      }
      if (i >= state_n_) {
        const std::uint32_t lookback = pick(i, slots, recent);
        lookbacks_[i - state_n_] = lookback;
        ++counts_[lookback];
        ++class_counts_[delta_class(latents_[i], latents_[i - lookback])];
        if (lookback != recent[0]) {
          std::copy_backward(recent.begin(), recent.end() - 1, recent.end());
          recent[0] = lookback;
        }
      }
      for (std::size_t c = 0; c < kContexts; ++c) {
        tables_[c][slots[c]] = static_cast<std::uint32_t>(i);
      }
      // Keys of the next contexts: the latents before, scrambled and told apart by their places.
      history_[i % 4] = (x + 1) * 0xd6e8feb86659fd93u;
      pair = history_[i % 4];
      four = pair + 3 * history_[(i + 3) % 4] + 7 * history_[(i + 2) % 4];
    }
  }

  std::uint32_t pick(std::size_t i, const std::array<std::size_t, kContexts>& slots,
                     const std::array<std::uint32_t, kRecent>& recent) const {
    // Repeats mostly go on: an exact one at a cheap distance is taken unseen.
    if (latents_[i] == latents_[i - recent[0]] && costs_[recent[0]] <= cheap_) return recent[0];
    std::uint32_t best = 1;
    float best_cost = cost(i, 1);
    const auto consider = [&](std::uint32_t lookback, float discount) {
      if (lookback == 0 || lookback > i) return;
      const float c = cost(i, lookback) - discount;
      if (c < best_cost) {
        best_cost = c;
        best = lookback;
      }
    };
    consider(recent[0], repeat_discount_);
    for (std::size_t r = 1; r < kRecent; ++r) consider(recent[r], repeat_discount_ / 2);
    for (std::size_t c = kContexts; c-- > 0;) {
      const std::uint32_t seen = tables_[c][slots[c]];
      if (seen != kNowhere) consider(static_cast<std::uint32_t>(i) - seen, 0);
    }
    for (std::size_t f = 0; f < frequent_n_; ++f) consider(frequent_[f], 0);
    return best;
  }

  float cost(std::size_t i, std::uint32_t lookback) const {
    return costs_[lookback] + class_costs_[delta_class(latents_[i], latents_[i - lookback])];
  }

  std::span<const L> latents_;
  std::size_t state_n_;
  std::span<std::uint32_t> lookbacks_;
  std::span<std::uint32_t> counts_;  // uses of each lookback in the last pass
  std::span<float> costs_;           // bits of each lookback
  std::array<std::uint32_t, 65> class_counts_{};
  std::array<float, 65> class_costs_{};
  std::array<std::uint32_t, kFrequent> frequent_{};
  std::size_t frequent_n_ = 0;
  float cheap_ = 0;  // a lookback that costs no more is as good as any
  std::array<std::span<std::uint32_t>, kContexts> tables_;  // latest positions by hash
  std::array<unsigned, std::size(kCoarseBits)> coarse_shifts_{};
  L lower_ = 0;                             // the least latent
  std::array<std::uint64_t, 4> history_{};  // the last four latents, scrambled
  unsigned hash_log_ = 8;
  float repeat_discount_ = 0;  // for lookbacks used just before, while costs are only guessed
};

}  // namespace

Lookback lookback_for(std::size_t n) {
  Lookback lookback;
  const unsigned log = static_cast<unsigned>(std::bit_width(n > 1 ? n - 1 : n));
  lookback.window_n_log = std::clamp(log, 1u, kMaxWindowNLog);
  return lookback;
}

std::span<std::uint32_t> find_lookbacks(const Lookback& lookback, const LatentArray& latents,
                                        Arena& arena, float give_up_bits) {
  return latents.visit([&](auto span) {
    using L = typename decltype(span)::value_type;
    return Search<L>(span, lookback.state_n(), give_up_bits, arena).result();
  });
}

}  // namespace numpact
