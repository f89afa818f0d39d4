// SPDX-License-Identifier: Apache-2.0
// Chooses mode and delta encoding of a chunk together, by estimated size on a sample: every
// proposed mode is estimated with its best delta encoding
// (docs/decisions.md, 5).
#pragma once

#include <array>
#include <optional>
#include <span>

#include "number/latent_array.hpp"
#include "pco/encode/choice.hpp"
#include "pco/encode/choice_list.hpp"
#include "pco/encode/choice_log.hpp"
#include "pco/encode/estimate/binned.hpp"
#include "pco/encode/lookback/fixed.hpp"
#include "pco/encode/modes/propose.hpp"
#include "pco/levels.hpp"
#include "pco/version.hpp"

namespace numpact::internal {

struct PageRepeats;

struct ChunkNumbers {
  NumberType type;
  LatentArray ordered;  // the numbers as ordered latents, at least one
  std::size_t page_n;   // length of the longest page
  // If not 0, `ordered` is a sample: runs of this many neighbours, out of `scale` times as many
  // numbers, for which the choice is made. Only for choose_plain().
  std::size_t run_n = 0;
  float scale = 1;
};

// The choice for one chunk, from its sample to the list of alternatives that are worth encoding.
// Every alternative that is estimated goes to the log. What the choices refer to is allocated in
// the arena, which must not be rewound before the session ends.
class ChoiceSession {
 public:
  // config: has passed check_specs, and outlives the session, as does the listener.
  // listener: may be null.
  ChoiceSession(const ChunkNumbers& numbers, const EncodeConfig& config, Arena& arena,
                ChoiceListener* listener = nullptr);
  ChoiceSession(const ChoiceSession&) = delete;
  ChoiceSession& operator=(const ChoiceSession&) = delete;

  // Chooses without Lookback, which is slow to evaluate. Once.
  void choose_plain();
  // Evaluates Lookback, and puts it before the other choices if it takes less than `bits` per
  // number by the required margin. After choose_plain(), and while the ordered latents exist.
  void add_lookback(float bits);

  std::span<const Choice> choices() const { return choices_.all(); }
  const Choice& best() const { return choices_.all()[0]; }
  // The numbers look random: the only choice is Classic without a delta, with one bin.
  bool is_random() const { return is_random_; }
  bool may_look_back() const { return may_look_back_; }
  bool uses_lookback() const { return std::holds_alternative<Lookback>(best().delta); }
  // The choice's bits per number, with the error of estimates on the sample.
  BitsEstimate estimate_of(const Choice& choice) const {
    return choice.bits > 0 ? with_error(choice.bits) : BitsEstimate{};
  }
  // The best estimates without Lookback, best first.
  std::span<const Estimate> estimates() const { return ranking_.all(); }

  const LatentArray& ordered() const { return ordered_; }
  const EncodeConfig& config() const { return config_; }
  const Level& level() const { return level_; }
  Arena& arena() const { return arena_; }
  const ChoiceLog& log() const { return log_; }

 private:
  // The best FloatMult with a costly secondary variable.
  struct Divisible {
    Candidate candidate;  // its denominator is 0 if there is none
    float coarse_bits = 0;
  };
  // A candidate that coarse estimates leave.
  struct Contender {
    const Candidate* candidate = nullptr;
    DeltaSpec delta;
    float penalty = 0;
    float coarse_bits = 0;
    CoarseEstimate coarse;
    Estimate part;  // on a part of the sample; bits are infinite if there is none
  };

  bool is_auto_mode() const { return !config_.mode.mode(); }
  bool is_auto_delta() const { return !config_.delta.delta(); }
  bool attempts_close() const;

  // The steps of choose_plain().
  std::size_t larger_sample_n() const;
  void use_recipe();
  void use_plain();
  void rank();
  Candidates allowed_candidates() const;
  Divisible rank_candidates(const Candidates& candidates, const Sample& subsample);
  Divisible race(std::span<Contender> contenders);
  void estimate_on_part(std::span<Contender> contenders) const;
  void rank_divisors(const Divisible& divisible, const Sample& subsample);
  void rank_weights();
  void rank_weights(const Estimate& estimate);
  void rank_dict();
  void finalize();

  Estimate estimate_with_penalty(const AnyMode& mode, const Sample& sample,
                                 const CoarseEstimate& coarse, const DeltaSpec& delta,
                                 float penalty) const;
  // With the error of an estimate on the whole sample, or a given one.
  void add_estimate(const Estimate& estimate);
  void add_estimate(const Estimate& estimate, float error);

  float error_ratio(float bits) const;
  BitsEstimate with_error(float bits) const { return {bits, (error_ratio(bits) - 1) * bits}; }
  void add_choice(const Choice& choice);
  void add_other_order(const Estimate& first);
  void add_next_order(const Estimate& first, float ratio);
  Choice with_requested_delta(Choice choice) const;

  // The steps of add_lookback().
  LookbackResult find_lookback(float bits, Choice& found);
  bool find_fixed_lookback(float bits, Choice& found);
  LookbackResult search_lookback(float bits, Choice& found) const;
  LookbackResult try_lookback_with(const Estimate& estimate, float bits, Choice& found) const;

  NumberType type_;
  LatentArray ordered_;
  std::size_t page_n_;
  std::size_t run_n_;  // 0: `ordered` holds all numbers
  float scale_;
  const EncodeConfig& config_;
  const Level& level_;
  EncodeEffort effort_;
  Arena& arena_;
  ChoiceLog log_;
  FormatVersion version_;  // that readers must support

  Sample sample_;
  Candidates estimated_;   // fully, on this sample or a smaller one
  bool has_dict_ = false;  // a dictionary was estimated, on this sample or a smaller one
  Ranking ranking_;
  ChoiceList choices_;
  bool is_random_ = false;
  bool may_look_back_ = false;
  std::optional<FixedLookback> fixed_;  // the best distance for all numbers, if has_fixed_
  bool has_fixed_ = false;              // it was sought
  PageRepeats* repeats_ = nullptr;      // of the first page_n latents; null if Lookback is excluded
};

}  // namespace numpact::internal
