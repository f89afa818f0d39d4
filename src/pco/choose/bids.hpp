// SPDX-License-Identifier: Apache-2.0
// Which parameters of the modes look worth trying on a sample. Bids are cheap and generous: what
// they propose is weighed by its estimated size afterwards.
#ifndef NUMPACT_PCO_CHOOSE_BIDS_HPP
#define NUMPACT_PCO_CHOOSE_BIDS_HPP

#include <array>

#include "pco/choose/sample.hpp"
#include "pco/mode/modes.hpp"

namespace numpact {

class Candidates {
 public:
  static constexpr std::size_t kMost = 8;

  // Dropped if there is no room.
  void add(const AnyMode& mode) {
    if (size_ < kMost) modes_[size_++] = mode;
  }
  const AnyMode* begin() const { return modes_.data(); }
  const AnyMode* end() const { return modes_.data() + size_; }

 private:
  std::array<AnyMode, kMost> modes_;
  std::size_t size_ = 0;
};

void bid_int_mult(const Sample& sample, Candidates& candidates);
void bid_float_mult(NumberType type, const Sample& sample, Candidates& candidates);
// For a power of ten whose multiples need many corrections: parts of it that need fewer.
void bid_float_mult_divided(NumberType type, const FloatMult& decimal, Candidates& candidates);
void bid_float_quant(NumberType type, const Sample& sample, Candidates& candidates);

}  // namespace numpact

#endif
