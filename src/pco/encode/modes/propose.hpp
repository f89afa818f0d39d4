// SPDX-License-Identifier: Apache-2.0
// Proposes modes and their parameters from a sample. Proposals are cheap and generous: estimates of
// their size decide afterwards.
#pragma once

#include <algorithm>
#include <array>

#include "numpact/config.hpp"
#include "pco/encode/estimate/sample.hpp"
#include "pco/mode/modes.hpp"

namespace numpact::internal {

struct Candidate {
  AnyMode mode;
  // The base of a FloatMult as a fraction of integers, or the base over 1.
  double numerator = 0;
  double denominator = 0;      // 0: fractions of the base are not worth proposing
  bool is_finest = false;      // a base as fine as the mantissa, not derived from the values
  bool fits_minority = false;  // fewer than half of the numbers save bits; the others pay for them
  bool has_few_remainders = false;  // long ones, of which few are different
  bool is_known = false;            // it was estimated on a smaller sample
  // It does not compete with bases: its coarse estimate, which is exact while those of bases tend
  // to be too high, excludes none of them, and it does not count towards max_estimated.
  bool is_independent = false;
};

class Candidates {
 public:
  // Bounds the memory and time of the coarse pass.
  static constexpr std::size_t kMaxCandidates = 16;

  // Drops the candidate if the list is full.
  void add(const Candidate& candidate) {
    if (size_ < kMaxCandidates) candidates_[size_++] = candidate;
  }
  void add(const AnyMode& mode) { add(Candidate{mode, 0, 0}); }
  // Unless its mode is in the list.
  void add_other(const Candidate& candidate) {
    if (!has(candidate.mode)) add(candidate);
  }
  bool has(const AnyMode& mode) const {
    return std::any_of(begin(), end(), [&](const Candidate& one) { return one.mode == mode; });
  }
  const Candidate* begin() const { return candidates_.data(); }
  const Candidate* end() const { return candidates_.data() + size_; }
  std::size_t size() const { return size_; }

 private:
  std::array<Candidate, kMaxCandidates> candidates_;
  std::size_t size_ = 0;
};

// The requested mode, or if that is automatic Classic and, if all_modes, what the functions below
// propose. ordered: the chunk's latents, from which a requested dictionary is made.
Candidates collect_candidates(NumberType type, const LatentArray& ordered, const Sample& sample,
                              const ModeSpec& spec, bool all_modes, Arena& arena);

void propose_int_mult(const Sample& sample, Candidates& candidates);
// IntMult by the step of a clock whose ticks have errors that do not add up.
void propose_clock_step(const LatentArray& ordered, Candidates& candidates);
void propose_float_mult(NumberType type, const Sample& sample, Candidates& candidates,
                        Arena& arena);
// For the bases among the candidates, if numbers such as NaN are beyond their exact multiples.
void propose_float_mult_substitutes(NumberType type, const Sample& sample, Candidates& candidates);
// For a base whose multiples need many corrections: the base over odd integers, where that needs
// fewer.
void propose_float_mult_divisors(NumberType type, const Sample& sample, const Candidate& base,
                                 Candidates& candidates);
void propose_float_quant(NumberType type, const Sample& sample, Candidates& candidates);
// FloatQuant or FloatMult by a decimal, if the remainders are few different ones that save much
// over all candidates.
void propose_few_remainders(NumberType type, const LatentArray& ordered, Candidates& candidates,
                            Arena& arena);

}  // namespace numpact::internal
