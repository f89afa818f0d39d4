// SPDX-License-Identifier: Apache-2.0
// Which parameters of the modes look worth trying on a sample. Bids are cheap and generous: what
// they propose is weighed by its estimated size afterwards.
#ifndef NUMPACT_PCO_ENCODE_MODES_PROPOSE_HPP
#define NUMPACT_PCO_ENCODE_MODES_PROPOSE_HPP

#include <array>

#include "pco/encode/estimate/sample.hpp"
#include "pco/mode/modes.hpp"

namespace numpact {

struct Candidate {
  AnyMode mode;
  // Of a FloatMult's base, where it is a fraction of whole numbers; else the base over 1.
  double numerator = 0;
  double denominator = 0;  // 0 if parts of the base are of no use
  bool is_finest = false;  // a base that says nothing of the numbers
  bool suits_few = false;  // most numbers pay for what the others save
};

class Candidates {
 public:
  static constexpr std::size_t kMost = 16;

  // Dropped if there is no room.
  void add(const Candidate& candidate) {
    if (size_ < kMost) candidates_[size_++] = candidate;
  }
  void add(const AnyMode& mode) { add(Candidate{mode, 0, 0}); }
  const Candidate* begin() const { return candidates_.data(); }
  const Candidate* end() const { return candidates_.data() + size_; }
  std::size_t size() const { return size_; }

 private:
  std::array<Candidate, kMost> candidates_;
  std::size_t size_ = 0;
};

void bid_int_mult(const Sample& sample, Candidates& candidates);
void bid_float_mult(NumberType type, const Sample& sample, Candidates& candidates, Arena& arena);
// For a base whose multiples need many corrections: odd parts of it that need fewer.
void bid_float_mult_divided(NumberType type, const Sample& sample, const Candidate& base,
                            Candidates& candidates);
void bid_float_quant(NumberType type, const Sample& sample, Candidates& candidates);

}  // namespace numpact

#endif
